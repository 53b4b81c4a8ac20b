import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import {
  canonicalJson,
  fingerprint,
  jsonByteLength,
  stableStringify,
} from '../src/canonical-json.js';
import type { JsonRefusalCode, JsonValue } from '../src/canonical-json.js';
import { shortestMs } from './cpu-time.js';

const roomy = { maxBytes: 1_048_576 };
const utf8 = new TextEncoder();
const byteLength = (text: string): number => utf8.encode(text).length;

/** Arbitrary JSON with every character in it, but without the one refused name. */
const json = fc
  .jsonValue({ stringUnit: 'binary', maxDepth: 6 })
  .filter((value) => !JSON.stringify(value).includes('"__proto__":')) as fc.Arbitrary<JsonValue>;

/** Texts full of lone surrogates. */
const brokenText = fc
  .array(fc.integer({ min: 0xd7f0, max: 0xe010 }))
  .map((units) => String.fromCharCode(...units));

function accepted(value: unknown): JsonValue {
  const result = canonicalJson(value, roomy);
  if (!result.ok) throw new Error(result.message);
  return result.value;
}

function refusal(value: unknown, limits = roomy): { code: JsonRefusalCode; message: string } {
  const result = canonicalJson(value, limits);
  if (result.ok) throw new Error(`Expected a refusal, got ${JSON.stringify(result.value)}`);
  return { code: result.code, message: result.message };
}

