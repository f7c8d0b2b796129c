import { shortened } from "../../../../base/text/text.ts";
import type { InputBlock } from "../../../../protocol/content.ts";
import { inputTexts } from "../../../../view/input-text.ts";
import type { KnownClients } from "../../../../view/session/clients.ts";
import { displayName } from "../../../../view/session/clients.ts";
import type { WaitingInput } from "../../../../view/session/waiting.ts";
import { cutEnd, displayWidth } from "../../../../view/terminal/display-width.ts";
import { neutraliseLine } from "../../../../view/terminal/terminal-text.ts";
import type { DrawnRow, Role } from "../../drawing/span.ts";
import { row, span } from "../../drawing/span.ts";
import { imageLabels } from "../../images/draft-image.ts";
import type { OutgoingMessage } from "../../input/message.ts";

/** A message that waits, as one row shows it. */
export interface WaitingRow {
  readonly number: number;
  readonly kind: WaitingKind;
  readonly text: string;
  /** The client that sent it, unless it is this one. */
  readonly by?: string;
}

export type WaitingKind = "sending" | "queued" | "steering" | "held" | "unsure";

const KIND_COLUMNS = 9;
const TEXT_CHARACTERS_MAX = 500;
/** Characters of a text that are read for its row, from its first word on: runs of blanks become one. */
const READ_CHARACTERS_MAX = 4 * TEXT_CHARACTERS_MAX;
const TEXT_COLUMNS_MIN = 12;
const ROLES: Readonly<Record<WaitingKind, Role>> = {
  sending: "dim",
  queued: "accent",
  steering: "success",
  held: "warning",
  unsure: "warning",
};

/** Returns the facts of a waiting message. @param self the client that this is. */
export function waitingRow(
  input: WaitingInput,
  number: number,
  { clients, self }: { readonly clients: KnownClients; readonly self: string | undefined },
): WaitingRow {
  const facts = { number, kind: waitingKind(input), text: inputRowText(input.content) };
  return input.originator === self ? facts : { ...facts, by: displayName(clients, input.originator) };
}

export function waitingKind({ delivery, held, isUncertain }: WaitingInput): WaitingKind {
  if (isUncertain === true) return "unsure";
  if (held) return "held";
  return delivery === "steer" ? "steering" : "queued";
}

/** Returns the row of a waiting message: its kind, its number, its text, and by whom it is. */
export function drawWaiting(
  { number, kind, text, by }: WaitingRow,
  columns: number,
  { mark = "", isChosen = false }: { readonly mark?: string; readonly isChosen?: boolean } = {},
): DrawnRow {
  const lead = `${mark}${kind.padEnd(KIND_COLUMNS)}${number} `;
  const room = Math.max(1, columns - lead.length);
  const who = by === undefined ? "" : cutEnd(` · ${by}`, Math.max(0, room - TEXT_COLUMNS_MIN));
  const words = cutEnd(text, Math.max(1, room - displayWidth(who)));
  return row(
    [
      span(mark, { role: "accent" }),
      span(kind.padEnd(KIND_COLUMNS), { role: ROLES[kind] }),
      span(`${number} `, { role: "dim" }),
      span(words, isChosen ? { isBold: true } : {}),
      span(who, { role: "dim" }),
    ],
    isChosen ? { fill: "selected" } : {},
  );
}

const textOfInput = new WeakMap<readonly InputBlock[], string>();

/** Returns the text of an input on one line. An image that its text names is not named twice. */
export function inputRowText(content: readonly InputBlock[]): string {
  const known = textOfInput.get(content);
  if (known !== undefined) return known;
  const text = rowTextOf(content);
  textOfInput.set(content, text);
  return text;
}

const contentOfMessage = new WeakMap<OutgoingMessage, readonly InputBlock[]>();

/** Returns the text of a message on one line. */
export function messageRowText(message: OutgoingMessage): string {
  const content = contentOfMessage.get(message) ?? [{ type: "text", text: message.text }];
  contentOfMessage.set(message, content);
  return inputRowText(content);
}

function rowTextOf(content: readonly InputBlock[]): string {
  const words = inputTexts(content, () => "");
  const named = words.reduce((sum, text) => sum + imageLabels(text).length, 0);
  const media = content.flatMap((block) => (block.type === "text" ? [] : [`[${block.type}]`]));
  const shown = [...words.map(beginningOf), ...media.slice(named)].join(" ");
  return neutraliseLine(shortened(shown.replaceAll(/\s+/g, " ").trim(), TEXT_CHARACTERS_MAX));
}

function beginningOf(text: string): string {
  return shortened(text.trimStart(), READ_CHARACTERS_MAX);
}
