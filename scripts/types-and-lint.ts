// What `npm run typecheck` and `npm run lint` find, in one go: both need the type of everything, and working that out is
// most of what either costs.
import { ESLint } from 'eslint';
import ts from 'typescript';

const settings = readSettings('tsconfig.json');
const program = ts.createProgram(settings.fileNames, settings.options);
const typeErrors = [...settings.errors, ...ts.getPreEmitDiagnostics(program)];
if (typeErrors.length > 0) {
  console.error(ts.formatDiagnosticsWithColorAndContext(typeErrors, formatHost()));
  console.error(`${typeErrors.length} type errors. Nothing was linted.`);
  process.exit(1);
}

const eslint = new ESLint({
  overrideConfig: {
    files: ['**/*.{ts,tsx}'],
    languageOptions: { parserOptions: { projectService: false, programs: [program] } },
  },
});
const results = await eslint.lintFiles(['.']);
const formatter = await eslint.loadFormatter('stylish');
const problems = results.reduce((sum, file) => sum + file.errorCount + file.warningCount, 0);
if (problems > 0) {
  console.error(await formatter.format(results));
  process.exitCode = 1;
} else {
  console.log(`${settings.fileNames.length} files have no type error, ${results.length} are clean`);
}

function readSettings(path: string): ts.ParsedCommandLine {
  const parsed = ts.getParsedCommandLineOfConfigFile(path, undefined, {
    ...ts.sys,
    onUnRecoverableConfigFileDiagnostic: ({ messageText }) => {
      throw new Error(ts.flattenDiagnosticMessageText(messageText, '\n'));
    },
  });
  if (parsed === undefined) throw new Error(`There is no ${path} here`);
  return parsed;
}

function formatHost(): ts.FormatDiagnosticsHost {
  return {
    getCanonicalFileName: (name) => name,
    getCurrentDirectory: () => ts.sys.getCurrentDirectory(),
    getNewLine: () => ts.sys.newLine,
  };
}
