/* A server that quotes a request may encode it: every encoding is searched. */

/** A shorter piece of base64 or hexadecimal cannot be distinguished from other text. */
const ENCODED_CHARACTERS_MIN = 8;

/** The texts in which a secret may appear: itself, escaped for a URL, for JSON and for HTML, in base64, in hexadecimal. */
export const formsOf = (secret: string): readonly string[] => {
  const trimmed = secret.trim();
  const plain = [secret, trimmed, inUrl(trimmed), inJson(trimmed), inHtml(trimmed)];
  const bytes = new TextEncoder().encode(trimmed);
  const encoded =
    bytes.length < ENCODED_CHARACTERS_MIN
      ? [base64Of(bytes)]
      : [...[0, 1, 2].map((offset) => base64Within(bytes, offset)), hexadecimalOf(bytes)];
  const forms = [...plain, ...encoded, ...encoded.map(urlSafe)];
  return [...new Set(forms)].filter((form) => form !== '');
};

const inUrl = (text: string): string => {
  try {
    return encodeURIComponent(text);
  } catch {
    // Half a surrogate pair cannot be sent in a URL either.
    return text;
  }
};

const inJson = (text: string): string => JSON.stringify(text).slice(1, -1);

const inHtml = (text: string): string =>
  text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');

const base64Of = (bytes: Uint8Array): string =>
  btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join('')).replaceAll('=', '');

/**
 * The characters that encode these bytes inside the base64 of a longer text, with `offset` bytes before them, modulo
 * three: `user:key` in base64 does not contain the base64 of `key`.
 */
const base64Within = (bytes: Uint8Array, offset: number): string => {
  const padded = base64Of(new Uint8Array([...new Uint8Array(offset), ...bytes]));
  const first = Math.ceil((offset * 8) / 6);
  const end = Math.floor(((offset + bytes.length) * 8) / 6);
  return padded.slice(first, end);
};

const urlSafe = (text: string): string => text.replaceAll('+', '-').replaceAll('/', '_');

const hexadecimalOf = (bytes: Uint8Array): string =>
  Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
