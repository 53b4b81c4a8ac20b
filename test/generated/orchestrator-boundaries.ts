import { orchestratorConfiguration as configuration } from './orchestrator.js';
import { settingsOf } from './settings.js';

/*
 * Small worlds at the numbers where the result of a guard changes. Mutants showed that they were missing: an
 * off-by-one guard is wrong nowhere else.
 */

const supervised = { hasSupervisor: true };
const ladder = { escalation: { issues: { correct: 1, refocus: 2, critical: 3, abort: 4 } } };

export const boundaryConfigurations = [
  configuration(
    'the numbers of the ladder',
    settingsOf({ ...ladder, limits: { maxParallel: 1, maxReplans: 0 } }),
    {
      plans: ['one step'],
      steps: ['completes'],
      verdicts: true,
      scores: [71, 70, 69, 68, 51, 50, 49, 48, 31, 30, 29, 28],
    },
  ),
  configuration(
    'numbers of the ladder that are less than one apart',
    settingsOf({
      escalation: { scores: { remind: 60, correct: 50.5, refocus: 50 } },
      limits: { maxParallel: 1, maxReplans: 0 },
    }),
    { plans: ['one step'], steps: ['completes'], verdicts: true, scores: [50.2, 50.7, 60] },
  ),
  configuration(
    'the numbers of the gates of plan and goal',
    settingsOf(
      { gates: { plan: 70, goal: 80 }, limits: { maxParallel: 1, maxReplans: 0 } },
      supervised,
    ),
    { plans: ['one step'], steps: ['completes'], scores: [69, 70, 71, 79, 80, 81] },
  ),
  configuration(
    'a plan that came with the goal, and no planner',
    settingsOf({ limits: { maxParallel: 1 } }, { hasPlanner: false }),
    { steps: ['completes'] },
    { plan: { steps: [] } },
  ),
  configuration(
    'as many failures as are borne',
    settingsOf({ limits: { maxParallel: 1 }, failure: { onStepFailure: 'continue' } }),
    { plans: ['six steps', 'seven steps'], steps: ['fails'] },
  ),
  configuration('a millisecond more', settingsOf({ limits: { maxParallel: 1, maxReplans: 0 } }), {
    plans: ['one step'],
    steps: ['completes'],
    told: [
      {
        says: 'a person extends the time by 1 ms',
        event: { type: 'time.extend', extraMs: 1 } as never,
      },
    ],
  }),
  configuration(
    'a step that stands between is skipped',
    settingsOf({ limits: { maxParallel: 2, maxReplans: 0 } }),
    {
      plans: ['three steps in a row'],
      steps: ['completes'],
      told: [
        { says: 'a person skips b', event: { type: 'plan.skip', stepIds: ['b'] } as never },
        { says: 'a person skips to c', event: { type: 'plan.skipTo', stepId: 'c' } as never },
      ],
    },
  ),
  configuration(
    'a new plan would replace everything, and there is none left: finish',
    settingsOf({
      limits: { maxParallel: 2, maxReplans: 0 },
      replan: { merge: 'replaceAll', onLimit: 'finish' },
    }),
    { plans: ['two steps'], steps: ['completes', 'needs context'] },
  ),
  configuration(
    'a budget with a token left',
    settingsOf({ limits: { maxTokens: 3, maxParallel: 1 } }),
    { plans: ['one step'], steps: ['completes'], permits: true },
  ),
];
