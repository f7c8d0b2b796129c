import { count } from "../../base/text/text.ts";
import type { ResultOfCommand } from "../../protocol/commands/results.ts";
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

type RewindResult = ResultOfCommand<"RewindSession">;
type RewoundFiles = NonNullable<RewindResult["files"]>;
type Unreached = RewoundFiles["notRestorable"];

/** Renders the result of a RewindSession: what it would do, or has done. */
export function rewindText(result: RewindResult, { words = "", undo }: RewindTextOptions): string {
  const { done, to, place = `event ${to}`, conversation, files, undo: undoneBy } = result;
  const head = `${done ? "Set back to" : "This would set back to"} ${place}${words === "" ? "" : `: ${words}`}`;
  const lines = [head];
  if (conversation !== undefined) lines.push(conversationText(conversation, done));
  if (files !== undefined) lines.push(...(done ? doneLines(files) : plannedLines(files)));
  if (done && undoneBy !== undefined) lines.push(`To undo that: ${undo(undoneBy)}`);
  return lines.join("\n");
}

/** Renders counts: "1 file is restored, 2 are removed", or "No file changes". */
export function filesText({ restore, remove }: FileCounts): string {
  const restored = restore === 0 ? [] : [`${count(restore, "file")} ${isAre(restore)} restored`];
  const noun = restore === 0 ? count(remove, "file") : `${remove}`;
  const removed = remove === 0 ? [] : [`${noun} ${isAre(remove)} removed`];
  const changedPaths = [...restored, ...removed];
  return changedPaths.length === 0 ? "No file changes" : changedPaths.join(", ");
}

function isAre(number: number): string {
  return number === 1 ? "is" : "are";
}

function conversationText(
  { removed, restored = 0 }: NonNullable<RewindResult["conversation"]>,
  done: boolean,
): string {
  if (restored > 0)
    return `  Conversation: ${count(restored, "message")} come${restored === 1 ? "s" : ""} back.`;
  if (removed === 0) return "  Conversation: nothing changes.";
  const forgets = done ? "has forgotten" : "forgets";
  return `  Conversation: the model ${forgets} the last ${count(removed, "message")}.`;
}

const NO_FILES: FileCounts = { restore: 0, remove: 0 };

function plannedLines(files: RewoundFiles): readonly string[] {
  return headed(filesText(files.counts ?? NO_FILES), [
    ...[...PLANNED, ...SPARED].flatMap(([key, what]) => listed(files[key], what)),
    ...unreached(files.notRestorable, "cannot be set back"),
  ]);
}

function doneLines({
  counts = NO_FILES,
  restored = 0,
  kept = [],
  ...files
}: RewoundFiles): readonly string[] {
  const isWhole = restored === counts.restore + counts.remove;
  const text = isWhole ? filesText(counts) : `${count(restored, "file")} ${isAre(restored)} set back`;
  return headed(text, [
    ...(isWhole ? PLANNED.flatMap(([key, what]) => listed(files[key], what)) : []),
    ...unreached(kept, "stays as it is"),
    ...unreached(files.notRestorable, "cannot be set back"),
  ]);
}

function headed(text: string, lines: readonly string[]): readonly string[] {
  return [`  ${text}${lines.length === 0 ? "." : ":"}`, ...lines];
}

function listed(paths: readonly string[], what: string): readonly string[] {
  return cut(paths.map((path) => `    ${neutraliseLine(path)} ${what}`));
}

function unreached(paths: Unreached, what: string): readonly string[] {
  return cut(paths.map(({ path, why }) => `    ${neutraliseLine(path)} ${what}: ${neutraliseLine(why)}`));
}

function cut(lines: readonly string[]): readonly string[] {
  const rest = lines.length - PATHS_SHOWN_MAX;
  return rest <= 0 ? lines : [...lines.slice(0, PATHS_SHOWN_MAX), `    … and ${rest} more`];
}
