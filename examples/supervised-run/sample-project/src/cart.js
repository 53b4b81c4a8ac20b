import { percentOff } from './discount.js';

/** What the items cost together, discount included. */
export const totalOf = (items) => {
  const subtotal = items.reduce((sum, { price, quantity }) => sum + price * quantity, 0);
  return subtotal - Math.round((subtotal * percentOff(subtotal)) / 100);
};
