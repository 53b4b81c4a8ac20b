import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import type { FormatConfig } from 'oxfmt';
import { format } from 'oxfmt';

const options = JSON.parse(
  readFileSync(join(import.meta.dirname, '../../.oxfmtrc.json'), 'utf8'),
) as FormatConfig;

/** Applies the project's format to the text of a file that was changed for a page. */
export const inHouseFormat = async (path: string, source: string): Promise<string> => {
  const { code, errors } = await format(path, source, options);
  if (errors.length > 0) throw new Error(errors.map(({ message }) => message).join('\n'));
  return code;
};
