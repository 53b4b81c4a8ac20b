import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import ts from 'typescript';

/** A regular expression in the source: `file pattern`, and the pattern itself where it is a literal. */
export interface SourcePattern {
  readonly name: string;
  readonly pattern: RegExp | null;
}

const SOURCE = 'src';

/** Every regular expression literal and every `RegExp(...)` under `src`. */
export const sourcePatterns = (): readonly SourcePattern[] =>
  readdirSync(SOURCE, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') || file.endsWith('.tsx'))
    .toSorted()
    .flatMap((file) => patternsIn(join(SOURCE, file)));

const patternsIn = (file: string): SourcePattern[] => {
  const source = ts.createSourceFile(
    file,
    readFileSync(file, 'utf8'),
    ts.ScriptTarget.Latest,
    true,
  );
  const found: SourcePattern[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isRegularExpressionLiteral(node)) found.push(literalOf(file, node.text));
    if (isConstruction(node)) found.push({ name: `${file} ${node.getText()}`, pattern: null });
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
};

const literalOf = (file: string, text: string): SourcePattern => {
  const end = text.lastIndexOf('/');
  return {
    name: `${file} ${text}`,
    pattern: new RegExp(text.slice(1, end), text.slice(end + 1)),
  };
};

const isConstruction = (node: ts.Node): boolean =>
  (ts.isNewExpression(node) || ts.isCallExpression(node)) && node.expression.getText() === 'RegExp';
