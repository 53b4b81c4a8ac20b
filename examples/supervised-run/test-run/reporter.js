// A reporter for `node --test` that prints one line of JSON for every test. Node requires a default export.
import { inspect } from 'node:util';

export default async function* reporter(source) {
  const names = [];
  const errorOutput = new Map();
  for await (const { type, data } of source) {
    if (type === 'test:start') names[data.nesting] = data.name;
    if (type === 'test:stderr') {
      errorOutput.set(data.file, (errorOutput.get(data.file) ?? '') + data.message);
    }
    if ((type !== 'test:pass' && type !== 'test:fail') || isSumOfOthers(data)) continue;
    const outcome = type === 'test:pass' ? 'passed' : 'failed';
    const isFile = data.name === data.file;
    const line = {
      file: data.file ?? '',
      name: isFile ? 'the file itself' : [...names.slice(0, data.nesting), data.name].join(' > '),
      outcome: data.skip === undefined && data.todo === undefined ? outcome : 'leftOut',
      problem: outcome === 'passed' ? '' : problemOf(data, isFile, errorOutput),
    };
    yield `${JSON.stringify(line)}\n`;
  }
}

/** A suite, or a test with subtests, is left out: its tests are reported themselves. */
const isSumOfOthers = ({ details }) =>
  details?.type === 'suite' || details?.error?.failureType === 'subtestsFailed';

/** A file that does not load says why on its error output only. */
const problemOf = ({ file, details }, isFile, errorOutput) => {
  const printed = errorOutput.get(file) ?? '';
  return isFile && printed.trim() !== '' ? printed.slice(0, 2_000) : describe(details?.error);
};

/** The expected and the actual value, where the error has them; its message otherwise. */
const describe = (error) => {
  const cause = error?.cause ?? error;
  if (!isComparison(cause)) return String(cause?.message ?? cause);
  const [expected, actual] = [cause.expected, cause.actual].map((value) =>
    inspect(value, { breakLength: Infinity, compact: true }),
  );
  return `expected ${expected}, got ${actual}`;
};

const isComparison = (cause) =>
  cause?.code === 'ERR_ASSERTION' && cause.generatedMessage !== false && 'expected' in cause;
