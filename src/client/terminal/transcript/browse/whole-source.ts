import { HarnessError } from "../../../../base/errors.ts";
import type { ResultOf } from "../../../../protocol/queries/queries.ts";
import { withoutFenceTags } from "../../../../view/input-text.ts";
import type { TranscriptItem } from "../../../../view/transcript/items.ts";
import { PROMPT_CHARACTERS_MAX } from "../../../../view/transcript/prompt-blocks.ts";
import { callDiff, itemSource } from "../../../../view/transcript/source/item-source.ts";
import type { Services } from "../../layout/services.ts";

/**
 * Returns the whole source of an item: what the transcript keeps of it, or the log's text if that was cut. A refusal
 * is shown, and the kept part is returned.
 */
export async function wholeSource(
  { session, showFailure }: Pick<Services, "session" | "showFailure">,
  item: TranscriptItem,
): Promise<string> {
  const shown = itemSource(item);
  const { open } = session;
  if (open === undefined || !isCut(item, shown)) return shown;
  const found = await session.query({ kind: "GetItem", sessionId: open.session, event: item.event });
  if (!(found instanceof HarnessError)) return textOf(found.events) ?? shown;
  showFailure(found);
  return shown;
}

function isCut(item: TranscriptItem, shown: string): boolean {
  if (item.kind === "prompt") return shown.length >= PROMPT_CHARACTERS_MAX;
  return item.kind === "call" && item.outputLeftOut !== undefined && callDiff(item) === "";
}

/** Returns the text of the prompt or of the result among the events of an item; undefined if there is none. */
function textOf(events: ResultOf<"GetItem">["events"]): string | undefined {
  for (const { kind, payload } of events) {
    const content =
      kind === "ToolResult" ? payload.content : kind === "TurnStarted" ? payload.content : undefined;
    if (content === undefined) continue;
    const texts = content.flatMap((block) => (block.type === "text" ? [withoutFenceTags(block.text)] : []));
    return texts.join("\n").trimEnd();
  }
  return undefined;
}
