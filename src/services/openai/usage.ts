import type { Usage } from '../../model/usage.js';

/** What a model costs. With it, usage carries `costUsd`, which `limits.maxCostUsd` counts. */
export interface Pricing {
  readonly inputUsdPerMillionTokens: number;
  readonly outputUsdPerMillionTokens: number;
}

export interface Tokens {
  readonly input: number;
  readonly output: number;
}

export const NO_TOKENS: Tokens = { input: 0, output: 0 };

export const sumOf = (left: Tokens, right: Tokens): Tokens => ({
  input: left.input + right.input,
  output: left.output + right.output,
});

/** Tokens of all rounds of one call as the orchestrator counts them. */
export const usageOf = ({ input, output }: Tokens, pricing: Pricing | undefined): Usage => {
  const tokens = { inputTokens: input, outputTokens: output };
  if (pricing === undefined) return tokens;
  const { inputUsdPerMillionTokens, outputUsdPerMillionTokens } = pricing;
  const microUsd = input * inputUsdPerMillionTokens + output * outputUsdPerMillionTokens;
  return { ...tokens, costUsd: microUsd / 1_000_000 };
};
