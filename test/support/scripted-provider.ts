import { CANONICAL_FORM_VERSION } from "../../src/protocol/version.ts";
import type {
  ModelBlock,
  ModelEvent,
  ModelRequest,
  ModelUsage,
  Provider,
} from "../../src/providers/provider.ts";

/** One answer of a scripted model: events, or what is thrown in its place. */
export type ScriptedAnswer = (request: ModelRequest, signal: AbortSignal) => AsyncIterable<ModelEvent>;

export interface ScriptedProvider extends Provider {
  /** Every request as it came. */
  readonly requests: ModelRequest[];
}

/** A model that says what the test wrote, answer by answer. Asking once more than written is an error. */
export function scriptedProvider(answers: readonly ScriptedAnswer[], family = "scripted"): ScriptedProvider {
  const requests: ModelRequest[] = [];
  return {
    name: "scripted",
    family,
    canonicalFormVersion: CANONICAL_FORM_VERSION,
    requests,
    chat(request, signal) {
      const answer = answers[requests.length];
      requests.push(request);
      if (answer === undefined) throw new Error(`the script has no answer number ${requests.length}`);
      return answer(request, signal);
    },
    models: () => Promise.resolve([{ id: "scripted-1" }]),
    tokenCount: () => Promise.resolve(1),
  };
}

const USAGE: ModelUsage = { inputTokens: 10, outputTokens: 5, cacheReadTokens: 0, cacheWriteTokens: 0 };

/** An answer of text, one delta a word. */
export function says(text: string): ScriptedAnswer {
  return async function* () {
    for (const piece of text.split(/(?<= )/)) yield { kind: "text", index: 0, text: piece };
    yield* ending({ type: "text", text }, 0, "stop");
  };
}

export interface ScriptedCall {
  readonly name: string;
  readonly input?: unknown;
  readonly malformed?: string;
}

/** An answer of tool calls, with some text in front where given. */
export function calls(...list: readonly (ScriptedCall | string)[]): ScriptedAnswer {
  return async function* () {
    let index = 0;
    for (const entry of list) {
      if (typeof entry === "string") {
        yield { kind: "text", index, text: entry };
        yield { kind: "block", index, block: { type: "text", text: entry } };
      } else {
        const { name, input = {}, malformed } = entry;
        const block = {
          type: "tool_use",
          name,
          input,
          ...(malformed === undefined ? {} : { malformed }),
        } as const;
        yield { kind: "block", index, block };
      }
      index += 1;
    }
    yield { kind: "usage", usage: USAGE };
    yield { kind: "finish", reason: "tool_use", raw: "tool_use" };
  };
}

/** These events and nothing else; an Error among them is thrown at its place. */
export function events(...list: readonly (ModelEvent | Error)[]): ScriptedAnswer {
  return async function* () {
    for (const event of list) {
      if (event instanceof Error) throw event;
      yield event;
    }
  };
}

/** Some text, and then nothing until the request is cancelled. */
export function hangs(text: string): ScriptedAnswer {
  return async function* (_request, signal) {
    yield { kind: "text", index: 0, text };
    await new Promise((_resolve, reject) => {
      if (signal.aborted) reject(signal.reason);
      signal.addEventListener("abort", () => reject(signal.reason));
    });
  };
}

async function* ending(
  block: ModelBlock,
  index: number,
  reason: "stop" | "tool_use",
): AsyncGenerator<ModelEvent> {
  yield { kind: "block", index, block };
  yield { kind: "usage", usage: USAGE };
  yield { kind: "finish", reason, raw: reason };
}
