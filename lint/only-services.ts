// What only a service may use: time, randomness, the host, and text from outside.

export const noNode = 'src runs in a browser: no Node globals and no Node modules.';
const noDom = 'src runs on a server too: no browser globals.';
const viaClock = 'Time enters src only through src/services/clock.ts.';
const viaRandomId = 'Randomness enters src only through src/services/random-id.ts.';
const viaServices = 'Parse untrusted text in src/services or src/canonical-json.ts only.';

export interface RestrictedGlobal {
  readonly name: string;
  readonly message: string;
}

export const timeGlobals: RestrictedGlobal[] = [
  'setTimeout',
  'setInterval',
  'clearTimeout',
  'clearInterval',
  'performance',
].map((name) => ({ name, message: viaClock }));

export const hostGlobals: RestrictedGlobal[] = [
  ...[
    'process',
    'Buffer',
    'global',
    'require',
    'module',
    '__dirname',
    '__filename',
    'setImmediate',
    'clearImmediate',
  ].map((name) => ({ name, message: noNode })),
  // With the DOM types a forgotten local variable `name` or `event` would compile.
  ...['window', 'document', 'self', 'location', 'localStorage', 'name', 'event', 'status'].map(
    (name) => ({ name, message: noDom }),
  ),
];

export const timeAndChanceProperties = [
  { object: 'Date', property: 'now', message: viaClock },
  { object: 'AbortSignal', property: 'timeout', message: viaClock },
  { object: 'Math', property: 'random', message: viaRandomId },
  { object: 'crypto', property: 'randomUUID', message: viaRandomId },
  { object: 'crypto', property: 'getRandomValues', message: viaRandomId },
];

export const jsonParse = { object: 'JSON', property: 'parse', message: viaServices };
