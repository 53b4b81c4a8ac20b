import { AzureOpenAI } from 'openai';

import type { ModelOptions } from '../src/services/openai/index.js';
import { openaiPlanner } from '../src/services/openai/index.js';

// OpenAI: the key comes from OPENAI_API_KEY.
const openai: ModelOptions = { model: 'gpt-5-mini', extraParameters: { reasoning_effort: 'low' } };

// Ollama does not combine schemas with tools, so the schema goes into the prompt.
const ollama: ModelOptions = {
  baseURL: 'http://localhost:11434/v1',
  apiKey: 'none',
  model: 'qwen3:14b',
  structuredOutputs: 'json',
};

// llama.cpp: llama-server --jinja, for tools.
const llamaCpp: ModelOptions = {
  baseURL: 'http://localhost:8080/v1',
  apiKey: 'none',
  model: 'any',
  structuredOutputs: 'json',
};

// LM Studio.
const lmStudio: ModelOptions = {
  baseURL: 'http://localhost:1234/v1',
  apiKey: 'none',
  model: 'qwen3-14b',
  structuredOutputs: 'json',
};

// vLLM enforces schemas; with tools, use 'json' here as well.
const vllm: ModelOptions = {
  baseURL: 'http://localhost:8000/v1',
  apiKey: 'none',
  model: 'Qwen/Qwen3-14B',
};

// Azure: your own client; the model is the name of the deployment.
const azure: ModelOptions = {
  client: new AzureOpenAI({
    endpoint: 'https://example.openai.azure.com',
    apiKey: process.env['AZURE_OPENAI_API_KEY'] ?? 'none',
    apiVersion: '2024-10-21',
  }),
  model: 'my-deployment',
};

const servers = { openai, ollama, llamaCpp, lmStudio, vllm, azure };
const planners = Object.values(servers).map((options) => openaiPlanner(options));
console.log(`${planners.length} planners, no request made`); // 6 planners, no request made
