import { parseMessage } from "../../../base/json.ts";
import { decode } from "../../../base/text/text.ts";

/** Limit for the head of one message. */
const HEAD_BYTES_MAX = 4_096;
export const LSP_MESSAGE_BYTES_MAX = 16 * 1_048_576;
const HEAD_END = Buffer.from("\r\n\r\n");

/**
 * Yields the messages in a language server's output: a head with Content-Length, and that many bytes of JSON.
 * @throws Error with the reason if the output is invalid; nothing after it can be parsed.
 */
export async function* parseFrames(stream: AsyncIterable<Uint8Array>): AsyncGenerator<unknown> {
  let chunks: Uint8Array[] = [];
  let have = 0;
  let wanted = 0; // bytes of the message and its head; 0 while the head is incomplete
  let headBytes = 0;
  for await (const chunk of stream) {
    chunks.push(chunk);
    have += chunk.length;
    if (wanted > have) continue;
    let bytes: Buffer = Buffer.concat(chunks);
    while (true) {
      if (wanted === 0) {
        const end = bytes.subarray(0, HEAD_BYTES_MAX).indexOf(HEAD_END);
        if (end === -1) {
          if (bytes.length >= HEAD_BYTES_MAX) throw new Error("its output is not a protocol message");
          break;
        }
        headBytes = end + HEAD_END.length;
        wanted = headBytes + lengthIn(decode(bytes.subarray(0, end)));
      }
      if (bytes.length < wanted) break;
      yield bodyOf(bytes.subarray(headBytes, wanted));
      bytes = bytes.subarray(wanted);
      wanted = 0;
    }
    chunks = bytes.length === 0 ? [] : [Uint8Array.from(bytes)];
    have = bytes.length;
  }
  if (have > 0) throw new Error("its last message broke off");
}

/** Renders a message with its head. */
export function frameMessage(message: unknown): Uint8Array {
  const body = Buffer.from(JSON.stringify(message));
  return Buffer.concat([Buffer.from(`Content-Length: ${body.length}\r\n\r\n`), body]);
}

function lengthIn(head: string): number {
  const [, digits] = /^content-length:[ \t]*(\d{1,9})[ \t]*$/im.exec(head.replaceAll("\r", "")) ?? [];
  if (digits === undefined) throw new Error("its output is not a protocol message");
  const length = Number(digits);
  if (length > LSP_MESSAGE_BYTES_MAX) throw new Error(`a message of ${length} bytes is too large`);
  return length;
}

function bodyOf(bytes: Uint8Array): unknown {
  const parsed = parseMessage(decode(bytes));
  if (parsed === undefined) throw new Error("it wrote a message that is not JSON");
  return parsed.value;
}
