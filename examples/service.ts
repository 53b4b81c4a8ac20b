// Starts runs, streams their facts as server-sent events and accepts commands. Add your own authentication.
import { once } from 'node:events';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { createServer } from 'node:http';

import { z } from 'zod';

import type { CommandResult, Orchestrator, Run } from '../src/index.js';
import {
  ConfigurationError,
  RunConflictError,
  RunNotFoundError,
  StoreUnavailableError,
} from '../src/index.js';
import { sqliteStore } from '../src/services/stores/sqlite/index.js';
import { createPublishing } from './publishing.js';

const BODY_BYTES_MAX = 1_000_000;

const json = z.string().transform((text, context): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    context.addIssue('Expected JSON');
    return z.NEVER;
  }
});

const startSchema = json.pipe(z.object({ goal: z.string(), runId: z.string().optional() }));

const commandSchema = json.pipe(
  z.discriminatedUnion('type', [
    z.object({ type: z.literal('approve'), requestId: z.string(), answer: z.string().optional() }),
    z.object({ type: z.literal('reject'), requestId: z.string(), reason: z.string().optional() }),
    z.object({ type: z.literal('say'), text: z.string() }),
    z.object({ type: z.literal(['pause', 'unpause']) }),
    z.object({ type: z.literal('abort'), reason: z.string().optional() }),
  ]),
);

const perform = (run: Run, command: z.infer<typeof commandSchema>): Promise<CommandResult> => {
  switch (command.type) {
    case 'approve':
      return run.approve(command.requestId, command.answer);
    case 'reject':
      return run.reject(command.requestId, command.reason);
    case 'say':
      return run.say(command.text);
    case 'pause':
    case 'unpause':
      return run[command.type]();
    case 'abort':
      return run.abort(command.reason);
  }
};

const textOf = async (request: IncomingMessage): Promise<string> => {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    // A body beyond the limit is dropped, and refused below because '' is not JSON.
    if (bytes <= BODY_BYTES_MAX) chunks.push(chunk);
  }
  return bytes > BODY_BYTES_MAX ? '' : Buffer.concat(chunks).toString('utf8');
};

interface Answer {
  readonly status: number;
  readonly body: unknown;
}

/** Every fact from the first one on; a client that reconnects sends the last one it has as `Last-Event-ID`. */
const stream = async (run: Run, lastSeen: number, response: ServerResponse): Promise<void> => {
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
  for await (const fact of run.facts()) {
    if (response.destroyed) return;
    if (fact.sequence <= lastSeen) continue;
    const hasRoom = response.write(`id: ${fact.sequence}\ndata: ${JSON.stringify(fact)}\n\n`);
    if (!hasRoom) await Promise.race([once(response, 'drain'), once(response, 'close')]);
  }
  response.end();
};

const NOT_FOUND: Answer = { status: 404, body: {} };

/** Undefined when the answer was streamed. */
const handle = async (
  orchestrator: Orchestrator,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<Answer | undefined> => {
  const [, runs, runId = '', part = ''] = (request.url ?? '').split('/');
  const route = `${request.method ?? ''} ${part}`;
  if (runs !== 'runs') return NOT_FOUND;
  if (runId === '' && route === 'POST ') {
    const { goal, runId: id } = startSchema.parse(await textOf(request));
    const run = orchestrator.start(id === undefined ? { goal } : { goal, runId: id });
    // Rejects when the run id is in use or the store cannot be reached.
    await run.started;
    return { status: 201, body: { runId: run.runId } };
  }
  // The live run of this process, or the stored run, which continues after a restart.
  const run = await orchestrator.resume(runId);
  if (route === 'GET ') return { status: 200, body: run.record() };
  if (route === 'GET report') return { status: 200, body: await run.done };
  if (route === 'GET facts') {
    await stream(run, Number(request.headers['last-event-id'] ?? 0), response);
    return undefined;
  }
  if (route !== 'POST commands') return NOT_FOUND;
  const result = await perform(run, commandSchema.parse(await textOf(request)));
  return { status: result.accepted ? 200 : 409, body: result };
};

/** A client gets the issues of its own request, and no details of errors inside the service. */
const refusal = (error: unknown): Answer => {
  if (RunNotFoundError.isInstance(error)) return NOT_FOUND;
  if (RunConflictError.isInstance(error)) return { status: 409, body: { code: error.code } };
  if (StoreUnavailableError.isInstance(error)) return { status: 503, body: { code: error.code } };
  if (error instanceof z.ZodError || ConfigurationError.isInstance(error)) {
    return { status: 400, body: { issues: error.issues } };
  }
  return { status: 500, body: {} };
};

export const createService = (orchestrator: Orchestrator): Server =>
  createServer((request, response) => {
    const send = ({ status, body }: Answer): void => {
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    };
    handle(orchestrator, request, response)
      .then((answer) => answer && send(answer))
      .catch((error: unknown) => {
        if (response.headersSent) response.destroy();
        else send(refusal(error));
      });
  });

if (process.argv[1] === import.meta.filename) {
  // A store on disk: interrupted runs continue after a restart.
  const store = sqliteStore({ path: process.env['RUNS_FILE'] ?? 'runs.db' });
  const publishing = createPublishing(store);
  await publishing.recover();
  const port = Number(process.env['PORT'] ?? 8080);
  createService(publishing).listen(port, () => {
    console.log(`Listening on port ${port}`);
  });
}
