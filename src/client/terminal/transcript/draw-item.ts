import { unreachable } from "../../../base/assert.ts";
import type { EventSeq } from "../../../base/ids.ts";
import { printPrice } from "../../../view/costs/cost.ts";
import type { TranscriptItem } from "../../../view/transcript/items.ts";
import type { DrawnRow } from "../drawing/span.ts";
import { EMPTY_ROW } from "../drawing/span.ts";
import { drawBlock } from "../markdown/draw-block.ts";
import { drawCall } from "./draw-call.ts";
import type { DrawContext } from "./draw-context.ts";
import { drawEnd, drawNote, drawPrompt, drawThinking } from "./draw-others.ts";
import type { Unfolded } from "./folds.ts";

/**
 * Returns the number of parts of an item, which are drawn and kept by themselves: a long text is one part for each
 * closed block, and one for its end.
 */
export function partsOf(item: TranscriptItem): number {
  return item.kind === "text" ? item.streamed.closed.length + (item.streamed.open === "" ? 0 : 1) : 1;
}

/** Returns the rows of one part of an item. The first part of an item begins with an empty row. */
export function drawPart(item: TranscriptItem, part: number, context: DrawContext): readonly DrawnRow[] {
  const rows = contentOf(item, part, context);
  return part === 0 && rows.length > 0 ? [EMPTY_ROW, ...rows] : rows;
}

/** Returns all that the rows of an item depend on besides the item: while it is the same, they may be kept. */
export function drawKey(item: TranscriptItem, context: DrawContext): string {
  const { columns, unfolded, clients, nowMs, lastLines, diffLayout, subAgents, unfoldKey } = context;
  const second = isTimed(item) ? Math.floor(nowMs / 1_000) : 0;
  const isUnfolded = unfolded.has(item.event);
  const agent = item.kind === "call" ? subAgents?.get(item.callId) : undefined;
  // Nested items are folded by themselves.
  const nested = isUnfolded && item.kind === "call" ? unfoldedIn(item.items, unfolded).join() : "";
  const price = agent === undefined ? "" : `${printPrice(agent.cost)}:${agent.isRunning}`;
  return [columns, isUnfolded, second, clients.size, lastLines, diffLayout, unfoldKey, nested, price].join(
    ":",
  );
}

function unfoldedIn(items: readonly TranscriptItem[], unfolded: Unfolded): readonly EventSeq[] {
  return items.flatMap((item) => {
    const nested = item.kind === "call" ? unfoldedIn(item.items, unfolded) : [];
    return unfolded.has(item.event) ? [item.event, ...nested] : nested;
  });
}

/** Returns true if the rows of an item change with time although the item does not. */
function isTimed(item: TranscriptItem): boolean {
  return item.kind === "call" && item.state === "running";
}

function nestedRows(items: readonly TranscriptItem[], context: DrawContext): readonly DrawnRow[] {
  return items.flatMap((item) =>
    Array.from({ length: partsOf(item) }, (_, part) => contentOf(item, part, context)).flat(),
  );
}

function contentOf(item: TranscriptItem, part: number, context: DrawContext): readonly DrawnRow[] {
  switch (item.kind) {
    case "prompt":
      return drawPrompt(item, context);
    case "text": {
      const { closed, reader } = item.streamed;
      const block = closed.at(part);
      const blocks = block === undefined ? (reader?.openBlocks ?? []) : [block];
      return blocks.flatMap((each) => drawBlock(each, context.columns));
    }
    case "thinking":
      return drawThinking(item, context);
    case "call":
      return drawCall(item, context, nestedRows);
    case "note":
      return drawNote(item, context);
    case "end":
      return drawEnd(item, context);
    default:
      return unreachable(item);
  }
}
