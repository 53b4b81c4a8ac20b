// Starts runs, streams their facts as server-sent events and accepts commands. Any process on the store serves any run.
import { once } from 'node:events';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { createServer } from 'node:http';

import { z } from 'zod';

import type { CommandResult, Orchestrator, Run } from '../src/index.js';
import {
  ConfigurationError,
  OrchestratorClosedError,
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

/** Who sends a request: its runs have this tenant as a label, and it sees only those. Undefined refuses the request. */
export type Authorize = (request: IncomingMessage) => { readonly tenant: string } | undefined;

/** A client that comes back sends the last fact it has as `Last-Event-ID`, to this or another process. */
const stream = async (run: Run, after: number, response: ServerResponse): Promise<void> => {
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
  // The client learns at once that it is connected; the first fact may take a while.
  response.write(': connected\n\n');
  const facts = run.facts({ after })[Symbol.asyncIterator]();
  response.once('close', () => void facts.return?.());
  for (let next = await facts.next(); next.done !== true; next = await facts.next()) {
    const { sequence } = next.value;
    const hasRoom = response.write(`id: ${sequence}\ndata: ${JSON.stringify(next.value)}\n\n`);
    if (!hasRoom) await Promise.race([once(response, 'drain'), once(response, 'close')]);
  }
  response.end();
};

const NOT_FOUND: Answer = { status: 404, body: {} };

const startRun = async (
  orchestrator: Orchestrator,
  tenant: string,
  text: string,
): Promise<Answer> => {
  const { goal, runId } = startSchema.parse(text);
  const labels = { tenant };
  const run = orchestrator.start(runId === undefined ? { goal, labels } : { goal, labels, runId });
  // Rejects when the run id is in use or the store cannot be reached.
  await run.started;
  return { status: 201, body: { runId: run.runId } };
};

/** Undefined when the answer was streamed. */
const handle = async (
  orchestrator: Orchestrator,
  authorize: Authorize,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<Answer | undefined> => {
  const caller = authorize(request);
  if (caller === undefined) return { status: 401, body: {} };
  const [, runs, runId = '', part = ''] = (request.url ?? '').split('/');
  const route = `${request.method ?? ''} ${part}`;
  if (runs !== 'runs') return NOT_FOUND;
  if (runId === '' && route === 'POST ')
    return startRun(orchestrator, caller.tenant, await textOf(request));
  if (runId === '' && route === 'GET ') {
    return { status: 200, body: await orchestrator.runs({ labels: { tenant: caller.tenant } }) };
  }
  // The live run of this process, or a connection through the store to a run of any process, or of none.
  const run = await orchestrator.connect(runId);
  const record = run.record();
  if (record.labels['tenant'] !== caller.tenant) return NOT_FOUND;
  if (route === 'GET ') return { status: 200, body: record };
  if (route === 'GET report') {
    const report = await run.done;
    // This process let go of the run, which goes on elsewhere: the client asks again.
    return report.isFinal ? { status: 200, body: report } : { status: 503, body: {} };
  }
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
  if (StoreUnavailableError.isInstance(error) || OrchestratorClosedError.isInstance(error)) {
    return { status: 503, body: { code: error.code } };
  }
  if (error instanceof z.ZodError || ConfigurationError.isInstance(error)) {
    return { status: 400, body: { issues: error.issues } };
  }
  return { status: 500, body: {} };
};

export const createService = (orchestrator: Orchestrator, authorize: Authorize): Server =>
  createServer((request, response) => {
    const send = ({ status, body }: Answer): void => {
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    };
    handle(orchestrator, authorize, request, response)
      .then((answer) => answer && send(answer))
      .catch((error: unknown) => {
        if (response.headersSent) response.destroy();
        else send(refusal(error));
      });
  });

/** For the example. Yours asks whatever issued the token. */
const byToken: Authorize = ({ headers }) => {
  const [, tenant] = /^Bearer secret-of-(\w+)$/.exec(headers.authorization ?? '') ?? [];
  return tenant === undefined ? undefined : { tenant };
};

if (process.argv[1] === import.meta.filename) {
  const store = sqliteStore({ path: process.env['RUNS_FILE'] ?? 'runs.db' });
  const leaseMs = Number(process.env['LEASE_MS'] ?? 10_000);
  const publishing = createPublishing(store, { leaseMs });
  // Again and again: the runs of a process that was killed are free when its lease has ended.
  publishing.recoverEvery(leaseMs / 2);
  const server = createService(publishing, byToken);
  server.listen(Number(process.env['PORT'] ?? 8080), () => {
    const address = server.address();
    console.log(`Listening on port ${typeof address === 'object' ? address?.port : address}`);
  });
  process.once('SIGTERM', () => {
    server.close();
    // Calls in flight get five seconds; then every run is free for the next process.
    void publishing.close({ graceMs: 5_000 }).then(async () => {
      server.closeAllConnections();
      await store.close?.();
    });
  });
}
