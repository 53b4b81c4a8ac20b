import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';
import { setup } from 'xstate';

import { statelyUrl } from '../scripts/visualize/gallery.js';
import { stateDiagram, stateTable } from '../scripts/visualize/mermaid.js';
import { statesOf } from '../scripts/visualize/transitions.js';
import { charts, visualizations } from '../scripts/visualize.js';

const root = join(import.meta.dirname, '..');

describe('the pictures of the charts', async () => {
  for (const [path, text] of await visualizations()) {
    it(`is up to date: ${path} (npm run visualize)`, () => {
      expect(readFileSync(join(root, path), 'utf8')).toBe(text);
    });
  }

  for (const [name, machine] of charts) {
    it(`has every state of ${name}`, () => {
      const diagram = stateDiagram(machine);
      const keys = statesOf(machine.root)
        .map(({ key }) => key)
        .slice(1);
      for (const key of keys)
        expect(diagram).toMatch(new RegExp(`^ +(state )?${key}( \\{)?$`, 'm'));
    });

    it(`has the description of every state of ${name}`, () => {
      const silent = statesOf(machine.root).filter(({ description = '' }) => description === '');
      expect(silent.map(({ id }) => id)).toEqual([]);
    });
  }
});

describe('a state diagram', () => {
  const machine = setup({
    guards: {
      isTired: () => true,
      isLevel: (_, params: { readonly level: string }) => params.level === 'high',
    },
    delays: { nap: 1 },
  }).createMachine({
    id: 'day',
    initial: 'awake',
    on: { 'alarm.rang': '.awake' },
    states: {
      awake: {
        description: 'Eyes open: always.',
        type: 'parallel',
        on: { 'coffee.drunk': {}, 'lights.out': [{ guard: 'isTired', target: 'done' }, 'asleep'] },
        states: {
          body: {
            initial: 'idle',
            states: {
              idle: {
                always: { guard: { type: 'isLevel', params: { level: 'high' } }, target: 'moving' },
              },
              moving: { after: { nap: '#day.asleep' } },
            },
          },
          mind: { initial: 'still', states: { still: {}, busy: { type: 'final' } } },
        },
      },
      asleep: { description: 'Eyes closed.', after: { nap: { target: 'asleep', reenter: true } } },
      done: { type: 'final' },
    },
  });

  it('shows nested and parallel states, events, guards, delays, ends and short descriptions', () => {
    expect(stateDiagram(machine)).toBe(`stateDiagram-v2
  [*] --> awake
  state awake {
    state body {
      [*] --> idle
      idle
      moving
      idle --> moving : [isLevel high]
    }
    --
    state mind {
      [*] --> still
      still
      busy
      busy --> [*]
    }
  }
  asleep
  done
  state "any state" as day_anywhere
  day_anywhere --> awake : alarm.rang
  awake --> done : lights.out [isTired]
  awake --> asleep : lights.out [else]
  asleep --> asleep : after nap
  done --> [*]
  moving --> asleep : after nap
  note right of asleep
    Eyes closed.
  end note
`);
  });

  it('leaves events without a target state to the table', () => {
    expect(stateTable(machine)).toContain('| `awake` | Eyes open: always. | `coffee.drunk` |');
  });
});

describe('a link to the Stately editor', () => {
  const file = 'visualizations/step.machine.ts';
  const link =
    'https://github.stately.ai/someone/planwright/blob/main/visualizations/step.machine.ts';

  it.each([
    'https://github.com/someone/planwright',
    'git+https://github.com/someone/planwright.git',
    'git@github.com:someone/planwright.git',
  ])('is made from %s', (repositoryUrl) => {
    expect(statelyUrl(repositoryUrl, file)).toBe(link);
  });

  it.each([undefined, 'https://example.org/someone/planwright'])('is not made from %s', (url) => {
    expect(statelyUrl(url, file)).toBeUndefined();
  });
});
