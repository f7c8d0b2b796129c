import { assert, unreachable } from "../../base/assert.ts";
import type { CallId, IdSource } from "../../base/ids.ts";
import type { ContentBlock } from "../../protocol/content.ts";
import type { Message } from "../../protocol/message.ts";
import type { FinishReason, ModelBlock, ModelEvent, ModelUsage } from "../../providers/provider.ts";
import { NO_USAGE } from "../../providers/provider.ts";
import type { Redaction } from "../bus/redaction.ts";

/** A tool call of the model that waits to be dispatched. */
export interface PendingCall {
  readonly id: CallId;
  readonly name: string;
  readonly input: unknown;
  readonly malformed?: string;
}

/** The answer of one provider call. */
export interface ModelReply {
  /** The assistant's message, in the canonical form; undefined if nothing came. */
  readonly message: Message | undefined;
  readonly calls: readonly PendingCall[];
  readonly text: string;
  /** True if the model ended the turn with an explicit yield block. */
  readonly yielded: boolean;
  readonly usage: ModelUsage;
  readonly finish: FinishReason | undefined;
  readonly rawFinish: string;
}

/**
 * Collects the events of one answer (ENG-15).
 *
 * `reply` is available at any time: after a broken stream it contains everything that had arrived, text included, and
 * no call of an unfinished block.
 */
export class ReplyBuilder {
  readonly #ids: IdSource;
  readonly #redaction: Redaction;
  readonly #idOf: (index: number) => CallId | undefined;
  readonly #blocks = new Map<number, ContentBlock>();
  readonly #partialText = new Map<number, string>();
  readonly #calls: PendingCall[] = [];
  #usage: ModelUsage = NO_USAGE;
  #hasContent = false;
  #finish: { readonly reason: FinishReason; readonly raw: string } | undefined;

  /** @param idOf returns the id of a call that was shown before its block is finished. */
  constructor(
    ids: IdSource,
    redaction: Redaction,
    idOf: (index: number) => CallId | undefined = () => undefined,
  ) {
    this.#ids = ids;
    this.#redaction = redaction;
    this.#idOf = idOf;
  }

  /**
   * Takes one event and returns a finished block in its canonical form, without secrets. Only calls keep their
   * true input.
   */
  add(event: ModelEvent): ContentBlock | undefined {
    assert(this.#finish === undefined || event.kind === "usage", "nothing but usage follows the finish");
    this.#hasContent ||= event.kind !== "usage";
    switch (event.kind) {
      case "text":
        this.#partialText.set(event.index, (this.#partialText.get(event.index) ?? "") + event.text);
        return undefined;
      case "thinking":
        return undefined; // stored only as a whole block: no provider accepts a partial one
      case "block": {
        const block = this.#redaction.block(this.#canonical(event.block, event.index));
        this.#partialText.delete(event.index);
        if (block !== undefined) this.#blocks.set(event.index, block);
        return block;
      }
      case "usage":
        this.#usage = event.usage;
        return undefined;
      case "finish":
        this.#finish = event;
        return undefined;
      default:
        return unreachable(event);
    }
  }

  /** True once anything of the answer came, thinking included. */
  get hasContent(): boolean {
    return this.#hasContent;
  }

  get reply(): ModelReply {
    const content = this.#content();
    return {
      message: content.length === 0 ? undefined : { role: "assistant", content },
      calls: this.#calls,
      text: content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join(""),
      yielded: content.some((block) => block.type === "yield"),
      usage: this.#usage,
      finish: this.#finish?.reason,
      rawFinish: this.#finish?.raw ?? "",
    };
  }

  #content(): ContentBlock[] {
    const blocks = new Map<number, ContentBlock>(this.#blocks);
    for (const [index, text] of this.#partialText) {
      blocks.set(index, { type: "text", text: this.#redaction.text(text) });
    }
    return [...blocks]
      .sort(([a], [b]) => a - b)
      .map(([, block]) => block)
      .filter((block) => block.type !== "text" || block.text !== "");
  }

  #canonical(block: ModelBlock, index: number): ContentBlock {
    if (block.type !== "tool_use") return block;
    const { name, malformed } = block;
    const id = this.#idOf(index) ?? this.#ids.next("call");
    // A provider refuses a history whose input is no object, so a malformed one is stored as text.
    const input = malformed === undefined ? block.input : { malformed };
    this.#calls.push({ id, name, input, ...(malformed === undefined ? {} : { malformed }) });
    return { type: "tool_use", id, name, input };
  }
}
