import type { ContentBlock, ThinkingBlock } from "../protocol/content.ts";
import type { ModelEvent } from "../provider/provider.ts";
import type { Bus } from "./bus.ts";
import type { Origin } from "./origin.ts";
import type { ReplyBuilder } from "./reply.ts";

export interface CollectSink {
  readonly bus: Bus;
  readonly origin: Origin;
  readonly family: string;
  onFirst(): void;
  /** Told of each finished block, in order, as it finishes. */
  readonly onBlock?: ((block: ContentBlock) => void) | undefined;
}

/**
 * Reads one answer to its end: publishes what can be shown and gathers the rest in `builder` ([E] CollectStream).
 *
 * Whatever the stream throws passes through; `builder` then holds what had arrived.
 */
export async function collect(
  stream: AsyncIterable<ModelEvent>,
  builder: ReplyBuilder,
  sink: CollectSink,
): Promise<void> {
  const { bus, origin, family } = sink;
  let first = true;
  for await (const event of stream) {
    if (first) sink.onFirst();
    first = false;
    const block = builder.add(event);
    if (block !== undefined) sink.onBlock?.(block);
    if (event.kind === "text" && event.text !== "") {
      bus.publish({ kind: "TextDelta", payload: { text: event.text } }, origin);
    } else if (event.kind === "thinking" && event.text !== "") {
      bus.publish({ kind: "ThinkingDelta", payload: { block: shown(family, event.text) } }, origin);
    } else if (event.kind === "block" && event.block.type === "thinking") {
      bus.publish({ kind: "ThinkingDelta", payload: { block: event.block } }, origin);
    }
    if (bus.congested) await bus.commit("process");
  }
}

/** A piece of thinking for people; the block with its data follows when it is whole. */
function shown(family: string, text: string): Omit<ThinkingBlock, "data"> {
  return { type: "thinking", family, text };
}
