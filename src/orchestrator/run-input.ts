import type { InputSchema } from '../agents/roles.js';
import type { JsonValue } from '../canonical-json.js';
import { canonicalJson } from '../canonical-json.js';
import { deepFrozen } from '../deep-frozen.js';
import type { Issue } from '../errors.js';
import { pathText } from '../errors.js';
import { toFailure } from '../failure.js';
import { checkedByUser } from '../model/check.js';

const LABELS_MAX = 32;
const LABEL_CHARACTERS_MAX = 256;

/** The input of a run as it is stored and handed to calls, or what is wrong with it. */
export const checkedRunInput = (
  schema: InputSchema<unknown, unknown> | undefined,
  given: unknown,
  maxBytes: number,
): { readonly input: JsonValue } | { readonly issues: readonly Issue[] } => {
  try {
    const parsed =
      schema === undefined
        ? ({ success: true, data: given } as const)
        : checkedByUser(schema, given);
    if (!parsed.success) {
      return { issues: parsed.error.issues.map(({ path, message }) => invalid(path, message)) };
    }
    const plain = canonicalJson(parsed.data ?? null, { maxBytes });
    if (plain.ok) return { input: deepFrozen(plain.value) };
    return { issues: [invalid([], plain.message)] };
  } catch (thrown) {
    const { name, message } = toFailure(thrown);
    return { issues: [invalid([], `Checking it threw ${name}: ${message}`)] };
  }
};

const invalid = (path: readonly PropertyKey[], message: string): Issue => ({
  code: 'invalid-input',
  path: pathText(['input', ...path]),
  message,
});

/** Labels are columns of a store and parts of lists, so they are short texts. */
export const labelIssues = (labels: unknown): Issue[] => {
  if (labels === undefined) return [];
  const issue = (path: string, message: string): Issue => ({
    code: 'invalid-labels',
    path,
    message,
  });
  if (typeof labels !== 'object' || labels === null || Array.isArray(labels)) {
    return [issue('labels', "Expected an object of texts, such as { tenant: 'acme' }")];
  }
  const entries = Object.entries(labels);
  const tooMany =
    entries.length > LABELS_MAX
      ? [issue('labels', `Expected at most ${LABELS_MAX} labels, got ${entries.length}`)]
      : [];
  return [
    ...tooMany,
    ...entries
      .slice(0, LABELS_MAX)
      .flatMap(([name, value]: [string, unknown]) =>
        isLabel(name, 1) && isLabel(value, 0)
          ? []
          : [
              issue(
                `labels.${name.slice(0, 80)}`,
                `Expected a name of 1 to ${LABEL_CHARACTERS_MAX} characters, and a text of at most ${LABEL_CHARACTERS_MAX}`,
              ),
            ],
      ),
  ];
};

const isLabel = (text: unknown, least: number): boolean =>
  typeof text === 'string' && text.length >= least && text.length <= LABEL_CHARACTERS_MAX;
