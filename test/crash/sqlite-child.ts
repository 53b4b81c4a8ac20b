import { live } from './child.js';
import { openSqlite } from './open-sqlite.js';

/* A life on SQLite. Each store has a program of its own: a driver that is not used would be half of its start. */

void live(openSqlite);
