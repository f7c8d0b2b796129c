import type { Duplex } from "node:stream";
import { HarnessError, messageOf } from "../../base/errors.ts";
import type { World } from "../../base/world.ts";
import { jsonLine } from "../../view/wire-json.ts";
import { asRefusal, errorBody } from "../http/answers.ts";
import type { PromptSessions } from "./carry-prompt.ts";
import { carryPrompt } from "./carry-prompt.ts";
import type { FailedFrame, Likeness, PromptQuestion, PromptVerdict } from "./frames.ts";
import { PROMPT_LINE_BYTES_MAX } from "./frames.ts";
import { differenceOf } from "./likeness.ts";
import { readLines } from "./lines.ts";

export interface PromptDoorDependencies extends PromptSessions {
  readonly world: Pick<World, "log">;
  /** Facts of this engine. Undefined: it shares nothing. */
  readonly likeness: Likeness | undefined;
  /** Returns true if the session to resume runs in this engine. */
  readonly runsHere: (question: PromptQuestion) => Promise<boolean>;
}

/** Carries out prompts of `cinch -p` for the owner of this engine. Disposing it ends their sessions. */
export interface PromptDoor extends AsyncDisposable {
  /** Serves one connection, whose owner token was checked, to its end. `question` is unchecked. Never throws. */
  serve(stream: Duplex, question: unknown): Promise<void>;
  /** Open connections. */
  readonly open: number;
  /** Connections so far. */
  readonly count: number;
}

/** Opens the door for prompts of the owner (PERF-07). */
export function openPromptDoor(parts: PromptDoorDependencies): PromptDoor {
  const stop = new AbortController();
  const running = new Set<Promise<void>>();
  let count = 0;
  return {
    async serve(stream, question) {
      count += 1;
      const serving = serve(parts, stream, { question, stop: stop.signal });
      running.add(serving);
      await serving.finally(() => running.delete(serving));
    },
    get open() {
      return running.size;
    },
    get count() {
      return count;
    },
    async [Symbol.asyncDispose]() {
      stop.abort(new HarnessError("EngineStopping", {}));
      await Promise.all(running);
    },
  };
}

interface Serving {
  readonly question: unknown;
  readonly stop: AbortSignal;
}

async function serve(
  parts: PromptDoorDependencies,
  stream: Duplex,
  { question, stop }: Serving,
): Promise<void> {
  const departure = new AbortController();
  stream.once("close", () => departure.abort(new Error("the client has gone")));
  stream.on("error", () => stream.destroy());
  const write = async (line: string) => {
    if (stream.writable && !stream.write(line)) await drained(stream);
  };
  try {
    const lines = readLines(stream, PROMPT_LINE_BYTES_MAX);
    const why = await differenceFor(parts, question);
    if (why !== undefined) return await write(jsonLine({ frame: "differs", why } satisfies PromptVerdict));
    await write(jsonLine({ frame: "shares" } satisfies PromptVerdict));
    await carryPrompt(parts, { lines, write, stop: AbortSignal.any([stop, departure.signal]) });
  } catch (thrown) {
    if (!departure.signal.aborted)
      parts.world.log.for("prompt").write("warn", "a prompt broke off", { problem: messageOf(thrown) });
    await write(jsonLine({ frame: "failed", body: errorBody(asRefusal(thrown)) } satisfies FailedFrame));
  } finally {
    await ended(stream);
  }
}

/** Returns why a prompt is not carried out here; undefined if it is. */
async function differenceFor(
  { likeness, runsHere }: PromptDoorDependencies,
  asked: unknown,
): Promise<string | undefined> {
  const { readQuestion } = await import("./read-request.ts");
  const question = readQuestion(asked);
  if (likeness === undefined) return "it is for other clients";
  const why = differenceOf(likeness, question.likeness);
  if (why !== undefined || question.resume === undefined) return why;
  return (await runsHere(question)) ? "the session runs in that engine already" : undefined;
}

async function drained(stream: Duplex): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  stream.once("drain", resolve).once("close", resolve);
  await promise;
  stream.off("drain", resolve).off("close", resolve);
}

/** Sends what was written, and waits until the client has closed the connection too. */
async function ended(stream: Duplex): Promise<void> {
  if (stream.destroyed) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  stream.once("close", resolve);
  stream.end();
  stream.resume();
  await promise;
}
