const maxShownCharacters = 80;

/** A wrong value for an error message, with its type: `NaN` (number). Runs no code of the value. */
export function describeValue(value: unknown): string {
  switch (typeof value) {
    case 'string':
      return `\`${shorten(`'${value}'`)}\` (string)`;
    case 'number':
    case 'bigint':
    case 'boolean':
    case 'symbol':
      return `\`${shorten(String(value))}\` (${typeof value})`;
    case 'undefined':
      return 'undefined';
    case 'function':
      return 'a function';
    case 'object':
      return describeObject(value);
  }
}

function describeObject(value: object | null): string {
  if (value === null) {
    return 'null';
  }
  return Array.isArray(value) ? 'an array' : 'an object';
}

function shorten(text: string): string {
  return text.length > maxShownCharacters ? `${text.slice(0, maxShownCharacters)}…` : text;
}
