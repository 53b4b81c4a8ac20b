import { OpenAI } from 'openai';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';

import { ConfigurationError } from '../../src/index.js';
import type { ModelOptions, SoftwareTeamOptions } from '../../src/services/openai/index.js';
import {
  openaiAgent,
  openaiSupervisor,
  openaiTool,
  softwareTeam,
} from '../../src/services/openai/index.js';
import { goodVerdict, reviewRequest } from './requests.js';
import { API_KEY, serverSaying } from './servers.js';

/* A mistake in the options is reported immediately, with the name of the option. */

const client = new OpenAI({ apiKey: 'none', baseURL: 'http://127.0.0.1:1/v1' });

const tool = (name: string) =>
  openaiTool({ name, description: 'Does', parameters: z.object({}), run: () => null });

const issuesOf = (make: () => unknown): string[] => {
  try {
    make();
  } catch (error) {
    if (ConfigurationError.isInstance(error)) return error.issues.map(({ path }) => path);
    throw error;
  }
  return [];
};

afterEach(() => {
  vi.unstubAllEnvs();
});

describe('options', () => {
  it.each<[string, Record<string, unknown>]>([
    ['model', { model: '' }],
    ['temperature', { temperature: Number.NaN }],
    ['maxOutputTokens', { maxOutputTokens: 0 }],
    ['maxAnswerCharacters', { maxAnswerCharacters: Infinity }],
    ['maxToolRounds', { maxToolRounds: -1 }],
    ['maxToolRounds', { maxToolRounds: 1_001 }],
    ['maxToolOutputCharacters', { maxToolOutputCharacters: 0.5 }],
    ['structuredOutputs', { structuredOutputs: 'xml' }],
    ['context.maxMessages', { context: { maxMessages: 0 } }],
    ['pricing.outputUsdPerMillionTokens', { pricing: { inputUsdPerMillionTokens: 1 } }],
    ['client', { baseURL: 'http://127.0.0.1:2/v1' }],
    ['client', { apiKey: API_KEY }],
    ['tools[0].name', { tools: [tool('not a name')] }],
    ['tools[1].name', { tools: [tool('same'), tool('same')] }],
    ['tools[0].parameters', { tools: [{ ...tool('list'), parameters: z.array(z.string()) }] }],
  ])('with a wrong %s are refused', (path, wrong) => {
    const options = { client, model: 'm', ...wrong } as ModelOptions;
    expect(issuesOf(() => openaiSupervisor(options))).toEqual([path]);
  });

  it('of an agent need instructions, and may have no other name', () => {
    const about = { name: 'worker', description: 'Works', client, model: 'm' };
    expect(issuesOf(() => openaiAgent(about as never))).toEqual(['instructions']);
    expect(issuesOf(() => openaiAgent({ ...about, instructions: ' ' }))).toEqual(['instructions']);
    expect(() => openaiAgent({ ...about, instruction: 'Work' } as never)).toThrow(
      'There is no option `instruction`. Did you mean `instructions`?',
    );
    expect(() => openaiAgent(undefined as never)).toThrow('Expected options: openaiAgent({');
  });

  it.each([
    ['output', z.date(), 'z.iso.datetime()'],
    ['output.when', z.object({ when: z.date().optional() }), 'z.iso.datetime()'],
    ['output.days[].sum', z.object({ days: z.array(z.object({ sum: z.bigint() })) }), 'z.int()'],
    ['output', z.custom<URL>((value) => value instanceof URL), 'refine()'],
    ['output.none', z.object({ none: z.never() }), 'the type that you expect'],
    ['output', z.map(z.string(), z.string()), 'z.record()'],
    ['output', { type: 'object' } as never, 'Expected a schema of zod'],
  ] as readonly [string, z.ZodType, string][])(
    'of an agent whose %s no model can answer say what to use',
    (path, output, instead) => {
      const make = () =>
        openaiAgent({
          name: 'w',
          description: 'W',
          instructions: 'Work',
          client,
          model: 'm',
          output,
        });
      expect(issuesOf(make)).toEqual([path]);
      expect(make).toThrow(instead);
    },
  );

  it.each([
    z.coerce.date(),
    z.iso.datetime().transform((text) => new Date(text)),
    z.codec(z.iso.datetime(), z.date(), { decode: (text) => new Date(text), encode: String }),
    z.preprocess((value) => new Date(String(value)), z.date()),
    z.strictObject({ tags: z.record(z.string(), z.unknown()) }),
  ] as readonly z.ZodType[])(
    'of an agent may have a schema that makes more of a JSON answer',
    (output) => {
      openaiAgent({
        name: 'w',
        description: 'W',
        instructions: 'Work',
        client,
        model: 'm',
        output,
      });
    },
  );

  it('of an agent are checked with its name as well', () => {
    const about = { description: 'Works', instructions: 'Work', client, model: 'm' };
    expect(issuesOf(() => openaiAgent({ ...about, name: 'not a name' }))).toEqual(['name']);
  });

  it.each<[string, Record<string, unknown>]>([
    ['roles', { roles: ['coder', 'poet'] }],
    ['models.poet', { models: { poet: 'm' } }],
    ['tools.fixer', { roles: ['coder'], tools: { fixer: [] } }],
    ['instructions.nobody', { instructions: { nobody: 'Rest' } }],
  ])('of a team that name an unknown member in %s are refused', (path, wrong) => {
    const options = { client, model: 'm', ...wrong } as SoftwareTeamOptions<'coder'>;
    expect(issuesOf(() => softwareTeam(options))).toEqual([path]);
  });
});

describe('the connection', () => {
  it('is made from a base URL and a key', async () => {
    const { baseURL, requests } = await serverSaying({ json: goodVerdict });
    const supervise = openaiSupervisor({ baseURL, apiKey: API_KEY, model: 'm' });
    expect(await supervise(reviewRequest())).toMatchObject({ score: 85 });
    expect(requests[0]!.headers.authorization).toBe(`Bearer ${API_KEY}`);
  });

  it('is read from the environment, as with the client itself', async () => {
    const { baseURL, requests } = await serverSaying({ json: goodVerdict });
    vi.stubEnv('OPENAI_BASE_URL', baseURL);
    vi.stubEnv('OPENAI_API_KEY', API_KEY);
    expect(await openaiSupervisor({ model: 'm' })(reviewRequest())).toMatchObject({ score: 85 });
    expect(requests).toHaveLength(1);
  });

  it('is refused immediately when there is no key', () => {
    vi.stubEnv('OPENAI_API_KEY', undefined);
    vi.stubEnv('OPENAI_ADMIN_KEY', undefined);
    expect(() => openaiSupervisor({ model: 'm' })).toThrow('OPENAI_API_KEY');
  });
});
