import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import * as mini from 'zod/mini';

import { checked, checkedByUser } from '../../src/model/check.js';
import { runProcess } from '../faults/time-own-process.js';

const messagesOf = ({ error }: ReturnType<typeof checked>): readonly string[] =>
  (error?.issues ?? []).map(({ message }) => message);

describe('messages about values that do not match a schema', () => {
  it('exist in a program without zod’s messages, and no setting of zod is changed', async () => {
    const [told] = await runProcess(new URL('./mini-user.ts', import.meta.url));
    expect(told).toEqual({
      output:
        'files[0]: Too small: expected string to have >=2 characters; files[1]: Invalid input: expected string, received number; url: Invalid string: expected url',
      command: {
        accepted: false,
        reason: 'invalid-command: extraMs: Too small: expected number to be >=1',
      },
      plan: [
        'steps[0].id: Invalid input: expected string, received number',
        'steps[0].complexity: Invalid option: expected one of "simple"|"medium"|"complex"',
        'steps[0].votes.count: Too small: expected number to be >=2',
        'steps[0].votes.choose: Invalid option: expected one of "majority"|"bestConfidence"',
      ],
      settings: [],
    });
  });

  it.each([
    [mini.string(), null, 'Invalid input: expected string, received null'],
    [mini.number(), NaN, 'Invalid input: expected number, received NaN'],
    [mini.object({}), [], 'Invalid input: expected object, received array'],
    [mini.literal('a'), 'b', 'Invalid option: expected "a"'],
    [
      mini.array(mini.string()).check(mini.maxLength(1)),
      ['a', 'b'],
      'Too big: expected array to have <=1 items',
    ],
    [
      mini.string().check(mini.length(2)),
      'a',
      'Too small: expected string to have exactly 2 characters',
    ],
    [mini.number().check(mini.gt(1)), 1, 'Too small: expected number to be >1'],
    [mini.number().check(mini.multipleOf(2)), 1, 'Invalid number: expected a multiple of 2'],
    [mini.strictObject({}), { a: 1, b: 2 }, 'Unrecognized keys: "a", "b"'],
    [
      mini.discriminatedUnion('type', [
        mini.object({ type: mini.literal('a') }),
        mini.object({ type: mini.literal('b') }),
      ]),
      { type: 'c' },
      'Invalid option: expected one of "a"|"b"',
    ],
    [mini.union([mini.string(), mini.number()]), true, 'Invalid input: no option matches'],
    [
      mini.map(mini.string(), mini.string()),
      new Map([[1, 'a']]),
      'Invalid input: expected string, received number',
    ],
    [mini.string().check(mini.refine(() => false)), 'a', 'Invalid input'],
    [mini.string().check(mini.refine(() => false, 'Odd')), 'a', 'Odd'],
  ] as const)('say what was expected: %#', (schema, value, message) => {
    expect(messagesOf(checked(schema, value))).toEqual([message]);
  });

  it('are those of zod for a schema of the user, where zod has any', () => {
    expect(messagesOf(checkedByUser(z.email(), 'nowhere'))).toEqual(['Invalid email address']);
  });
});
