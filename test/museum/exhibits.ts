import type { Exhibit } from './exhibit.js';
import { agentFramework } from './exhibits/agent-framework.js';
import { autogen } from './exhibits/autogen.js';
import { crewai } from './exhibits/crewai.js';
import { frameworks } from './exhibits/frameworks.js';
import { papers } from './exhibits/papers.js';
import { seed000 } from './exhibits/seed-000.js';
import { seed001 } from './exhibits/seed-001.js';
import { seed002 } from './exhibits/seed-002.js';
import { seed003 } from './exhibits/seed-003.js';
import { seed004 } from './exhibits/seed-004.js';

export interface Room {
  readonly title: string;
  readonly exhibits: readonly Exhibit[];
}

/** All exhibits by origin, in the order of the page. */
export const rooms: readonly Room[] = [
  { title: 'Seed 000: collaboration', exhibits: seed000 },
  { title: 'Seed 001: bounded replanning', exhibits: seed001 },
  { title: 'Seed 002: dynamic orchestration', exhibits: seed002 },
  { title: 'Seed 003: plan and execute', exhibits: seed003 },
  { title: 'Seed 004: supervision', exhibits: seed004 },
  { title: 'AutoGen', exhibits: autogen },
  { title: 'Microsoft Agent Framework', exhibits: agentFramework },
  { title: 'CrewAI', exhibits: crewai },
  { title: 'Papers', exhibits: papers },
  { title: 'Mastra, ADK, LangGraph', exhibits: frameworks },
];

export const exhibits: readonly Exhibit[] = rooms.flatMap((room) => room.exhibits);
