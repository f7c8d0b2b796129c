import { unreachable } from "../../base/assert.ts";
import type { World } from "../../base/world.ts";
import type { Redactor } from "../../safety/redact.ts";
import type { LogInfo, SessionStore } from "../../session/store/store.ts";
import { exportJsonl } from "../../session/transcript/jsonl.ts";
import { renderMarkdown } from "../../session/transcript/markdown/markdown.ts";
import { redactedEvents } from "../../session/transcript/redacted.ts";
import { eventsOf } from "./read.ts";

/** Length of one piece, in UTF-16 units. */
const PIECE_UNITS = 65_536;

interface ExportSources {
  readonly store: Pick<SessionStore, "markedEvents">;
  readonly secrets: Redactor;
  readonly world: Pick<World, "clock">;
}

/** Renders a session for export, in pieces, redacted once more; expired content is marked (SES-10). */
export function exportedText(
  { store, secrets, world }: ExportSources,
  info: LogInfo,
  { format, signal }: { readonly format: "jsonl" | "markdown"; readonly signal: AbortSignal },
): AsyncGenerator<string> {
  const events = redactedEvents(eventsOf(store, info, { signal, clock: world.clock }), secrets);
  switch (format) {
    case "jsonl":
      return gathered(exportJsonl(info, events));
    case "markdown":
      return gathered(renderMarkdown({ ...info, title: secrets.text(info.title) }, events));
    default:
      return unreachable(format);
  }
}

/** Joins pieces into fewer and longer ones. */
async function* gathered(pieces: AsyncIterable<string>): AsyncGenerator<string> {
  let text = "";
  for await (const piece of pieces) {
    text += piece;
    if (text.length < PIECE_UNITS) continue;
    yield text;
    text = "";
  }
  if (text !== "") yield text;
}
