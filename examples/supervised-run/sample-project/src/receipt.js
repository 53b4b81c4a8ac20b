import { totalOf } from './cart.js';
import { formatAmount } from './money.js';

const line = (label, cents) => label.padEnd(20) + formatAmount(cents).padStart(10);

/** One line for each item, and the total. */
export const receiptOf = (items) => [
  ...items.map(({ name, price, quantity }) => line(`${quantity} x ${name}`, price)),
  line('Total', totalOf(items)),
];
