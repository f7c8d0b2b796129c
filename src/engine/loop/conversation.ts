import { assert } from "../../base/assert.ts";
import type { EventSeq } from "../../base/ids.ts";
import type { InputBlock, ResultContent, ToolResultBlock } from "../../protocol/content.ts";
import type { Event } from "../../protocol/events/events.ts";
import type { Message } from "../../protocol/message.ts";
import { fence } from "../../safety/fence.ts";
import { joined } from "../../session/history/valid-history.ts";
import { errorOutput } from "../../tools/output.ts";
import type { ToolOutput } from "../../tools/tool.ts";
import type { Bus } from "../bus/bus.ts";
import type { Origin } from "../bus/origin.ts";
import type { PendingCall, Reply } from "./reply.ts";

/** Where a history is stored, and what is told of it. */
export type HistoryLog = Pick<Bus, "remember" | "commit" | "publish" | "lastEvent">;

/**
 * The history of one session: the messages that the next request is built from, each stored in the log as it is
 * added.
 *
 * It is valid for a provider between any two calls of its methods, but for the calls of the newest reply, which
 * `answer` must follow (ENG-18).
 */
export class Conversation {
  readonly #bus: HistoryLog;
  readonly #load: (() => Promise<readonly Message[]>) | undefined;
  #messages: Message[];
  /** What was handed out last; a list that somebody holds never changes. */
  #shown: readonly Message[] | undefined;

  #released = false;

  /** @param load reads it from the log, as `history` would be now; absent where it cannot be let go of. */
  constructor(bus: HistoryLog, history: readonly Message[], load?: () => Promise<readonly Message[]>) {
    this.#bus = bus;
    this.#load = load;
    this.#messages = [...history];
  }

  /** Lets go of the messages until `ready` is called. Everything was written, and nothing is added meanwhile. */
  release(): void {
    if (this.#load === undefined || this.#messages.length === 0) return;
    this.#messages = [];
    this.#shown = undefined;
    this.#released = true;
  }

  /** Resolves once the messages are there. */
  async ready(): Promise<void> {
    if (!this.#released || this.#load === undefined) return;
    this.#messages = [...(await this.#load())];
    this.#shown = undefined;
    this.#released = false;
  }

  /** Whether the messages were let go of. */
  get released(): boolean {
    return this.#released;
  }

  /** The same list until something is added. */
  get messages(): readonly Message[] {
    assert(!this.#released, "a history that was let go of is read again first");
    this.#shown ??= [...this.#messages];
    return this.#shown;
  }

  addInput(content: readonly InputBlock[], turn: number): void {
    this.#add({ role: "user", content: [...content] }, turn);
  }

  /** Keeps what the model said, also when the answer broke off. An empty reply leaves no trace. */
  addReply(reply: Reply, turn: number): void {
    if (reply.message !== undefined) this.#add(reply.message, turn);
  }

  /** Answers every call of the newest reply in one message; those without a result are told why. */
  answer(
    calls: readonly PendingCall[],
    results: ReadonlyMap<string, ToolOutput>,
    why: string,
    turn: number,
  ): void {
    if (calls.length === 0) return;
    const content = calls.map((call) => resultBlock(call, results.get(call.id) ?? notExecuted(why)));
    this.#add({ role: "user", content }, turn);
  }

  /** See `History`. The log's own messages stay; the first of the view bears the boundary from which a resume reads. */
  async replace(
    view: readonly Message[],
    { turn, origin }: { readonly turn: number; readonly origin: Origin },
    told: (boundary: EventSeq) => Event,
  ): Promise<void> {
    assert(view.length > 0, "a history is never replaced by nothing");
    const bus = this.#bus;
    await bus.commit("process");
    bus.publish(told(bus.lastEvent), origin);
    for (const [at, message] of view.entries()) bus.remember(message, turn, at === 0);
    this.#messages = [...view];
    this.#shown = undefined;
    await bus.commit("power");
  }

  /** Two messages of one role in a row are sent as one, as a resumed history has them: roles take turns (ENG-18). */
  #add(message: Message, turn: number): void {
    const before = this.#messages.at(-1);
    if (before?.role === message.role) this.#messages.splice(-1, 1, joined(before, message));
    else this.#messages.push(message);
    this.#shown = undefined;
    this.#bus.remember(message, turn);
  }
}

/** The result that stands for a call that was not run. */
export function notExecuted(why: string): ToolOutput {
  return errorOutput(`not executed: ${why}`);
}

/** A result as the model gets it: its text is foreign, so it is fenced ([A] hard rule 12, ENG-14). */
export function resultBlock(call: { readonly id: PendingCall["id"] }, output: ToolOutput): ToolResultBlock {
  const content = output.content.flatMap((block): ResultContent[] => {
    if (block.type !== "text") return [block];
    const text = fence("tool-result", block.text);
    return text === undefined ? [] : [{ type: "text", text }];
  });
  return {
    type: "tool_result",
    tool_use_id: call.id,
    content: content.length > 0 ? content : [{ type: "text", text: "(no output)" }],
    ...(output.isError ? { is_error: true } : {}),
  };
}
