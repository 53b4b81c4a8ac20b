// Writes docs/internals/museum.md from the exhibits in test/museum. A test fails when it is not up to date.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { museumPage } from '../test/museum/page.js';

writeFileSync(join(import.meta.dirname, '../docs/internals/museum.md'), museumPage());
