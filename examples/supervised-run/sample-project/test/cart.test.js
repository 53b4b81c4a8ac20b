import assert from 'node:assert/strict';
import { test } from 'node:test';

import { totalOf } from '../src/cart.js';

const items = (price, quantity) => [{ name: 'tea', price, quantity }];

test('adds up all pieces of all items', () => {
  assert.equal(totalOf([...items(2_50, 2), ...items(10_00, 1)]), 15_00);
});

test('takes 5 % off at exactly 50.00', () => {
  assert.equal(totalOf(items(25_00, 2)), 47_50);
});

test('takes 10 % off above 100.00', () => {
  assert.equal(totalOf(items(60_00, 2)), 108_00);
});
