import { count } from "../../../../base/text/text.ts";
import type { Turns } from "../../../../view/session/turns.ts";
import { knownTurns } from "../../../../view/session/turns.ts";
import { ageText } from "../../../../view/texts/age-text.ts";
import { rewindText } from "../../../../view/texts/rewind-text.ts";
import { changeDiff } from "../../changes/change-files.ts";
import { diffRows } from "../../diff/diff-rows.ts";
import type { DrawnRow } from "../../drawing/span.ts";
import { EMPTY_ROW, span } from "../../drawing/span.ts";
import { wrapSpans } from "../../drawing/wrap-spans.ts";
import type { ListCell, ListColumn, PanelEntry } from "../../panels/list-entry.ts";
import type { Size } from "../../screen/screen.ts";
import type { ChangesOfTurn, PlannedRewind, RewindTurn } from "./rewind-turns.ts";

/** A turn to go back to, or the last rewind, to be undone. */
export type RewindChoice =
  | { readonly kind: "turn"; readonly turn: RewindTurn }
  | { readonly kind: "undo"; readonly to: number; readonly what: "files" | "conversation" | "both" };

export const REWIND_COLUMNS: readonly ListColumn[] = [{ name: "files" }, { name: "lines" }, { name: "age" }];

/** Lines of the changes of one turn that the preview draws. */
const PREVIEW_LINES_MAX = 100;

/** Returns the command that undoes a rewind, for `rewindText`. */
export const undoWords = (): string => "the first entry of this list, or /rewind undo";

/** Returns the entries of the list of prompts, the newest first. */
export function rewindEntries(
  listed: readonly RewindTurn[],
  {
    turns,
    nowMs,
    changesOf,
  }: {
    readonly turns: Turns;
    readonly nowMs: number;
    readonly changesOf: (turn: RewindTurn) => ChangesOfTurn | string | undefined;
  },
): readonly PanelEntry<RewindChoice>[] {
  const known = knownTurns(turns);
  const oldest = turns.all[0]?.event ?? Number.MAX_SAFE_INTEGER;
  const entries = listed.map((turn): PanelEntry<RewindChoice> => {
    // What the view has forgotten was never taken back, as far as is known.
    const isTakenBack = turn.first_event >= oldest && !known.has(turn.first_event);
    const { prompt, started_at: at } = turn;
    return {
      value: choiceOf(turn),
      label: prompt.trim() === "" ? "(no text)" : prompt.replaceAll(/\s+/g, " "),
      detail: isTakenBack ? "taken back" : "",
      sign: { text: String(turn.turn), role: "dim" },
      cells: [...changeCellsOf(turn, changesOf(turn)), { text: ageText(at, nowMs) }],
      isDim: isTakenBack,
    };
  });
  const { undo } = turns;
  if (undo === undefined) return entries;
  return [
    { value: undoChoice(undo), label: "Undo the last rewind", sign: { text: "↺", role: "accent" } },
    ...entries,
  ];
}

const choices = new WeakMap<RewindTurn, RewindChoice>();
const undos = new WeakMap<object, RewindChoice>();

/** The same turn is the same choice in each list, so that the cursor's entry stays known. */
function choiceOf(turn: RewindTurn): RewindChoice {
  const known = choices.get(turn) ?? { kind: "turn", turn };
  choices.set(turn, known);
  return known;
}

function undoChoice(undo: NonNullable<Turns["undo"]>): RewindChoice {
  const known = undos.get(undo) ?? { kind: "undo", ...undo };
  undos.set(undo, known);
  return known;
}

function changeCellsOf(
  { files }: RewindTurn,
  changes: ChangesOfTurn | string | undefined,
): readonly ListCell[] {
  if (files.length === 0) return [{ text: "" }, { text: "" }];
  const number = { text: String(files.length) };
  if (changes === undefined) return [number, { text: "…" }];
  if (typeof changes === "string") return [number, { text: "?" }];
  let [added, removed] = [0, 0];
  for (const file of changes.files) {
    added += file.added;
    removed += file.removed;
  }
  const all = changes.files.length + (changes.left_out ?? 0);
  return [{ text: String(all) }, { text: `+${added} -${removed}`, role: "text" }];
}

/** Returns the rows about a turn: what going back to before it would do, and what the turn changed. */
export function rewindPreview(
  turn: RewindTurn,
  {
    plan,
    changes,
  }: {
    readonly plan: PlannedRewind | string | undefined;
    readonly changes: ChangesOfTurn | string | undefined;
  },
  { columns, rows }: Size,
): readonly DrawnRow[] {
  const text = (line: string, isDim = false) =>
    wrapSpans([span(line, isDim ? { role: "dim" } : {})], { columns });
  const planned =
    plan === undefined
      ? text("reading what would be set back …", true)
      : typeof plan === "string"
        ? text(plan, true)
        : planLines(plan).flatMap((line) => text(line));
  const changed =
    turn.files.length === 0
      ? []
      : changes === undefined
        ? text("reading the changes …", true)
        : typeof changes === "string"
          ? text(changes, true)
          : diffRows(changes.files.map(changeDiff), {
              columns,
              layout: "unified",
              linesMax: Math.min(PREVIEW_LINES_MAX, rows),
            });
  const head =
    turn.files.length === 0
      ? text(`Turn ${turn.turn} changed no file.`, true)
      : text(`Turn ${turn.turn} changed ${count(turn.files.length, "file")}:`, true);
  return [...planned, EMPTY_ROW, ...head, ...changed].slice(0, rows);
}

/** Returns the lines about a plan, without its prompt, which stands in the list. */
export function planLines(plan: PlannedRewind): readonly string[] {
  return rewindText(plan, { undo: undoWords }).split("\n");
}
