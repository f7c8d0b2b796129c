import type { ContentBlock } from "../../protocol/content.ts";
import type { ModelEvent } from "../../providers/provider.ts";
import type { RedactingStream } from "../../safety/redact.ts";
import type { Bus } from "../bus/bus.ts";
import type { EventOrigin } from "../bus/origin.ts";
import type { Redaction } from "../bus/redaction.ts";
import type { ArrivingCalls } from "./arriving/arriving-calls.ts";
import type { ReplyBuilder } from "./reply.ts";

export interface CollectSink {
  readonly bus: Bus;
  readonly origin: EventOrigin;
  readonly family: string;
  readonly redaction: Redaction;
  readonly arriving: ArrivingCalls;
  onFirst(): void;
  /** Called for each finished block, in order. */
  readonly onBlock?: ((block: ContentBlock) => void) | undefined;
}

/**
 * Reads one answer to its end: publishes the visible parts and collects the rest in `builder` ([E] CollectStream).
 *
 * Errors of the stream are rethrown; `builder` then contains everything that had arrived.
 */
export async function collectReply(
  stream: AsyncIterable<ModelEvent>,
  builder: ReplyBuilder,
  sink: CollectSink,
): Promise<void> {
  const { bus } = sink;
  const pieces = new Pieces(sink);
  let first = true;
  try {
    for await (const event of stream) {
      if (first) {
        sink.onFirst();
        await bus.commitInputs();
      }
      first = false;
      const block = builder.add(event);
      if (event.kind === "block") pieces.end(event.index, block);
      if (event.kind === "block" && block?.type === "tool_use") sink.arriving.ended(event.index, block);
      if (block !== undefined) sink.onBlock?.(block);
      if (event.kind === "text" || event.kind === "thinking") pieces.push(event);
      if (bus.congested) await bus.commit("process");
    }
  } finally {
    if (bus.failure === undefined) pieces.endAll();
  }
}

type Piece = Extract<ModelEvent, { readonly kind: "text" | "thinking" }>;

/** The unfinished blocks of one answer: each is redacted as it comes, and held text comes when it ends. */
class Pieces {
  readonly #sink: CollectSink;
  readonly #open = new Map<number, { readonly kind: Piece["kind"]; readonly stream: RedactingStream }>();

  constructor(sink: CollectSink) {
    this.#sink = sink;
  }

  push({ kind, index, text }: Piece): void {
    const open = this.#open.get(index) ?? { kind, stream: this.#sink.redaction.stream() };
    this.#open.set(index, open);
    this.#publish(kind, index, open.stream.push(text));
  }

  /** @param block the whole block, if known: text or thinking that came in no pieces is published as one. */
  end(index: number, block?: ContentBlock): void {
    if ((block?.type === "text" || block?.type === "thinking") && !this.#open.has(index))
      this.push({ kind: block.type, index, text: block.text });
    const open = this.#open.get(index);
    if (open === undefined) return;
    this.#open.delete(index);
    this.#publish(open.kind, index, open.stream.end());
  }

  endAll(): void {
    for (const index of [...this.#open.keys()]) this.end(index);
  }

  #publish(kind: Piece["kind"], index: number, text: string): void {
    if (text === "") return;
    const { bus, origin, family } = this.#sink;
    const place = index === 0 ? {} : { index };
    if (kind === "text") bus.publish({ kind: "TextDelta", payload: { text, ...place } }, origin);
    else {
      const block = { type: "thinking", family, text } as const;
      bus.publish({ kind: "ThinkingDelta", payload: { block, ...place } }, origin);
    }
  }
}
