// Writes the folders of src and their allowed imports into docs/architecture.md. A test fails when the table is not up to date.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { withArrowsTable } from '../lint/arrows-table.js';

const path = join(import.meta.dirname, '../docs/architecture.md');
writeFileSync(path, withArrowsTable(readFileSync(path, 'utf8')));
