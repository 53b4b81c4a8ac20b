import type { Issue } from '../../errors.js';
import { pathText } from '../../errors.js';

/** Beyond this many a model learns nothing new. */
const ISSUES_MAX = 20;

/** What a zod schema has to say, as issues. */
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
