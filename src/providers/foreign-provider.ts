import { whileAlive } from "../base/async/deadline.ts";
import { defined } from "../base/defined.ts";
import { messageOf } from "../base/errors.ts";
import { isObject, parseJson } from "../base/json.ts";
import { wellFormed } from "../base/text/text.ts";
import type {
  ArgumentsListener,
  FinishReason,
  ModelBlock,
  ModelEvent,
  ModelUsage,
  Provider,
} from "./provider.ts";
import { tokensAt } from "./token-count.ts";

/** Rules of one provider whose code is a plugin's or a program's. */
export interface Containment {
  /** Called before each call of the provider. It throws if the provider may not be called any more. */
  readonly assertUsable?: () => void;
  /** Returns the error that names the owner of the code, for anything that the code threw but a `HarnessError`. */
  readonly failed: (thrown: unknown) => unknown;
}

/**
 * Wraps a provider of foreign code: its exceptions become errors that name it, and its events are checked. Waiting
 * for its catalogue and token count ends with their signal. The caller of `chat` limits the wait for events.
 */
export function foreignProvider(provider: Provider, { assertUsable, failed }: Containment): Provider {
  const problem = (thrown: unknown, signal: AbortSignal) => (signal.aborted ? signal.reason : failed(thrown));
  const asked = async <Value>(run: () => Promise<Value>, signal: AbortSignal): Promise<Value> => {
    assertUsable?.();
    try {
      return await whileAlive((async () => await run())(), signal);
    } catch (thrown) {
      throw problem(thrown, signal);
    }
  };
  return {
    name: provider.name,
    family: provider.family,
    canonicalFormVersion: provider.canonicalFormVersion,
    ...defined({ pricesInCatalogue: provider.pricesInCatalogue, server: provider.server }),
    ...(provider.known === undefined ? {} : { known: async () => (await provider.known?.()) ?? [] }),
    chat: (request, signal, onSilence, listener) => ({
      [Symbol.asyncIterator]() {
        let source: AsyncIterator<ModelEvent> | undefined;
        const answer = new ForeignAnswer();
        const checked = listener === undefined ? undefined : answer.argumentsTo(listener);
        return {
          async next() {
            assertUsable?.();
            try {
              source ??= provider.chat(request, signal, onSilence, checked)[Symbol.asyncIterator]();
              const step = await source.next();
              return step.done === true ? step : { done: false, value: answer.read(step.value) };
            } catch (thrown) {
              throw problem(thrown, signal);
            }
          },
          async return() {
            await source?.return?.();
            return { done: true, value: undefined };
          },
        };
      },
    }),
    models: (signal) => asked(() => provider.models(signal), signal),
    tokenCount: (messages, signal) => asked(() => provider.tokenCount(messages, signal), signal),
  };
}

/** The events of one answer of foreign code, whatever their types say. */
class ForeignAnswer {
  /** Indices in the engine of blocks that have begun and not ended, by their type and the index that the code gives. */
  readonly #open = new Map<string, number>();
  /** Indices that a block has in the engine. */
  readonly #used = new Set<number>();
  #last = -1;
  #isFinished = false;

