import type { Issue } from '../../errors.js';
import { pathText } from '../../errors.js';

/** A model learns nothing from more issues. */
const ISSUES_MAX = 20;

/** The issues of a zod error. */
export const schemaIssues = (error: {
  readonly issues: readonly { readonly path: readonly PropertyKey[]; readonly message: string }[];
}): Issue[] =>
  error.issues.slice(0, ISSUES_MAX).map(({ path, message }) => ({
    code: 'wrong-shape',
    path: pathText(path),
    message,
  }));

/** One line per issue, for a message. */
export const issueLines = (issues: readonly Issue[]): string =>
  issues
    .map(({ path, message }) => (path === '' ? `- ${message}` : `- ${path}: ${message}`))
    .join('\n');
