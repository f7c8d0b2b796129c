import { count, grouped, shortened } from "../../../base/text/text.ts";
import type { ResultContent } from "../../../protocol/content.ts";
import type { PayloadOf } from "../../../protocol/events/events.ts";
import type { ToolKind } from "../../../protocol/events/shown-call.ts";
import { spokenChange } from "../../../view/answers/spoken-change.ts";
import { withoutFenceTags } from "../../../view/input-text.ts";
import { neutraliseLine } from "../../../view/terminal/terminal-text.ts";
import { firstLine, SHOWN_LINE_CHARACTERS_MAX } from "../../../view/texts/first-line.ts";
import { changeText } from "./change-text.ts";

/** Last lines of a command's output that are printed: a failed one ends with its cause. */
const FAILED_LINES_MAX = 12;
const DONE_LINES_MAX = 3;
/** Lines of a change that are printed; /diff has all. */
const CHANGE_LINES_MAX = 40;

/** Facts of a call that decide how its result is printed. */
export interface PrintedCall {
  readonly kind: ToolKind | undefined;
  /** The change that it makes, as quoted lines. Empty: none, or it was printed before. */
  readonly change: readonly string[];
  /** True if the arguments hold a whole file: only the engine knows its changed lines. */
  readonly isWhole: boolean;
  /** True if a question has printed the change. Default: false. */
  readonly isPrinted?: boolean;
}

/** Returns the facts of a call from its start. */
export function printedCall({ args, preview, toolKind: kind }: PayloadOf<"ToolCallStarted">): PrintedCall {
  const isWhole = preview !== undefined && preview.old === undefined;
  return { kind, change: preview === undefined ? [] : changeText({ args, preview }), isWhole };
}

/**
 * Renders a result: state and size in the first line. Below it the last lines of a command, or the change of an edit
 * that nobody was asked about.
 * @param isSpoken true for a screen reader: a change has words in place of signs. Default: false.
 */
export function resultLines(
  { content, isError = false }: Pick<PayloadOf<"ToolResult">, "content" | "isError">,
  { kind, change }: PrintedCall,
  { isSpoken = false }: { readonly isSpoken?: boolean } = {},
): readonly [head: string, ...quoted: string[]] {
  const text = textOfResult(content);
  if (kind === "execute") return commandLines(text, isError);
  if (isError) return [headOf("failed", firstLine(text) ?? "")];
  if (change.length > 0) return changeLines(change, isSpoken);
  return [headOf("ok", sizeOf(text, content))];
}

/** The notes behind the output of a command: `[exit code 1]`, `[Timed out after 5 s …]`. */
const NOTE = /^\[(.*)\]$/;

function commandLines(text: string, isError: boolean): readonly [string, ...string[]] {
  const lines = text.replace(/\n+$/, "").split("\n");
  const state = isError ? "failed" : "ok";
  if (lines.length === 1)
    return [headOf(state, firstLine(lines[0]?.match(NOTE)?.[1] ?? text) ?? "no output")];
  const notesFrom = lines.findLastIndex((line) => !NOTE.test(line)) + 1;
  const notes = isError ? lines.slice(notesFrom).flatMap((line) => line.match(NOTE)?.[1] ?? []) : [];
  const output = notes.length === 0 ? lines : lines.slice(0, notesFrom);
  const size = count(output.length, "line");
  const shown = output.slice(isError ? -FAILED_LINES_MAX : -DONE_LINES_MAX);
  const head = headOf(state, [...notes.map(shortLine), size].join(", "));
  return [head, ...shown.map((line) => `| ${shortLine(line)}`)];
}

function changeLines(change: readonly string[], isSpoken: boolean): readonly [string, ...string[]] {
  const counted = (mark: string) => grouped(change.filter((line) => line.startsWith(`| ${mark}`)).length);
  const rest = change.length - CHANGE_LINES_MAX;
  const more = rest > 0 ? [`| … ${count(rest, "more line")}; /diff shows all`] : [];
  const shown = change.slice(0, CHANGE_LINES_MAX);
  if (isSpoken)
    return [headOf("ok", `${counted("+")} added, ${counted("-")} removed`), ...spokenChange(shown), ...more];
  return [headOf("ok", `+${counted("+")} -${counted("-")}`), ...shown, ...more];
}

function headOf(state: "ok" | "failed", detail: string): string {
  return detail === "" ? state : `${state}: ${detail}`;
}

function shortLine(line: string): string {
  return shortened(neutraliseLine(line), SHOWN_LINE_CHARACTERS_MAX);
}

/** Joins the texts of a result; `[image]` and the like stand for other blocks. */
export function textOfResult(content: readonly ResultContent[]): string {
  return content
    .map((block) => (block.type === "text" ? withoutFenceTags(block.text) : `[${block.type}]`))
    .join("\n");
}

function sizeOf(text: string, content: readonly ResultContent[]): string {
  if (content.length === 0 || text.trim() === "") return "no output";
  const lines = text.replace(/\n$/, "").split("\n").length;
  return lines === 1 ? (firstLine(text) ?? "") : count(lines, "line");
}
