import type { SessionInfo } from "../../../protocol/resources.ts";
import { cutEnd } from "../../../view/terminal/display-width.ts";
import { neutraliseLine } from "../../../view/terminal/terminal-text.ts";
import { ageText } from "../../../view/texts/age-text.ts";
import type { DrawnRow } from "../drawing/span.ts";
import { row, span } from "../drawing/span.ts";
import type { KeyTable } from "../keys/key-table.ts";

/** Facts for the rows above the transcript. */
export interface Header {
  readonly version: string;
  readonly workingDir: string;
  /** The last session of the folder, while it can still be chosen; absent: none is offered. */
  readonly last?: SessionInfo;
  /** True while nothing was sent yet: the last session can still be continued instead. */
  readonly isChoosing: boolean;
  readonly keys: KeyTable;
  readonly nowMs: number;
}

/** Characters of the title of an offered session. */
const TITLE_COLUMNS = 40;

/**
 * Returns the rows above the transcript, at most two: name, version and folder, and until something is sent, the offer
 * to continue a session (CTL-11). Typing is never blocked: a prompt without a choice begins a new session.
 */
export function drawHeader(header: Header, columns: number): readonly DrawnRow[] {
  const { version, workingDir } = header;
  const name = `cinch ${version}`;
  const folder = cutEnd(` · ${neutraliseLine(workingDir)}`, Math.max(1, columns - name.length));
  const first = row([span(name, { role: "heading" }), span(folder, { role: "dim" })]);
  return header.isChoosing
    ? [first, row([span(cutEnd(offerText(header), columns), { role: "accent" })])]
    : [first];
}

function offerText({ last, keys, nowMs }: Header): string {
  const keyOf = (action: "session.continue" | "session.open" | "app.helpIfEmpty") => keys.label(action, "");
  const help = `${keyOf("app.helpIfEmpty")} shows the keys`;
  if (last === undefined) return `type to begin · ${help}`;
  const title = cutEnd(neutraliseLine(last.title), TITLE_COLUMNS);
  const age = ageText(last.updated_at, nowMs);
  return `${keyOf("session.continue")} continues "${title}" (${age}) · type for a new one · ${keyOf("session.open")} lists sessions · ${help}`;
}
