import * as z from 'zod/mini';

import type { Issue } from '../../errors.js';

/** The agent call that a tool is used in. */
export interface ToolCall {
  readonly goal: string;
  /** The idempotency key of the call: the same after a crash. */
  readonly key: string;
  /** The most tokens that the call should use; null or missing without a limit. */
  readonly maxTokens?: number | null;
  /** Aborted when the call is. */
  readonly signal: AbortSignal;
}

/** A tool for a model: a name, a zod object of parameters, and a function. Best made by {@link openaiTool}. */
export interface OpenAiTool {
  readonly name: string;
  /** Tells the model what the tool is for. */
  readonly description: string;
  readonly parameters: z.core.$ZodObject;
  /** Receives checked arguments. The model sees its result, or its error, as data. */
  readonly run: (parameters: never, call: ToolCall) => unknown;
}

/**
 * Defines a tool; the arguments of `run` are typed by `parameters`.
 *
 * @example
 * const readSource = openaiTool({
 *   name: 'read_source',
 *   description: 'Reads one source file',
 *   parameters: z.object({ path: z.string() }),
 *   run: ({ path }, { signal }) => readFile(join(root, path), { encoding: 'utf8', signal }),
 * });
 */
export const openaiTool = <Parameters extends z.core.$ZodObject>(tool: {
  readonly name: string;
  readonly description: string;
  readonly parameters: Parameters;
  readonly run: (parameters: z.output<Parameters>, call: ToolCall) => unknown;
}): OpenAiTool => {
  return Object.freeze({ ...tool });
};

const TOOL_NAME_PATTERN = /^[A-Za-z0-9_-]{1,64}$/;

export const toolIssues = (tools: readonly OpenAiTool[]): Issue[] => {
  const seen = new Set<string>();
  return tools.flatMap((tool, index) => {
    const path = `tools[${index}]`;
    const issues: Issue[] = [];
    if (!TOOL_NAME_PATTERN.test(tool.name)) {
      const message = 'Expected a name of letters, digits, _ or -, at most 64 characters';
      issues.push({ code: 'invalid-tool', path: `${path}.name`, message });
    }
    if (seen.has(tool.name)) {
      const message = `There is already a tool called '${tool.name}'`;
      issues.push({ code: 'duplicate-tool', path: `${path}.name`, message });
    }
    if (!(tool.parameters instanceof z.core.$ZodObject)) {
      const message = 'Expected a zod object';
      issues.push({ code: 'invalid-tool', path: `${path}.parameters`, message });
    }
    seen.add(tool.name);
    return issues;
  });
};
