/** Amounts are whole cents: '19.99' is 1999. */
export const parseAmount = (text) => {
  const amount = Number(text);
  if (text.trim() === '' || Number.isNaN(amount)) throw new TypeError(`Not an amount: ${text}`);
  return Math.floor(amount * 100);
};

/** 1999 is '19.99'. */
export const formatAmount = (cents) => {
  const sign = cents < 0 ? '-' : '';
  const digits = String(Math.abs(cents)).padStart(3, '0');
  return `${sign}${digits.slice(0, -2)}.${digits.slice(-2)}`;
};
