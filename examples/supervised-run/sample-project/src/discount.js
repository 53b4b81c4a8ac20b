/** Customers save 5 % from 50.00 on, and 10 % from 100.00 on. */
export const percentOff = (cents) => {
  if (cents > 50_00) return 5;
  if (cents > 100_00) return 10;
  return 0;
};
