import type { Duplex } from "node:stream";
import { deadline, whileAlive } from "../../base/async/deadline.ts";
import { HarnessError, messageOf } from "../../base/errors.ts";
import { numberAt } from "../../base/json.ts";
import type { World } from "../../base/world.ts";
import { jsonLine } from "../../view/wire-json.ts";
import { asRefusal, errorBody } from "../http/answers.ts";
import type { PromptSessions } from "./carry-prompt.ts";
import { carryPrompt } from "./carry-prompt.ts";
import type { FailedFrame, Likeness, PromptQuestion, PromptVerdict } from "./frames.ts";
import { PROMPT_LINE_BYTES_MAX, READING_LINE, READING_MS } from "./frames.ts";
import { differenceOf } from "./likeness.ts";
import { readLines } from "./lines.ts";

/** Time limit for a client to close its connection, after the last frame or at the end of the door. Then it is cut. */
export const CLIENTS_CLOSE_MS_MAX = 1_000;

/** Time limit for the request of a client, after it was agreed to, or has said that it still reads its input. */
export const REQUEST_MS_MAX = 10 * READING_MS;

/** Limit on prompts at once; one more has its own engine. */
export const PROMPTS_MAX = 256;

export interface PromptDoorDependencies extends PromptSessions {
  readonly world: Pick<World, "clock" | "log">;
  /** Facts of this engine. Undefined: it shares nothing. */
  readonly likeness: Likeness | undefined;
  /** Returns true if the session to resume runs in this engine. */
  readonly runsHere: (question: PromptQuestion) => Promise<boolean>;
}

/**
 * Carries out prompts of `cinch -p` for the owner of this engine. Disposing it stops it, and waits for the clients for
 * `CLIENTS_CLOSE_MS_MAX` at most: one that is stopped closes nothing.
 */
export interface PromptDoor extends AsyncDisposable {
  /** Begins to end the sessions of prompts, and takes no other. */
  stop(): void;
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
  const running = new Map<Duplex, Promise<void>>();
  let count = 0;
  const end = () => {
    if (!stop.signal.aborted) stop.abort(new HarnessError("EngineStopping", {}));
  };
  return {
    async serve(stream, question) {
      count += 1;
      const isFull = running.size >= PROMPTS_MAX;
      const serving = serve(parts, stream, { question, isFull, stop: stop.signal });
      running.set(stream, serving);
      await serving.finally(() => running.delete(stream));
    },
    stop: end,
    get open() {
      return running.size;
    },
    get count() {
      return count;
    },
    async [Symbol.asyncDispose]() {
      end();
      using limit = deadline(parts.world.clock, CLIENTS_CLOSE_MS_MAX, new AbortController().signal);
      try {
        await whileAlive(Promise.all(running.values()), limit.signal);
      } catch (thrown) {
        if (!limit.reached) throw thrown;
        const clients = running.size;
        parts.world.log.for("prompt").write("warn", "clients of prompts were cut off", { clients });
        for (const stream of running.keys()) stream.destroy();
      }
    },
  };
}

interface Serving {
  readonly question: unknown;
  readonly isFull: boolean;
  readonly stop: AbortSignal;
}

async function serve(
  parts: PromptDoorDependencies,
  stream: Duplex,
  { question, isFull, stop }: Serving,
): Promise<void> {
  const departure = new AbortController();
  stream.once("close", () => departure.abort(new Error("the client has gone")));
  stream.on("error", () => stream.destroy());
  const waiting = AbortSignal.any([stop, departure.signal]);
  const write = async (line: string) => {
    if (stream.writable && !stream.write(line)) await drained(stream, stop);
  };
  try {
    const { clock } = parts.world;
    const lines = requestFirst(readLines(stream, PROMPT_LINE_BYTES_MAX), clock, waiting);
    const why = (await differenceFor(parts, question)) ?? refusalOf({ isFull, isEnding: stop.aborted });
    if (why !== undefined) return await write(jsonLine({ frame: "differs", why } satisfies PromptVerdict));
    await write(jsonLine({ frame: "shares" } satisfies PromptVerdict));
    await carryPrompt(logged(parts, question), { lines, write, stop: waiting });
  } catch (thrown) {
    if (!departure.signal.aborted)
      parts.world.log.for("prompt").write("warn", "a prompt broke off", { problem: messageOf(thrown) });
    await write(jsonLine({ frame: "failed", body: errorBody(asRefusal(thrown)) } satisfies FailedFrame));
  } finally {
    // A client that is stopped closes nothing, and would keep its place for ever.
    using _cut = parts.world.clock.timer(CLIENTS_CLOSE_MS_MAX, () => stream.destroy());
    await ended(stream);
  }
}

/**
 * Yields the lines of a client from its request on.
 * @throws HarnessError InvalidCommand if none comes within `REQUEST_MS_MAX`: a client that is stopped would keep its
 *   place for ever. The signal's reason.
 */
async function* requestFirst(
  lines: AsyncGenerator<string>,
  clock: World["clock"],
  signal: AbortSignal,
): AsyncGenerator<string> {
  using limit = deadline(clock, REQUEST_MS_MAX, signal);
  try {
    for (;;) {
      const next = await whileAlive(lines.next(), limit.signal);
      if (next.done === true) return;
      if (next.value === READING_LINE) {
        limit.restart();
        continue;
      }
      limit[Symbol.dispose]();
      yield next.value;
      break;
    }
  } catch (thrown) {
    if (!limit.reached) throw thrown;
    const why = `no request came within ${REQUEST_MS_MAX / 60_000} minutes`;
    throw new HarnessError("InvalidCommand", { kind: "prompt", why }, { cause: thrown });
  }
  yield* lines;
}

/** Adds a line of the log for each prompt that gets a session: its person sees where it runs. */
function logged(parts: PromptDoorDependencies, question: unknown): PromptSessions {
  const client = numberAt(question, "pid");
  return {
    attach: parts.attach,
    async openSession(request) {
      const opened = await parts.openSession(request);
      const { session } = opened;
      parts.world.log.for("prompt").write("info", "a prompt of cinch -p runs here", { session, client });
      return opened;
    },
  };
}

/** Returns why an engine takes no prompt now; undefined if it does. */
function refusalOf({ isFull, isEnding }: Record<"isFull" | "isEnding", boolean>): string | undefined {
  if (isEnding) return "it is ending";
  return isFull ? `it carries out ${PROMPTS_MAX} prompts already` : undefined;
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
  return (await runsHere(question))
    ? "the session runs in that engine already, and is continued there"
    : undefined;
}

/** Waits for room in the stream. An engine that stops waits for no client. */
async function drained(stream: Duplex, stop: AbortSignal): Promise<void> {
  if (stop.aborted) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  const onStop = () => resolve();
  stream.once("drain", resolve).once("close", resolve);
  stop.addEventListener("abort", onStop, { once: true });
  await promise;
  stream.off("drain", resolve).off("close", resolve);
  stop.removeEventListener("abort", onStop);
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
