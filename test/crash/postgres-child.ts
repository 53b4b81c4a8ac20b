import { live } from './child.js';
import { openPostgres } from './open-postgres.js';

/* The kill-matrix process on PostgreSQL. */

void live(openPostgres);
