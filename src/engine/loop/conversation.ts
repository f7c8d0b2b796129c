import { assert } from "../../base/assert.ts";
import type { EventSeq } from "../../base/ids.ts";
import type { InputBlock, ResultContent, ToolResultBlock } from "../../protocol/content.ts";
import type { Event } from "../../protocol/events/events.ts";
import type { Message } from "../../protocol/message.ts";
import { fence } from "../../safety/fence.ts";
import { joinMessages } from "../../session/history/valid-history.ts";
import { errorOutput } from "../../tools/output.ts";
import type { ToolOutput } from "../../tools/tool.ts";
import type { Bus } from "../bus/bus.ts";
import type { EventOrigin } from "../bus/origin.ts";
import type { ModelReply, PendingCall } from "./reply.ts";

/** Bus functions that store a history and publish its changes. */
export type HistoryLog = Pick<Bus, "remember" | "commit" | "publish" | "lastEvent">;

/**
 * The history of one session: the messages of the next request, each stored in the log when it is added.
 *
 * Between method calls it is valid for a provider, except for the calls of the newest reply, which `answer` must
 * follow (ENG-18).
 */
export class Conversation {
  readonly #bus: HistoryLog;
  readonly #load: (() => Promise<readonly Message[]>) | undefined;
  #messages: Message[];
  /** The last returned list, which never changes. */
  #shown: readonly Message[] | undefined;

  #released = false;
  /** Input from beside the turns: in the log, and not yet in the messages. */
  #later: { readonly message: Message; readonly turn: number }[] = [];
  /** Number of messages that were added while the others were released. */
  #addedAside = 0;

  /** @param load reads the current history from the log; absent if it cannot be released. */
  constructor(bus: HistoryLog, history: readonly Message[], load?: () => Promise<readonly Message[]>) {
    this.#bus = bus;
    this.#load = load;
    this.#messages = [...history];
  }

  /** Frees the messages until `ready` is called. Everything was written, and nothing is added in between. */
  release(): void {
    if (this.#load === undefined || this.#messages.length === 0) return;
    this.#messages = [];
    this.#later = []; // the log has them
    this.#shown = undefined;
    this.#released = true;
  }

  /** Resolves when the messages are loaded. */
  async ready(): Promise<void> {
    if (!this.#released || this.#load === undefined) return;
    let messages: readonly Message[];
    let added: number;
    do {
      added = this.#addedAside;
      await this.#bus.commit("process"); // input from beside the turns may still wait for the log
      messages = await this.#load();
    } while (added !== this.#addedAside);
    this.#messages = [...messages];
    this.#shown = undefined;
    this.#released = false;
  }

  /** True if the messages were freed. */
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
    this.#addLater();
    this.#add({ role: "user", content: [...content] }, turn);
  }

  /**
   * Stores input from beside the turns, at any time. It enters the conversation with the next input, or once a running
   * round is over: it never stands between a call and its result.
   */
  addAside(content: readonly InputBlock[], turn: number): void {
    const message: Message = { role: "user", content: [...content] };
    this.#bus.remember(message, turn);
    if (this.#released) this.#addedAside += 1;
    else this.#later.push({ message, turn });
  }

  #addLater(): void {
    for (const { message } of this.#later) this.#join(message);
    this.#later = [];
  }

  /** Stores the model's reply, even a partial one. An empty reply is not stored. */
  addReply(reply: ModelReply, turn: number): void {
    if (reply.message !== undefined) this.#add(reply.message, turn);
  }

  /** Answers every call of the newest reply in one message. Calls without a result get the reason. */
  answer(
    calls: readonly PendingCall[],
    results: ReadonlyMap<string, ToolOutput>,
    why: string,
    turn: number,
  ): void {
    if (calls.length > 0) {
      const content = calls.map((call) => resultBlock(call, results.get(call.id) ?? notExecuted(why)));
      this.#add({ role: "user", content }, turn);
    }
    this.#addLater();
  }

  /**
   * See `History`. The log keeps its messages; the first one of the view marks the boundary from which a resume reads.
   */
  async replace(
    view: readonly Message[],
    { turn, origin }: { readonly turn: number; readonly origin: EventOrigin },
    eventOf: (boundary: EventSeq) => Event,
  ): Promise<void> {
    assert(view.length > 0, "a history is never replaced by nothing");
    const bus = this.#bus;
    await bus.commit("process");
    bus.publish(eventOf(bus.lastEvent), origin);
    for (const [at, message] of view.entries()) bus.remember(message, turn, at === 0);
    for (const later of this.#later) bus.remember(later.message, later.turn); // behind the boundary too
    this.#messages = [...view];
    this.#shown = undefined;
    await bus.commit("power");
  }

  /** Consecutive messages of one role are sent as one, as in a resumed history: roles alternate (ENG-18). */
  #add(message: Message, turn: number): void {
    this.#join(message);
    this.#bus.remember(message, turn);
  }

  #join(message: Message): void {
    const before = this.#messages.at(-1);
    if (before?.role === message.role) this.#messages.splice(-1, 1, joinMessages(before, message));
    else this.#messages.push(message);
    this.#shown = undefined;
  }
}

/** Returns the result of a call that was not run. */
export function notExecuted(why: string): ToolOutput {
  return errorOutput(`not executed: ${why}`);
}

/**
 * Returns a result in the form that the model gets: its text is foreign, so it is fenced ([A] hard rule 12, ENG-14).
 */
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
