import { live } from './child.js';
import { openSqlite } from './open-sqlite.js';

/*
 * The kill-matrix process on SQLite. Each store has its own program: an unused driver would be half of its start
 * time.
 */

void live(openSqlite);
