import type { ConnectionOptions } from '../../src/services/openai/index.js';
import { UsageError } from './arguments.js';
import { createScript } from './script/script.js';
import { startScriptedServer } from './scripted-server.js';

/** The model of the run: a real one, or the script behind a server of this process. */
export interface Model {
  readonly isScripted: boolean;
  readonly title: string;
  readonly connection: ConnectionOptions & { readonly model: string };
  close(): Promise<void>;
}

export interface ModelChoice {
  readonly isScripted: boolean;
  readonly paceMs: number;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Used when there is a key for the API of OpenAI and no other choice. */
const DEFAULT_MODEL = 'gpt-5-mini';

/** Whether the environment names a model to use. */
export const hasModel = (environment: Environment): boolean =>
  isGiven(environment['OPENAI_API_KEY']) || isGiven(environment['OPENAI_BASE_URL']);

export const openModel = (environment: Environment, choice: ModelChoice): Promise<Model> =>
  choice.isScripted || !hasModel(environment)
    ? scriptedModel(choice.paceMs)
    : Promise.resolve(realModel(environment));

const scriptedModel = async (paceMs: number): Promise<Model> => {
  const server = await startScriptedServer(createScript(paceMs));
  return {
    isScripted: true,
    title: 'scripted model',
    connection: { baseURL: server.baseURL, apiKey: 'none-needed', model: 'scripted' },
    close: () => server.close(),
  };
};

const realModel = (environment: Environment): Model => {
  const { OPENAI_API_KEY: key, OPENAI_BASE_URL: address, OPENAI_MODEL: name } = environment;
  if (isGiven(address) && !isGiven(name)) {
    throw new UsageError('OPENAI_BASE_URL is set: set OPENAI_MODEL to a model of that server');
  }
  const model = isGiven(name) ? name : DEFAULT_MODEL;
  return {
    isScripted: false,
    title: isGiven(address) ? `${model} at ${hostOf(address)}` : model,
    connection: {
      model,
      // Local servers need no key, but the client requires one.
      apiKey: isGiven(key) ? key : 'none-needed',
      ...(isGiven(address) ? { baseURL: address } : {}),
    },
    close: () => Promise.resolve(),
  };
};

const hostOf = (address: string): string => {
  if (!URL.canParse(address))
    throw new UsageError(`Expected a URL in OPENAI_BASE_URL, got '${address}'`);
  return new URL(address).host;
};

const isGiven = (value: string | undefined): value is string =>
  value !== undefined && value.trim() !== '';
