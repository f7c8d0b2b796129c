import { durationText } from "../../../base/text/duration.ts";
import { count } from "../../../base/text/text.ts";
import { displayName } from "../../../view/session/clients.ts";
import { cutEnd } from "../../../view/terminal/display-width.ts";
import { neutralise } from "../../../view/terminal/terminal-text.ts";
import { endingText } from "../../../view/texts/ending-text.ts";
import type {
  EndItem,
  NoteItem,
  PromptBlock,
  PromptItem,
  ThinkingItem,
} from "../../../view/transcript/items.ts";
import { promptBlockText } from "../../../view/transcript/source/item-source.ts";
import { streamedSource } from "../../../view/transcript/streamed-text.ts";
import type { DrawnRow } from "../drawing/span.ts";
import { row, span } from "../drawing/span.ts";
import { TONE_ROLES } from "../drawing/tones.ts";
import { wrapSpans } from "../drawing/wrap-spans.ts";
import { imageLabels } from "../images/draft-image.ts";
import type { DrawContext } from "./draw-context.ts";
import { isOwn, isOwnMode } from "./draw-context.ts";

const TONES = { ...TONE_ROLES, info: "dim" } as const;
/** A deeper indent is cut, so that room for words remains. */
const INDENT_MAX = 8;

/** A longer prompt, such as a pasted file, is folded. */
const PROMPT_LINES_MAX = 30;
/** Lines of a folded prompt that are shown. */
const PROMPT_LINES_FOLDED = 10;

/**
 * Returns the rows of a prompt: a bar at the left, and the name of the client if it is another one. Of a long prompt
 * that is not unfolded, the first lines.
 */
export function drawPrompt(
  { content, originator, event }: PromptItem,
  context: DrawContext,
): readonly DrawnRow[] {
  const { columns, clients, self, unfoldKey } = context;
  const bar = [span("▌ ", { role: "prompt" })];
  const name =
    self === undefined || isOwn(originator, event, context)
      ? []
      : [
          row([...bar, span(cutEnd(displayName(clients, originator), columns - 2), { role: "dim" })], {
            margin: 2,
          }),
        ];
  const lines = unlabelled(content).flatMap((block) => neutralise(promptBlockText(block)).split("\n"));
  const isFolded = lines.length > PROMPT_LINES_MAX && !context.unfolded.has(event);
  const shown = isFolded ? lines.slice(0, PROMPT_LINES_FOLDED) : lines;
  const more = `… ${count(lines.length - shown.length, "more line")}${unfoldKey === undefined ? "" : ` · ${unfoldKey} unfolds`}`;
  return [
    ...name,
    ...shown.flatMap((line) => wrapSpans([span(line, { role: "prompt" })], { columns, first: bar })),
    ...(isFolded
      ? [row([...bar, span(cutEnd(more, columns - 2), { role: "dim" })], { margin: columns })]
      : []),
  ].map((each) => ({ ...each, fill: "prompt" as const, target: { event } }));
}

/** Returns the blocks of a prompt without the images that its text names by a label. */
function unlabelled(content: readonly PromptBlock[]): readonly PromptBlock[] {
  let labels = content.reduce(
    (sum, block) => sum + (block.type === "text" ? imageLabels(block.text).length : 0),
    0,
  );
  return content.filter((block) => block.type !== "image" || --labels < 0);
}

/** Returns the rows of thinking: one line, or all of it if it is unfolded. */
export function drawThinking(
  { streamed, event, ts, endedAt }: ThinkingItem,
  { columns, unfolded }: DrawContext,
): readonly DrawnRow[] {
  const target = { event };
  const title = `∴ ${thoughtText(ts, endedAt)}, ${count(Math.max(1, streamed.lines), "line")}`;
  const head = row([span(cutEnd(title, columns), { role: "dim", isItalic: true })], { target });
  if (!unfolded.has(event)) return [head];
  const lines = neutralise(streamedSource(streamed).trim()).split("\n");
  const body = lines.flatMap((line) =>
    wrapSpans([span(line, { role: "dim", isItalic: true })], { columns, first: [span("  ")] }),
  );
  return [head, ...body];
}

function thoughtText(ts: string, endedAt: string | undefined): string {
  if (endedAt === undefined) return "thinking";
  const ms = Date.parse(endedAt) - Date.parse(ts);
  return Number.isFinite(ms) && ms >= 1_000
    ? `thought for ${durationText(Math.round(ms / 1_000) * 1_000)}`
    : "thought";
}

/**
 * Returns the rows of a note, with the client that did it, or the command of this client that it answers. A change of
 * the mode by the person has none.
 */
export function drawNote(note: NoteItem, context: DrawContext): readonly DrawnRow[] {
  if (isOwnMode(note, context)) return [];
  const { text, tone, by, local, event, isOpen } = note;
  const { columns, clients } = context;
  const who = by === undefined || isOwn(by, event, context) ? "" : ` (by ${displayName(clients, by)})`;
  // The dialog has the rest.
  if (isOpen === true)
    return [row([span(cutEnd(text.replace("\n", " …\n").split("\n", 1).join(), columns), { role: "dim" })])];
  const role = local !== undefined && tone === "info" ? "text" : TONES[tone];
  const title =
    local?.title === undefined ? [] : wrapSpans([span(local.title, { role: "accent" })], { columns });
  const lines = `${text}${who}`
    .split("\n")
    .flatMap((line) => wrapSpans([span(line, { role })], { columns, rest: [span(hangingIndent(line))] }));
  return [...title, ...lines];
}

/** Returns the indent of the rows that continue a line: two columns more than its own, so that columns stay apart. */
function hangingIndent(line: string): string {
  return " ".repeat(Math.min(INDENT_MAX, line.search(/\S|$/)) + 2);
}

/** Returns the row about the end of a turn; none if it ended as it should, or an item says it. */
export function drawEnd({ reason, isSaid }: EndItem, { columns }: DrawContext): readonly DrawnRow[] {
  const text = isSaid === true ? undefined : endingText(reason);
  return text === undefined ? [] : wrapSpans([span(`— ${text}`, { role: "warning" })], { columns });
}
