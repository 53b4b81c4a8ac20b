import { live } from './child.js';
import { openPostgres } from './open-postgres.js';

/* A life on PostgreSQL. */

void live(openPostgres);
