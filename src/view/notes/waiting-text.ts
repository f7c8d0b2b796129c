import { count, shortened } from "../../base/text/text.ts";
import type { InputBlock } from "../../protocol/content.ts";
import type { EnvelopeOf } from "../../protocol/events/envelope.ts";
import { inputTexts } from "../input-text.ts";
import type { WaitingInput } from "../session/waiting.ts";
import { neutraliseLine } from "../terminal/terminal-text.ts";

const LINE_CHARACTERS_MAX = 120;

/** Returns an input's text on one line. */
export function inputLine(content: readonly InputBlock[]): string {
  const text = inputTexts(content, (type) => `[${type}]`).join(" ");
  return shortened(neutraliseLine(text).replaceAll(/\s+/g, " ").trim(), LINE_CHARACTERS_MAX);
}

/** Returns the line about the input that was queued last. */
export function queuedText(waiting: readonly WaitingInput[], who: string): string {
  const input = waiting.at(-1);
  if (input === undefined) return "";
  const number = waiting.length;
  const when = input.delivery === "steer" ? "for the running turn" : "for its turn";
  return `${who} [${number}] ${when}: ${inputLine(input.content)}  (/withdraw ${number} takes it back)`;
}

/** Returns the line about a waiting input that another client has edited or moved; undefined if it is not known. */
export function changedInputText(
  waiting: readonly WaitingInput[],
  { kind, payload }: EnvelopeOf<"InputEdited" | "InputMoved">,
): string | undefined {
  const at = waiting.findIndex(({ inputId }) => inputId === payload.inputId);
  const input = waiting[at];
  if (input === undefined) return undefined;
  return `${kind === "InputEdited" ? "edited" : "moved"} [${at + 1}]: ${inputLine(input.content)}`;
}

/** Returns the text about held inputs; undefined if there are none. */
export function heldText(waiting: readonly WaitingInput[]): string | undefined {
  const heldLines = waiting.flatMap((input, at) =>
    input.held ? [`  [${at + 1}] ${inputLine(input.content)}`] : [],
  );
  if (heldLines.length === 0) return undefined;
  const what = heldLines.length === 1 ? "is held" : "are held";
  return [
    `${count(heldLines.length, "input")} ${what} until you send something; Enter sends the first, /withdraw N takes one back:`,
    ...heldLines,
  ].join("\n");
}

/** Returns the list of waiting inputs with the numbers that /withdraw takes. */
export function waitingText(waiting: readonly WaitingInput[]): string {
  if (waiting.length === 0) return "Nothing is waiting.";
  return waiting
    .map(({ content, delivery, held }, at) => {
      const how = held ? "held" : delivery === "steer" ? "for the running turn" : "for its turn";
      return `  [${at + 1}] ${how}: ${inputLine(content)}`;
    })
    .join("\n");
}