describe('canonicalJson', () => {
  it('returns what JSON would, for any JSON', () => {
    fc.assert(
      fc.property(json, (value) => {
        expect(accepted(value)).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });

  it('writes the same text as JSON, keys in their order', () => {
    fc.assert(
      fc.property(json, (value) => {
        expect(JSON.stringify(accepted(value))).toBe(JSON.stringify(value));
      }),
    );
  });

  it('counts exactly the UTF-8 bytes of the JSON text', () => {
    fc.assert(
      fc.property(json, (value) => {
        const bytes = byteLength(JSON.stringify(value));
        expect(canonicalJson(value, { maxBytes: bytes })).toMatchObject({ ok: true, bytes });
        expect(refusal(value, { maxBytes: bytes - 1 }).code).toBe('output-too-large');
      }),
    );
  });

  it('leaves its own result unchanged', () => {
    fc.assert(
      fc.property(fc.anything({ withDate: true, withNullPrototype: true }), (value) => {
        const once = canonicalJson(value, roomy);
        if (once.ok) expect(canonicalJson(once.value, roomy)).toEqual(once);
      }),
    );
  });

  it('never throws and always has the right size', () => {
    const anything = fc.anything({
      withBigInt: true,
      withBoxedValues: true,
      withDate: true,
      withMap: true,
      withSet: true,
      withNullPrototype: true,
      withSparseArray: true,
      withTypedArray: true,
    });
    fc.assert(
      fc.property(fc.oneof(anything, fc.dictionary(brokenText, brokenText)), (value) => {
        const result = canonicalJson(value, roomy);
        if (result.ok) expect(result.bytes).toBe(byteLength(JSON.stringify(result.value)));
      }),
    );
  });

  it('shares nothing with the value it copied', () => {
    const inner = { list: [1] };
    const copy = accepted({ first: inner, second: inner }) as Record<string, { list: number[] }>;
    inner.list.push(2);
    expect(copy).toEqual({ first: { list: [1] }, second: { list: [1] } });
    expect(copy['first']).not.toBe(copy['second']);
  });

  it('drops undefined members and turns undefined items into null', () => {
    expect(accepted({ kept: 1, dropped: undefined })).toEqual({ kept: 1 });
    expect(Object.keys(accepted({ kept: 1, dropped: undefined }) as object)).toEqual(['kept']);
    expect(accepted([undefined, , 1])).toEqual([null, null, 1]);
  });

  it('writes dates as text and calls toJSON', () => {
    expect(accepted({ at: new Date(0) })).toEqual({ at: '1970-01-01T00:00:00.000Z' });
    expect(accepted({ toJSON: () => [1, { two: 2 }] })).toEqual([1, { two: 2 }]);
    expect(accepted({ key: { toJSON: (key: string) => key } })).toEqual({ key: 'key' });
    expect(accepted([{ toJSON: () => undefined }])).toEqual([null]);
    expect(accepted({ gone: { toJSON: () => undefined } })).toEqual({});
  });

  it('does not call toJSON on the result of toJSON', () => {
    const value = { own: 1, toJSON: () => value };
    expect(refusal(value).message).toBe('$.toJSON is a function, which JSON cannot hold');
  });

  it('copies class instances by their own members and errors by name and message', () => {
    class Point {
      readonly across = 1;
      readonly #secret = 2;
      get sum(): number {
        return this.across + this.#secret;
      }
    }
    expect(accepted(new Point())).toEqual({ across: 1 });
    expect(accepted(Object.assign(new TypeError('no'), { code: 'E1' }))).toEqual({
      name: 'TypeError',
      message: 'no',
      code: 'E1',
    });
    expect(accepted(Object.assign(Object.create(null) as object, { key: 1 }))).toEqual({ key: 1 });
  });

  it('turns -0 into 0', () => {
    expect(Object.is(accepted(-0), 0)).toBe(true);
    expect(canonicalJson([-0], roomy)).toEqual({ ok: true, value: [0], bytes: 3 });
  });

  it('makes lone surrogates well-formed, in texts and in names', () => {
    expect(accepted('a\ud800b')).toBe('a\ufffdb');
    expect(accepted({ '\udc00': '😀' })).toEqual({ '\ufffd': '😀' });
    const clash = { '\ud800': 1, '\ufffd': 2 };
    expect(refusal(clash).message).toContain('has the name of another member');
    expect(refusal({ '\ud800': 1, '\ud801': 2 }).code).toBe('not-serializable');
  });

  it('keeps keys that look like those of an actor or of an event', () => {
    const value = {
      xstate$$type: 1,
      id: 'victim',
      sessionId: 'x',
      send: null,
      ref: null,
      type: 't',
    };
    expect(accepted(value)).toEqual(value);
    expect(accepted({ constructor: 1, prototype: 2, toString: 3 })).toEqual({
      constructor: 1,
      prototype: 2,
      toString: 3,
    });
  });

  it.each<[string, unknown, string]>([
    ['undefined', undefined, '$ is undefined'],
    ['a function', { call: () => 1 }, '$.call is a function'],
    ['a symbol', [Symbol('s')], '$[0] is a symbol'],
    ['a bigint', { deep: [{ count: 1n }] }, '$.deep[0].count is a bigint'],
    ['a Map', { map: new Map() }, '$.map is a Map'],
    ['a Set', { set: new Set() }, '$.set is a Set'],
    ['a Promise', { later: Promise.resolve(1) }, '$.later is a Promise'],
    ['a RegExp', { pattern: /x/ }, '$.pattern is a RegExp'],
    ['a boxed number', { boxed: Object(1) as unknown }, '$.boxed is a Number'],
    ['binary data', { data: Buffer.alloc(50_000_000) }, '$.data is binary data'],
    ['NaN', { score: Number.NaN }, '$.score is NaN'],
    ['Infinity', { score: 1e309 }, '$.score is Infinity'],
    ['minus Infinity', -Infinity, '$ is -Infinity'],
    ['a __proto__ of its own', JSON.parse('{"a":{"__proto__":{}}}'), '$.a.__proto__ would replace'],
  ])('refuses %s with its path', (_name, value, message) => {
    const refused = refusal(value);
    expect(refused.code).toBe('not-serializable');
    expect(refused.message).toContain(message);
  });

  it('refuses a value that throws when it is read, with the error', () => {
    const getter = {
      get price(): number {
        throw new Error('boom');
      },
    };
    expect(refusal({ item: getter }).message).toBe('$.item.price threw while it was read: boom');
    const toJSON = (): never => {
      throw new TypeError('no JSON');
    };
    expect(refusal([1, { toJSON }]).message).toBe('$[1] threw while it was read: no JSON');
    const { proxy, revoke } = Proxy.revocable({}, {});
    revoke();
    expect(refusal({ proxy }).code).toBe('not-serializable');
    const ownKeys = (): never => {
      // eslint-disable-next-line @typescript-eslint/only-throw-error -- agents throw anything
      throw proxy;
    };
    expect(refusal(new Proxy({}, { ownKeys })).code).toBe('not-serializable');
  });

  it('refuses a cycle with its path', () => {
    const parent: { children: unknown[] } = { children: [] };
    parent.children.push({ parent });
    expect(refusal(parent)).toEqual({
      code: 'not-serializable',
      message: '$.children[0].parent leads back to an object that contains it',
    });
  });

  it('refuses a value nested deeper than the limit, however deep', () => {
    const nest = (levels: number): unknown => {
      let value: unknown = 'core';
      for (let level = 0; level < levels; level += 1) value = level % 2 ? [value] : { value };
      return value;
    };
    expect(canonicalJson(nest(200), roomy).ok).toBe(true);
    expect(refusal(nest(201)).code).toBe('too-deep');
    expect(refusal(nest(20_000)).code).toBe('too-deep');
    expect(refusal(nest(20_000), { ...roomy, maxDepth: Infinity } as never).code).toBe('too-deep');
    expect(refusal([], { ...roomy, maxDepth: 0 } as never).code).toBe('too-deep');
    expect(refusal([], { ...roomy, maxDepth: NaN } as never).code).toBe('too-deep');
    const endless = { toJSON: () => ({ again: endless }) };
    expect(refusal(endless).code).toBe('too-deep');
  });

  it('refuses a value that is too large before reading all of it', async () => {
    let shared: unknown = [];
    for (let level = 0; level < 30; level += 1) shared = { left: shared, right: shared };
    const large: unknown[] = [
      'x'.repeat(50_000_000),
      Array.from({ length: 1_000_000 }, (_item, index) => index),
      new Array(4_000_000_000),
      shared,
      { ['k'.repeat(5_000_000)]: 1 },
      new Proxy([], { get: (_target, key) => (key === 'length' ? 1e15 : undefined) }),
    ];
    const largest = Array.from({ length: roomy.maxBytes / 4 - 1 }, () => [1]);
    const largestMs = await shortestMs(5, () => accepted(largest));
    for (const value of large) {
      const takenMs = await shortestMs(5, () => {
        expect(refusal(value).code).toBe('output-too-large');
      });
      expect(takenMs).toBeLessThan(largestMs);
    }
  });

  it('holds the limit for an array that grows while it is read', () => {
    const growing: unknown[] = [];
    const grow = {
      toJSON: () => {
        growing.push(grow);
        return 1;
      },
    };
    growing.push(grow, grow);
    expect(accepted(growing)).toEqual([1, 1]);
  });

  it('refuses everything when the limit is not a number', () => {
    expect(refusal('x', { maxBytes: Number.NaN }).code).toBe('output-too-large');
    expect(refusal(null, { maxBytes: 0 }).code).toBe('output-too-large');
    expect(refusal(null, { maxBytes: -1 }).code).toBe('output-too-large');
  });

  it('keeps its message short, however long the path', () => {
    const deep = { ['k'.repeat(100_000)]: { ['\ud800'.repeat(1_000)]: Number.NaN } };
    const { message } = refusal(deep);
    expect(message.length).toBeLessThan(300);
    expect(message).not.toMatch(/\p{Surrogate}/u);
  });
});

describe('jsonByteLength', () => {
  it('is the length of the UTF-8 text', () => {
    fc.assert(
      fc.property(json, (value) => {
        expect(jsonByteLength(value)).toBe(byteLength(JSON.stringify(value)));
      }),
    );
  });

  it('is exact for every kind of character', () => {
    for (let unit = 0; unit < 0xd800; unit += 1) {
      const text = String.fromCharCode(unit);
      if (jsonByteLength(text) !== byteLength(JSON.stringify(text))) expect.fail(`unit ${unit}`);
    }
    expect(jsonByteLength('\u2028\uffff😀')).toBe(12);
  });

  it('is infinite for values without a JSON form', () => {
    expect(jsonByteLength(Number.NaN)).toBe(Infinity);
  });
});

describe('stableStringify', () => {
  it('is JSON of an equal value', () => {
    fc.assert(
      fc.property(json, (value) => {
        expect(JSON.parse(stableStringify(value))).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });

  it('does not depend on the order of keys', () => {
    expect(stableStringify({ b: [1, { d: 1, c: 2 }], a: null })).toBe(
      '{"a":null,"b":[1,{"c":2,"d":1}]}',
    );
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.integer()), (record) => {
        const reversed = Object.fromEntries(Object.entries(record).reverse());
        expect(stableStringify(reversed)).toBe(stableStringify(record));
      }),
    );
  });

  it('omits undefined members', () => {
    expect(stableStringify({ a: undefined, b: 1 } as never)).toBe('{"b":1}');
  });
});

describe('fingerprint', () => {
  it('never changes: stored ones stay comparable', () => {
    expect(fingerprint('')).toBe('488bdcb81aee8d83');
    expect(fingerprint('planwright')).toBe('d32db1f160af385d');
    expect(fingerprint('😀')).toBe('8fd0ca036ef9b4ae');
  });

  it('differs for 200,000 similar texts', () => {
    const seen = new Set<string>();
    for (let index = 0; index < 200_000; index += 1) seen.add(fingerprint(`step-${index}`));
    expect(seen.size).toBe(200_000);
  });
});
