import { defined } from "../../base/defined.ts";
import { HarnessError } from "../../base/errors.ts";
import type { Frame } from "./frames.ts";
import { readFrames } from "./frames.ts";
import type { AnswerHead } from "./helper-messages.ts";
import { fieldsOf, parseHead } from "./helper-messages.ts";

const BODYLESS: readonly number[] = [204, 205, 304];

/**
 * Reads the helper's answer to one request: the provider's response, as a direct fetch would return it.
 *
 * Returns "crashed" if the helper ended before the head of an answer, so that nothing of it was seen.
 * @throws the helper's refusal as a HarnessError; a network error as the runtime would throw it, with its code.
 */
export async function readHelperAnswer(ask: () => Promise<Response>): Promise<Response | "crashed"> {
  const asked = await unlessCrashed(ask);
  if (asked === "crashed") return "crashed";
  if (asked.status !== 200 || asked.body === null) {
    throw new Error(`the credential helper answered ${asked.status}`);
  }
  const frames = readFrames(asked.body);
  const first = await unlessCrashed(() => frames.next());
  if (first === "crashed" || first.done === true) return "crashed";
  const head = headFrom(first.value);
  switch (head?.kind) {
    case "answer":
      return await responseFrom(head, frames);
    case "refused":
      throw new HarnessError(head.reason, fieldsOf(head));
    case "failed":
      throw networkError(head);
    case undefined:
      await frames.return(undefined);
      throw new Error("the credential helper answered without a head");
  }
}

async function unlessCrashed<Value>(work: () => Promise<Value>): Promise<Value | "crashed"> {
  try {
    return await work();
  } catch {
    return "crashed"; // the caller checks its signal first, then waits for another helper
  }
}

async function responseFrom(
  { status, headers }: Extract<AnswerHead, { readonly kind: "answer" }>,
  frames: AsyncGenerator<Frame>,
): Promise<Response> {
  const init = { status, headers: headers.map(([name, value]): [string, string] => [name, value]) };
  if (BODYLESS.includes(status)) {
    await frames.return(undefined);
    return new Response(null, init);
  }
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { done, value } = await frames.next();
        if (done === true)
          throw Object.assign(new Error("the credential helper ended"), { code: "ECONNRESET" });
        if (value.kind === "body") controller.enqueue(value.bytes);
        else if (value.kind === "end") controller.close();
        else throw failureFrom(value);
      },
      cancel: async () => void (await frames.return(undefined)),
    },
    { highWaterMark: 0 }, // nothing is read before the consumer asks
  );
  return new Response(body, init);
}

function headFrom({ kind, bytes }: Frame): AnswerHead | undefined {
  return kind === "head" ? parseHead(new TextDecoder().decode(bytes)) : undefined;
}

function failureFrom({ bytes }: Frame): Error {
  const failure = parseHead(new TextDecoder().decode(bytes));
  return failure?.kind === "failed" ? networkError(failure) : new Error("the credential helper failed");
}

function networkError({ message, code }: Extract<AnswerHead, { readonly kind: "failed" }>): Error {
  return Object.assign(new Error(message), defined({ code }));
}
