// A chart as one source file that imports only xstate: for the Stately editor, Stately Sketch, or reading.
import type { AnyStateMachine } from 'xstate';

import { CHOICE_ACTIONS, clickable, OTHERWISE } from './clickable.js';

const LINE_CHARACTERS_MAX = 100;

/** Longer than a person takes: nothing happens by itself. Timers go up to 24 days. */
const DELAY_MS = 2_000_000_000;

/** The name of the file without its ending is the chart's; the constant is called after the machine's id. */
export const machineSource = (machine: AnyStateMachine): string => {
  const { guards, actions, actors, delays } = machine.implementations;
  const config = clickable(machine);
  const isDeciding = JSON.stringify(config).includes(`"guard":"${OTHERWISE}"`);
  const guardNames = [...Object.keys(guards), ...(isDeciding ? [OTHERWISE] : [])];
  const parts = [
    stubs('guards', guardNames, (name) => `isChosen('${name}')`),
    stubs('actions', [...Object.keys(actions), ...Object.keys(CHOICE_ACTIONS)], actionStub),
    stubs('actors', Object.keys(actors), () => 'fromPromise(() => new Promise(() => {}))'),
    stubs('delays', Object.keys(delays), () => String(DELAY_MS)),
  ].filter((part) => part !== '');
  const imports = Object.keys(actors).length === 0 ? '' : 'fromPromise, ';
  return [
    `// The chart '${machine.id}', by itself: it needs nothing but xstate. Made by \`npm run visualize\`; do not edit.`,
    '//',
    '// To step through it, send events: `createActor(machine).start()`, or click them in a tool. Actions do nothing, and',
    '// nothing happens by itself. An event `choose.*` gives the outcome that code gives in a run:',
    '// - `choose.<guard>` answers a guard with yes. A state that only decides waits for it; `choose.otherwise` answers all',
    '//   of its guards with no. Before another event, choose first. A choice is used up by the transition that it decides.',
    '// - `choose.done.actor.<id>` and `choose.error.actor.<id>` end an actor.',
    '// - `choose.after.<delay>.<state>` lets the time pass.',
    `import { assign, ${imports}raise, setup } from 'xstate';`,
    '',
    // Defaults instead of types: a tool may run the file as JavaScript.
    "const isChosen = (guard = '') => ({ context: { chosen = '' } = {} } = {}, params = {}) =>",
    "  chosen === [guard, ...Object.values(params)].join('.');",
    '',
    `export const ${machine.id}Machine = setup({`,
    ...parts,
    `}).createMachine(${literal(config, '')});`,
    '',
  ].join('\n');
};

const actionStub = (name: string): string => CHOICE_ACTIONS[name] ?? '() => {}';

const stubs = (
  kind: string,
  unsorted: readonly string[],
  stubOf: (name: string) => string,
): string => {
  const names = [...unsorted].sort();
  if (names.length === 0) return '';
  const lines = names.map((name) => `    ${key(name)}: ${stubOf(name)},`);
  return [`  ${kind}: {`, ...lines, '  },'].join('\n');
};

/** On one line where that fits, else one line per entry. */
const literal = (value: unknown, indent: string): string => {
  if (typeof value === 'string') return quoted(value);
  if (typeof value !== 'object' || value === null) return String(value);
  const entries = entriesOf(value);
  const [open, close] = Array.isArray(value) ? ['[', ']'] : ['{', '}'];
  const space = Array.isArray(value) ? '' : ' ';
  const inline = entries.map(([name, item]) => `${name}${literal(item, indent)}`).join(', ');
  const line = `${open}${space}${inline}${space}${close}`;
  if (isShort(line, indent)) return line;
  const lines = entries.map(([name, item]) => `${indent}  ${name}${literal(item, `${indent}  `)},`);
  return [open, ...lines, `${indent}${close}`].join('\n');
};

const entriesOf = (value: object): [name: string, item: unknown][] =>
  Array.isArray(value)
    ? value.map((item: unknown) => ['', item])
    : Object.entries(value).map(([name, item]) => [`${key(name)}: `, item]);

/** The rest of the line is for the name in front. */
const isShort = (line: string, indent: string): boolean =>
  !line.includes('\n') && indent.length + line.length <= LINE_CHARACTERS_MAX - 20;

const key = (name: string): string => (/^[A-Za-z_]\w*$/.test(name) ? name : quoted(name));

const quoted = (text: string): string =>
  text.includes("'") ? JSON.stringify(text) : `'${JSON.stringify(text).slice(1, -1)}'`;
