import { OpenAiRequestError } from './errors.js';

/** The body of a response as text, up to a maximum size: an endless response costs a bounded amount of memory. */
export const boundedBody = async (response: Response, maxBytes: number): Promise<string> => {
  const { text, isWhole } = await readUpTo(response, maxBytes);
  if (isWhole) return text;
  const message = `The response is longer than ${maxBytes} bytes and was not read to its end; raise maxAnswerCharacters if such answers are expected`;
  throw new OpenAiRequestError('body-too-large', { message, status: response.status });
};

/** The start of an error body, as long as a message has room for: the status says the rest. */
export const bodyStart = async (response: Response, maxBytes: number): Promise<string> =>
  (await readUpTo(response, maxBytes)).text;

const readUpTo = async (
  response: Response,
  maxBytes: number,
): Promise<{ readonly text: string; readonly isWhole: boolean }> => {
  if (response.body === null) return { text: '', isWhole: true };
  const reader = response.body.getReader() as ReadableStreamDefaultReader<Uint8Array>;
  const decoder = new TextDecoder();
  let text = '';
  let bytes = 0;
  for (;;) {
    const { done, value } = await nextChunk(reader);
    if (done) return { text: text + decoder.decode(), isWhole: true };
    bytes += value.byteLength;
    if (bytes > maxBytes) {
      await reader.cancel().catch(() => undefined);
      return { text, isWhole: false };
    }
    text += decoder.decode(value, { stream: true });
  }
};

const nextChunk = async (
  reader: ReadableStreamDefaultReader<Uint8Array>,
): Promise<ReadableStreamReadResult<Uint8Array>> => {
  try {
    return await reader.read();
  } catch (cause) {
    const message = 'The connection broke in the middle of the response';
    throw new OpenAiRequestError('cut-off', { message, cause });
  }
};
