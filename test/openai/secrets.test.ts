import { describe, expect, it } from 'vitest';

import { Secrets } from '../../src/services/openai/secrets.js';

const secretsOf = (...given: readonly string[]): Secrets => {
  const secrets = new Secrets();
  secrets.add(given);
  return secrets;
};

describe('secrets', () => {
  it('are removed from a message whatever their length, also in the middle of a word', () => {
    expect(secretsOf('sk').inMessage('ask for sk')).toBe('a[redacted] for [redacted]');
    expect(secretsOf('sk-0123456789').inMessage('xsk-0123456789x')).toBe('x[redacted]x');
  });

  it('are removed from an answer, a short one only as a whole word', () => {
    const answer = { text: 'ask for sk, "sk" or key=sk;', list: ['sk', 'task', 7, null] };
    expect(secretsOf('sk').inAnswer(answer)).toEqual({
      text: 'ask for [redacted], "[redacted]" or key=[redacted];',
      list: ['[redacted]', 'task', 7, null],
    });
    expect(secretsOf('sk-0123456789').inAnswer('xsk-0123456789x')).toBe('x[redacted]x');
  });

  it('do not remove the field names by which an answer is read, unless they cannot be words', () => {
    const answer = { kind: 'x', 'sk-0123456789': 'x' };
    const cleaned = secretsOf('kind', 'sk-0123456789').inAnswer(answer);
    expect(cleaned).toEqual({ kind: 'x', '[redacted]': 'x' });
  });

  it.each(['none', 'EMPTY', 'ollama', 'lm-studio', 'sk-no-key-required'])(
    'are not the placeholders that servers without keys are given: %s',
    (placeholder) => {
      const text = `There is ${placeholder} left`;
      expect(secretsOf(placeholder).inMessage(text)).toBe(text);
      expect(secretsOf(placeholder).inAnswer(text)).toBe(text);
    },
  );

  it('do not reveal each other: the replacement of one is not searched for another', () => {
    expect(secretsOf('sk-0123456789', 'a', 'red').inMessage('sk-0123456789')).toBe('[redacted]');
  });

  it('are remembered up to a bound, the latest first', () => {
    const secrets = secretsOf(...Array.from({ length: 1_000 }, (_, index) => `token-${index}-x`));
    expect(secrets.inMessage('token-999-x')).toBe('[redacted]');
    expect(secrets.inMessage('token-0-x')).toBe('token-0-x');
  });
});
