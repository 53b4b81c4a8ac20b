import assert from 'node:assert/strict';
import { test } from 'node:test';

import { formatAmount, parseAmount } from '../src/money.js';

test('reads whole amounts', () => {
  assert.equal(parseAmount('12'), 1200);
});

test('reads 19.99 to the cent', () => {
  assert.equal(parseAmount('19.99'), 1999);
});

test('reads 0.29 to the cent', () => {
  assert.equal(parseAmount('0.29'), 29);
});

test('reads 1.10 to the cent', () => {
  assert.equal(parseAmount('1.10'), 110);
});

test('refuses what is no amount', () => {
  assert.throws(() => parseAmount('a lot'), TypeError);
});

test('writes cents with two digits', () => {
  assert.equal(formatAmount(1205), '12.05');
  assert.equal(formatAmount(-7), '-0.07');
});
