import { isObject, stringAt } from "../../base/json.ts";
import type { ThinkingPiece } from "../content.ts";

/**
 * Returns the block of a ThinkingDelta of any version in its current form: a piece of text.
 *
 * Engines before 0.3 sent the whole block after its pieces, with `data`. Its text has been read by then, so it
 * becomes an empty piece. They wrote a bare text if content had expired or was redacted.
 */
export function parseThinkingPiece(block: unknown): ThinkingPiece {
  if (typeof block === "string") return { type: "thinking", text: block };
  const family = stringAt(block, "family");
  const isWhole = isObject(block) && "data" in block;
  const text = isWhole ? "" : (stringAt(block, "text") ?? "");
  return { type: "thinking", ...(family === undefined ? {} : { family }), text };
}
