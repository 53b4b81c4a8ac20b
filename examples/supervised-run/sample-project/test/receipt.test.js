import assert from 'node:assert/strict';
import { test } from 'node:test';

import { receiptOf } from '../src/receipt.js';

const items = [
  { name: 'green tea', price: 4_25, quantity: 2 },
  { name: 'pot', price: 150_00, quantity: 1 },
];

test('has a line for each item, and the total', () => {
  assert.equal(receiptOf(items).length, 3);
});

test('shows what all pieces of an item cost', () => {
  assert.match(receiptOf(items)[0], /^2 x green tea +8\.50$/);
});

test('ends with the discounted total', () => {
  assert.match(receiptOf(items)[2], /^Total +142\.65$/);
});
