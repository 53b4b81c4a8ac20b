// A chart as one source file that imports only xstate: for the Stately editor, Stately Sketch, or reading.
import type { AnyStateMachine } from 'xstate';

const LINE_CHARACTERS_MAX = 100;

/** The name of the file without its ending is the chart's; the constant is called after the machine's id. */
export const machineSource = (machine: AnyStateMachine): string => {
  const { guards, actions, actors, delays } = machine.implementations;
  const parts = [
    stubs('guards', guards, '() => false'),
    stubs('actions', actions, '() => {}'),
    stubs('actors', actors, 'fromPromise(() => new Promise(() => {}))'),
    stubs('delays', delays, '1000'),
  ].filter((part) => part !== '');
  const imports = Object.keys(actors).length === 0 ? 'setup' : 'fromPromise, setup';
  return [
    `// The chart '${machine.id}', by itself: it needs nothing but xstate. Made by \`npm run visualize\`; do not edit.`,
    '// What the names stand for is left out: guards say no, actions do nothing, actors never answer, delays are a second.',
    `import { ${imports} } from 'xstate';`,
    '',
    `export const ${machine.id}Machine = setup({`,
    ...parts,
    `}).createMachine(${literal(withoutFunctions(machine.config), '')});`,
    '',
  ].join('\n');
};

const stubs = (kind: string, named: object, stub: string): string => {
  const names = Object.keys(named).sort();
  if (names.length === 0) return '';
  return [`  ${kind}: {`, ...names.map((name) => `    ${key(name)}: ${stub},`), '  },'].join('\n');
};

/** Functions in a chart are selectors of input, params, output and context. They do not change the picture. */
const withoutFunctions = (config: unknown): unknown => JSON.parse(JSON.stringify(config));

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
