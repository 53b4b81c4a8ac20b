// The rules of src that oxlint lacks. It runs them as a plugin with the interface of eslint.
import { relative, sep } from 'node:path';

import { wrongDirection } from './import-directions.js';

interface SyntaxNode {
  readonly type: string;
}

interface CallNode extends SyntaxNode {
  readonly callee: SyntaxNode & { readonly name?: string };
  readonly arguments: readonly SyntaxNode[];
}

/** An import, or an export with a `from`. */
interface ImportNode extends SyntaxNode {
  readonly source?: (SyntaxNode & { readonly value?: unknown }) | null;
}

interface RuleContext {
  readonly cwd: string;
  readonly filename: string;
  report(problem: { readonly node: SyntaxNode; readonly message: string }): void;
}

const importDirections = {
  create(context: RuleContext) {
    const [root, ...path] = relative(context.cwd, context.filename).split(sep);
    if (root !== 'src') return {};
    const check = (node: ImportNode): void => {
      const specifier = node.source?.value;
      if (typeof specifier !== 'string') return;
      const message = wrongDirection(path.join('/'), specifier);
      if (message !== undefined) context.report({ node, message });
    };
    return {
      ImportDeclaration: check,
      ExportNamedDeclaration: check,
      ExportAllDeclaration: check,
      ImportExpression: check,
    };
  },
};

const noDynamicImport = {
  create(context: RuleContext) {
    const message = 'No dynamic imports in src: they hide the dependencies of a file.';
    return { ImportExpression: (node: SyntaxNode): void => context.report({ node, message }) };
  },
};

const noCurrentDate = {
  create(context: RuleContext) {
    const message = 'Time enters src only through src/services/clock.ts.';
    return {
      NewExpression: (node: CallNode): void => {
        if (isDate(node) && node.arguments.length === 0) context.report({ node, message });
      },
      CallExpression: (node: CallNode): void => {
        if (isDate(node)) context.report({ node, message });
      },
    };
  },
};

const isDate = ({ callee }: CallNode): boolean =>
  callee.type === 'Identifier' && callee.name === 'Date';

const plugin = {
  meta: { name: 'planwright' },
  rules: {
    'import-directions': importDirections,
    'no-dynamic-import': noDynamicImport,
    'no-current-date': noCurrentDate,
  },
};

// A plugin is the default export of its file.
export default plugin;
