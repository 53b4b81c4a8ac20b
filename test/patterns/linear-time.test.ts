import { describe, expect, it } from 'vitest';
import { z } from 'zod';

import { visibleText } from '../../src/plan/visible-text.js';
import { jsonFormat, proseFormat } from '../../src/services/openai/answer-format.js';
import { judge } from '../../src/services/openai/read-answer.js';
import { Secrets } from '../../src/services/openai/secrets.js';
import { growthOf, hostileTexts, LINEAR_GROWTH_MAX } from './growth.js';
import { sourcePatterns } from './source-patterns.js';

/*
 * A pattern that takes quadratic time blocks the process as long as an attacker likes. Every regular expression in
 * `src` is in one of the two lists below: it reads text from outside and is measured, or it reads only our own.
 */

/** Patterns that read what models, agents, servers, stores or people wrote. */
const SEES_OUTSIDE_TEXT: readonly string[] = [
  String.raw`src/agents/agent.ts /^[A-Za-z][A-Za-z0-9_-]{0,63}$/`,
  String.raw`src/canonical-json.ts /\p{Surrogate}/gu`,
  String.raw`src/cli/check.ts /^postgres(?:ql)?:/`,
  String.raw`src/cli/page/html.ts /[&<>"]/g`,
  String.raw`src/cli/subject.ts /[./\\]/`,
  String.raw`src/orchestrator/configuration.ts /^[A-Za-z0-9][A-Za-z0-9_-]{0,127}$/`,
  String.raw`src/failure.ts /\p{Surrogate}/gu`,
  String.raw`src/failure.ts /^at .*:\d+:\d+\)?$|^[^ ]*@.*:\d+:\d+$/`,
  String.raw`src/orchestrator/error-listener.ts /\s+/g`,
  String.raw`src/run/list-runs.ts /^(\d{1,16})\.([\s\S]+)$/`,
  String.raw`src/journal/record-summary.ts /\s+/g`,
  String.raw`src/journal/record-summary.ts /[\uD800-\uDBFF]$/`,
  String.raw`src/model/plan.ts /^[A-Za-z][A-Za-z0-9_-]{0,63}$/`,
  String.raw`src/plan/unknown-keys.ts /[-_ ]/g`,
  String.raw`src/plan/unknown-keys.ts /^(?:needs?|requires?)(?:human)?approval/i`,
  String.raw`src/plan/unknown-keys.ts /^depend/i`,
  String.raw`src/plan/visible-text.ts /[\p{Cf}\p{Default_Ignorable_Code_Point}\x00-\x08\x0b-\x1f\x7f-\x9f]/u`,
  String.raw`src/plan/visible-text.ts /\p{M}/u`,
  String.raw`src/plan/visible-text.ts /[\u0600-\u0605\u06dd\u070f\u0890\u0891\u08e2\u{110bd}\u{110cd}]/u`,
  String.raw`src/plan/visible-text.ts /[\p{Script=Arabic}\p{Script=Syriac}\p{Script=Mongolian}\p{Script=Devanagari}\p{Script=Bengali}\p{Script=Gurmukhi}\p{Script=Gujarati}\p{Script=Oriya}\p{Script=Tamil}\p{Script=Telugu}\p{Script=Kannada}\p{Script=Malayalam}\p{Script=Sinhala}\p{Script=Khmer}]/u`,
  String.raw`src/plan/visible-text.ts /\p{Extended_Pictographic}/u`,
  String.raw`src/plan/visible-text.ts /[\p{Extended_Pictographic}\p{Emoji_Modifier}\ufe0f]/u`,
  String.raw`src/plan/visible-text.ts /[\ufe00-\ufe0f]/u`,
  String.raw`src/plan/visible-text.ts /[\u{e0100}-\u{e01ef}]/u`,
  String.raw`src/plan/visible-text.ts /\p{Script=Han}/u`,
  String.raw`src/services/openai/prompts/data-block.ts /[<>\u2028\u2029]/g`,
  String.raw`src/services/openai/secrets.ts /[\p{L}\p{N}]/u`,
  String.raw`src/services/openai/tool.ts /^[A-Za-z0-9_-]{1,64}$/`,
  String.raw`src/services/stored-id.ts /\0|\p{Surrogate}/u`,
  String.raw`src/services/stores/postgres/json-column.ts /\\(?:\\|u(0000|001a|d[89a-f][0-9a-f]{2}))/g`,
  String.raw`src/services/stores/postgres/json-column.ts /\\(?:\\|u001a([0-9a-f]{4}))/g`,
  String.raw`src/services/stores/postgres/options.ts /^[a-z_][a-z0-9_]{0,49}$/`,
  String.raw`src/services/stores/postgres/options.ts /^postgres(?:ql)?:\/\//`,
  String.raw`src/services/stores/postgres/postgres-error.ts /^(?:XX00[12]|42P01|42703|3F000)$/`,
];

