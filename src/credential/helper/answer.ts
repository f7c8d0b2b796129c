import { HarnessError } from "../../base/errors.ts";
import type { AnswerHead } from "./wire.ts";
import { fieldsOf, parseHead } from "./wire.ts";

const HEAD_BYTES_MAX = 262_144;
const LINE_END = 10;
const BODYLESS: readonly number[] = [204, 205, 304];

/**
 * Reads what the helper answered to one request: the provider's response, as a fetch of our own would have given it.
 *
 * "crashed" where the helper was gone before it told the head of an answer, so that nothing of it was seen.
 * @throws the helper's refusal as a HarnessError; a network error as the runtime would have thrown it, with its code.
 */
export async function readAnswer(ask: () => Promise<Response>): Promise<Response | "crashed"> {
  const asked = await unlessCrashed(ask);
  if (asked === "crashed") return "crashed";
  if (asked.status !== 200 || asked.body === null)
    throw new Error(`the credential helper answered ${asked.status}`);
  const reader = asked.body.getReader();
  const begun = await unlessCrashed(() => readHead(reader));
  if (begun === "crashed") return "crashed";
  const { head, rest } = begun;
  switch (head?.kind) {
    case "answer":
      return responseFrom(head, rest, reader);
    case "refused":
      throw new HarnessError(head.reason, fieldsOf(head));
    case "failed":
      throw Object.assign(new Error(head.message), head.code === undefined ? {} : { code: head.code });
    case undefined:
      await reader.cancel();
      throw new Error("the credential helper answered with something else than a head");
  }
}

async function unlessCrashed<Value>(work: () => Promise<Value | "crashed">): Promise<Value | "crashed"> {
  try {
    return await work();
  } catch {
    return "crashed"; // whoever asked looks at its signal first, then waits for another helper
  }
}

type Reader = ReadableStreamDefaultReader<Uint8Array>;

interface Begun {
  readonly head: AnswerHead | undefined;
  /** The first bytes of the body, where they came along. */
  readonly rest: Uint8Array;
}

async function readHead(reader: Reader): Promise<Begun | "crashed"> {
  let bytes = new Uint8Array();
  while (bytes.length < HEAD_BYTES_MAX) {
    const { done, value } = await reader.read();
    if (done) return "crashed";
    bytes = bytes.length === 0 ? new Uint8Array(value) : new Uint8Array(Buffer.concat([bytes, value]));
    const end = bytes.indexOf(LINE_END);
    if (end < 0) continue;
    const text = new TextDecoder().decode(bytes.subarray(0, end));
    return { head: parseHead(text), rest: bytes.subarray(end + 1) };
  }
  return { head: undefined, rest: bytes };
}

function responseFrom(
  { status, headers }: Extract<AnswerHead, { readonly kind: "answer" }>,
  rest: Uint8Array,
  reader: Reader,
): Response {
  const init = { status, headers: headers.map(([name, value]): [string, string] => [name, value]) };
  if (BODYLESS.includes(status)) {
    void reader.cancel().catch(() => undefined); // there is nothing in it
    return new Response(null, init);
  }
  let first: Uint8Array | undefined = rest.length === 0 ? undefined : rest;
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        if (first !== undefined) {
          controller.enqueue(first);
          first = undefined;
          return;
        }
        const { done, value } = await reader.read();
        if (done) controller.close();
        else controller.enqueue(value);
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 }, // nothing is read ahead of whoever reads the answer
  );
  return new Response(body, init);
}