  /** @throws Error that says what is wrong with the event. */
  read(given: ModelEvent): ModelEvent {
    const event = readModelEvent(given);
    ensure(!this.#isFinished || event.kind === "usage", "nothing but usage follows the finish");
    this.#isFinished ||= event.kind === "finish";
    if (event.kind === "text" || event.kind === "thinking")
      return { ...event, index: this.#indexOf(event.index, event.kind) };
    if (event.kind !== "block") return event;
    const index = this.#indexOf(event.index, event.block.type);
    this.#open.delete(`${event.block.type} ${event.index}`);
    return { ...event, index };
  }

  /** Returns what the code may tell of arguments. It throws an Error that says what is wrong with a piece. */
  argumentsTo(listener: ArgumentsListener): ArgumentsListener {
    const indexOf = (given: number) => this.#indexOf(given, "tool_use");
    return {
      get isWanted() {
        return listener.isWanted;
      },
      take({ index, name, text }) {
        const isRight = isIndex(index) && typeof name === "string" && typeof text === "string";
        ensure(isRight, "a piece of arguments has an index, a name and a text");
        listener.take({ index: indexOf(index), name, text: wellFormed(text) });
      },
    };
  }

  /**
   * Returns the index of a block in the engine: the given one, or a new one if another block has it. Two blocks at one
   * index would leave a call without its place in the history, or a text without its block. Pieces of one type at one
   * index belong to one block, even if pieces of another type stand between them.
   */
  #indexOf(given: number, type: ModelBlock["type"]): number {
    const open = this.#open.get(`${type} ${given}`);
    if (open !== undefined) return open;
    const index = this.#used.has(given) ? this.#last + 1 : given;
    this.#used.add(index);
    this.#last = Math.max(this.#last, index);
    this.#open.set(`${type} ${given}`, index);
    return index;
  }
}

/**
 * Reads an event of foreign code, whatever its types say.
 * @throws Error that says what is wrong with it.
 */
function readModelEvent(event: ModelEvent): ModelEvent {
  const kind: unknown = isObject(event) ? event.kind : undefined;
  switch (event?.kind) {
    case "text":
    case "thinking":
      ensure(
        isIndex(event.index) && typeof event.text === "string",
        `a ${event.kind} has an index and a text`,
      );
      return event;
    case "block":
      ensure(isIndex(event.index), "a block has an index");
      ensure(isModelBlock(event.block), BLOCK_RULE);
      return { kind: "block", index: event.index, block: jsonBlock(event.block) };
    case "usage":
      return readUsage(event.usage);
    case "finish": {
      const { model, raw, reason } = event;
      const named = typeof model === "string" ? { model } : {};
      ensure(FINISH_REASONS.has(reason), `${FINISH_RULE}, not ${JSON.stringify(reason)}`);
      return { kind: "finish", reason, raw: typeof raw === "string" ? raw : "", ...named };
    }
    default:
      throw new Error(`its answer has an event of the kind ${JSON.stringify(kind)}, which does not exist`);
  }
}

function ensure(isRight: boolean, rule: string): asserts isRight {
  if (!isRight) throw new Error(`its answer has a wrong event: ${rule}`);
}

function isIndex(value: unknown): boolean {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

function isModelBlock(block: unknown): block is ModelBlock {
  if (!isObject(block)) return false;
  const { type, text, family, name, malformed } = block;
  switch (type) {
    case "text":
      return typeof text === "string";
    case "thinking":
      return typeof text === "string" && typeof family === "string";
    case "opaque":
      return typeof family === "string";
    case "tool_use":
      return typeof name === "string" && (malformed === undefined || typeof malformed === "string");
    case "yield":
      return true;
    default:
      return false;
  }
}

/**
 * Returns a block as the log keeps it: as JSON, with nothing that could change later. The input of a call that is
 * nested too deep is malformed, as from every other provider.
 */
function jsonBlock(block: ModelBlock): ModelBlock {
  let text: string | undefined;
  try {
    text = JSON.stringify(block);
  } catch (thrown) {
    throw new Error(`its answer has a block that is not JSON: ${messageOf(thrown)}`, { cause: thrown });
  }
  ensure(text !== undefined, BLOCK_RULE);
  const parsed = parseJson(text);
  if (parsed !== undefined) {
    const { value } = parsed;
    ensure(isModelBlock(value), BLOCK_RULE); // a `toJSON` may have returned anything
    return value;
  }
  if (block.type !== "tool_use") throw new Error("its answer has a block that is nested too deep");
  return { type: "tool_use", name: block.name, input: {}, malformed: text };
}

/** Reads a usage. A part that is no count is 0, and then the cost of the call is unknown. */
function readUsage(value: unknown): ModelEvent {
  const usage: ModelUsage = {
    inputTokens: tokensAt(value, "inputTokens") ?? 0,
    outputTokens: tokensAt(value, "outputTokens") ?? 0,
    cacheReadTokens: tokensAt(value, "cacheReadTokens") ?? 0,
    cacheWriteTokens: tokensAt(value, "cacheWriteTokens") ?? 0,
  };
  const raw: unknown = value;
  const isWhole =
    isObject(raw) &&
    REQUIRED.every((part) => tokensAt(raw, part) !== undefined) &&
    CACHED.every((part) => raw[part] === undefined || tokensAt(raw, part) !== undefined);
  return { kind: "usage", usage, ...(isWhole ? {} : { unreadable: true as const }) };
}

const BLOCK_RULE = "a block is text, thinking, tool_use, opaque or yield, with all its fields";
const FINISH_RULE = 'the reason of a finish is "stop", "tool_use", "length", "refused", "paused" or "error"';

/** Reasons for the end of an answer. Any other could hide an answer that was cut off. */
const FINISH_REASONS: ReadonlySet<FinishReason> = new Set([
  ...(["stop", "tool_use", "length", "refused", "paused", "error"] as const),
]);

const REQUIRED = ["inputTokens", "outputTokens"] as const;
const CACHED = ["cacheReadTokens", "cacheWriteTokens"] as const;
