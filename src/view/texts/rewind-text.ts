import { isObject, stringAt } from "../../base/json.ts";
import { count } from "../../base/text/text.ts";
import { neutraliseLine } from "../terminal/terminal-text.ts";

/** Paths of each list that are shown. */
const PATHS_SHOWN_MAX = 20;

/** Files and folders that setting back touches. */
export interface FileCounts {
  /** Files that come back, or become as they were. */
  readonly restore: number;
  readonly remove: number;
}

export interface RewindTextOptions {
  /** Prompt of the turn that is gone back to. */
  readonly words?: string;
  /** Returns the command that undoes it, by the event that it goes back to. */
  readonly undo: (event: number) => string;
}

const PLANNED = [
  ["create", "comes back"],
  ["change", "is restored"],
  ["mode", "gets its mode back"],
  ["remove", "is removed"],
] as const;
const SPARED = [
  ["contested", "stays as it is: you, or another program, changed it too"],
  ["foreign", "stays as it is: cinch did not change it"],
] as const;

/** Returns the result of a RewindSession for people: what it would do, or has done. */
export function rewindText(result: unknown, { words = "", undo }: RewindTextOptions): string {
  if (!isObject(result)) return "";
  const { conversation, files } = result;
  const done = result["done"] === true;
  const place = stringAt(result, "place") ?? `event ${Number(result["to"])}`;
  const head = `${done ? "Set back to" : "This would set back to"} ${place}${words === "" ? "" : `: ${words}`}`;
  const lines = [head];
  if (isObject(conversation)) lines.push(conversationText(conversation, done));
  if (isObject(files)) lines.push(...(done ? doneLines(files) : plannedLines(files)));
  const undoneBy = result["undo"];
  if (done && typeof undoneBy === "number") lines.push(`To undo that: ${undo(undoneBy)}`);
  return lines.join("\n");
}

/** Renders counts: "1 file is restored, 2 are removed", or "No file changes". */
export function filesText({ restore, remove }: FileCounts): string {
  const restored = restore === 0 ? [] : [`${count(restore, "file")} ${isAre(restore)} restored`];
  const noun = restore === 0 ? count(remove, "file") : `${remove}`;
  const removed = remove === 0 ? [] : [`${noun} ${isAre(remove)} removed`];
  const told = [...restored, ...removed];
  return told.length === 0 ? "No file changes" : told.join(", ");
}

function isAre(number: number): string {
  return number === 1 ? "is" : "are";
}

function conversationText(report: Readonly<Record<string, unknown>>, done: boolean): string {
  const [removed, restored] = [Number(report["removed"] ?? 0), Number(report["restored"] ?? 0)];
  if (restored > 0)
    return `  Conversation: ${count(restored, "message")} come${restored === 1 ? "s" : ""} back.`;
  if (removed === 0) return "  Conversation: nothing changes.";
  const forgets = done ? "has forgotten" : "forgets";
  return `  Conversation: the model ${forgets} the last ${count(removed, "message")}.`;
}

function plannedLines(files: Readonly<Record<string, unknown>>): readonly string[] {
  return headed(filesText(countsOf(files)), [
    ...[...PLANNED, ...SPARED].flatMap(([key, what]) => listed(files[key], what)),
    ...unreached(files["notRestorable"], "cannot be set back"),
  ]);
}

function doneLines(files: Readonly<Record<string, unknown>>): readonly string[] {
  const counts = countsOf(files);
  const restored = Number(files["restored"] ?? 0);
  const isWhole = restored === counts.restore + counts.remove;
  const text = isWhole ? filesText(counts) : `${count(restored, "file")} ${isAre(restored)} set back`;
  return headed(text, [
    ...(isWhole ? PLANNED.flatMap(([key, what]) => listed(files[key], what)) : []),
    ...unreached(files["kept"], "stays as it is"),
    ...unreached(files["notRestorable"], "cannot be set back"),
  ]);
}

function headed(text: string, lines: readonly string[]): readonly string[] {
  return [`  ${text}${lines.length === 0 ? "." : ":"}`, ...lines];
}

function countsOf(files: Readonly<Record<string, unknown>>): FileCounts {
  const { counts } = files;
  const { restore, remove } = isObject(counts) ? counts : {};
  return { restore: Number(restore ?? 0), remove: Number(remove ?? 0) };
}

function listed(list: unknown, what: string): readonly string[] {
  if (!Array.isArray(list)) return [];
  return cut(list.map((path) => `    ${neutraliseLine(String(path))} ${what}`));
}

function unreached(list: unknown, what: string): readonly string[] {
  if (!Array.isArray(list)) return [];
  const lines = list.filter(isObject).map(({ path, why }) => {
    return `    ${neutraliseLine(String(path))} ${what}: ${neutraliseLine(String(why))}`;
  });
  return cut(lines);
}

function cut(lines: readonly string[]): readonly string[] {
  const rest = lines.length - PATHS_SHOWN_MAX;
  return rest <= 0 ? lines : [...lines.slice(0, PATHS_SHOWN_MAX), `    … and ${rest} more`];
}