/** Made by `new RegExp`: measured through the function that uses it, below. */
const SEEN_THROUGH_A_FUNCTION: readonly string[] = [
  "src/plan/visible-text.ts new RegExp(`\\\\p{M}{${MARKS_MAX + 1}}`, 'u')",
];

/** Names of states, events, facts and keys, pictures of charts and numbers: all of them written by this package. */
const SEES_ONLY_OUR_TEXT: readonly string[] = [
  String.raw`src/cli/coverage.ts /^(?<source>[^:]*): (?<event>\S+)(?: \[(?<condition>[^\]]*)\])? -> (?<goal>.*?)(?: \(\d+\))?$/`,
  String.raw`src/cli/coverage.ts /^xstate\.(done|error)\.actor\.(.+)$/`,
  String.raw`src/cli/coverage.ts /^(?:permit|call|approval|verdict)\./`,
  String.raw`src/cli/page/html.ts /\B(?=(?:\d{3})+$)/g`,
  'src/cli/page/marked-picture.ts new RegExp(` ${name}="([^"]*)"`)',
  String.raw`src/cli/page/marked-picture.ts /(\/?>)$/`,
  String.raw`src/cli/page/ways.ts /^(.*) \((\d+)\)$/`,
  String.raw`src/services/stores/sqlite/check-content.ts /^pragma_(\w+).*$/`,
  String.raw`src/testing/invariants/approvals.ts /:plan\.\d+$/`,
  String.raw`src/testing/invariants/calls.ts /\/planner\.\d+$/`,
  String.raw`src/testing/invariants/evidence.ts /^human(?:: |$)/`,
  String.raw`src/testing/invariants/pauses.ts /\/plan\/supervisor\.(?:plan|goal)\.\d+(?:#|$)/`,
  String.raw`src/proof/paths/whole-run.ts /^xstate\.after\.(\w+)\..*$/`,
  String.raw`src/proof/paths/whole-run.ts /[A-Z]/g`,
  String.raw`src/proof/prove/projection/orchestrator-text.ts /\.executing\.|verifying|awaitingLimitApproval|holdingPlanner/`,
  String.raw`src/proof/prove/projection/orchestrator-text.ts /holdingReview|reviewingPlan|awaitingPlanApproval/`,
  String.raw`src/proof/prove/projection/step-count.ts /×(\d+)/`,
  String.raw`src/orchestrator/run-session.ts /^(?:invalid-command|run-ended|inbox-full|unknown-run|store-unavailable)/`,
  String.raw`src/proof/simulate/people.ts /^(?:approve|reject) (.*)$/`,
];

const found = sourcePatterns();

describe('the list of patterns', () => {
  it('names every regular expression in src, and none that was removed', () => {
    const named = [...SEES_OUTSIDE_TEXT, ...SEEN_THROUGH_A_FUNCTION, ...SEES_ONLY_OUR_TEXT];
    expect(found.map(({ name }) => name).toSorted()).toEqual(named.toSorted());
  });
});

describe('a pattern that reads text from outside takes linear time', () => {
  const measured = found.filter(({ name }) => SEES_OUTSIDE_TEXT.includes(name));

  it.each(measured)('$name', async ({ pattern }) => {
    const growth = await growthOf((text) => text.replace(pattern ?? '', ''));
    expect(growth).toBeLessThan(LINEAR_GROWTH_MAX);
  });

  it('and this measurement detects one that does not', async () => {
    const fence = /^```(?:json)?\s*\n([\s\S]*)\n```$/;
    expect(await growthOf((text) => fence.exec(text))).toBeGreaterThan(LINEAR_GROWTH_MAX);
  });
});

describe('a function that reads text from outside takes linear time', () => {
  const verdict = jsonFormat(
    {
      name: 'answer',
      schema: z.object({}),
      read: (value) => ({ ok: true, value }),
    },
    'json',
  );

  const secrets = new Secrets();
  secrets.add(['sk-0123456789', 'a', 'think']);

  const completionOf = (content: string) => ({
    content,
    refusal: null,
    isTruncated: false,
    toolCalls: [],
    tokens: { input: 0, output: 0 },
  });

  it.each<[string, (text: string) => unknown]>([
    [
      'judge, of an answer in JSON',
      (text) => judge(completionOf(text), verdict, Infinity, secrets),
    ],
    [
      'judge, of an answer in prose',
      (text) => judge(completionOf(text), proseFormat, Infinity, secrets),
    ],
    ['Secrets.inMessage', (text) => secrets.inMessage(text)],
    ['visibleText', visibleText],
  ])('%s', async (_, read) => {
    expect(hostileTexts(100).length).toBeGreaterThan(100);
    expect(await growthOf(read)).toBeLessThan(LINEAR_GROWTH_MAX);
  });
});
