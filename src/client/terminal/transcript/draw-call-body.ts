import { defined } from "../../../base/defined.ts";
import { sizeText } from "../../../base/text/size-text.ts";
import { count, grouped, head } from "../../../base/text/text.ts";
import { cutEnd } from "../../../view/terminal/display-width.ts";
import { neutralise } from "../../../view/terminal/terminal-text.ts";
import { proposedChanges } from "../../../view/texts/changes/change-preview.ts";
import type { CallItem } from "../../../view/transcript/items.ts";
import type { DiffFile, DiffLine } from "../diff/diff-file.ts";
import { diffRows } from "../diff/diff-rows.ts";
import { filesOfCall, proposedDiff } from "../diff/proposed-diff.ts";
import type { DrawnRow } from "../drawing/span.ts";
import { row, span } from "../drawing/span.ts";
import { wrapSpans } from "../drawing/wrap-spans.ts";
import { isAnswered } from "./draw-call-words.ts";
import type { DrawContext } from "./draw-context.ts";

const INDENT = "  ";
/** Lines of a diff that a folded call shows. */
const DIFF_LINES = 12;
const CUT_TEXT = "  … a long change: /diff shows more of it";
/** Rows that a line takes in a folded call, about. */
const LINE_ROWS = 3;
/** Columns of the note about the characters behind them. */
const NOTE_COLUMNS = 40;
/** Fewer lines are not hidden: the row about them would save next to nothing. */
const FOLDED_LINES_MIN = 3;

/** Returns the rows below the first one of a call: its change, its output, its media. */
export function callBody(call: CallItem, context: DrawContext, isUnfolded: boolean): readonly DrawnRow[] {
  // The dialog of the question shows the change.
  const files = call.state === "asked" && !isUnfolded ? [] : changesOf(call);
  const changes = [
    ...(files.length === 0 ? [] : changeRows(files, context, isUnfolded)),
    ...(isChangeCut(call) ? wrapSpans([span(CUT_TEXT, { role: "dim" })], { columns: context.columns }) : []),
  ];
  const media = call.media.map(({ type, bytes }) =>
    row(
      [
        span(
          cutEnd(`${INDENT}[${type}${bytes === undefined ? "" : `: ${sizeText(bytes)}`}]`, context.columns),
          { role: "dim" },
        ),
      ],
      {
        margin: INDENT.length,
      },
    ),
  );
  const isQuiet = !isUnfolded && call.state === "done" && (changes.length > 0 || isRead(call));
  return [...changes, ...(isQuiet ? [] : outputRows(call, context, isUnfolded)), ...media];
}

/** True if a change is too long to be here whole. */
function isChangeCut({ diff, preview, areArgsCut, state }: CallItem): boolean {
  return areArgsCut === true && diff === undefined && preview !== undefined && state !== "asked";
}

function isRead({ toolKind }: CallItem): boolean {
  return toolKind === "read" || toolKind === "search" || toolKind === "fetch";
}

/** Returns the change of a call. If its arguments were cut: the beginning of a new file, and nothing of an edit. */
function changesOf(call: CallItem): readonly DiffFile[] {
  const { diff, preview, args, areArgsCut } = call;
  if (diff !== undefined || areArgsCut !== true) return filesOfCall(call);
  const whole = proposedChanges(preview, args).filter(({ before }) => before === undefined);
  return proposedDiff(whole).map(withoutNotes);
}

/** Returns a change without notes about its end, which was cut. */
function withoutNotes({ hunks, ...file }: DiffFile): DiffFile {
  const isLine = ({ kind }: DiffLine) => kind !== "note";
  return { ...file, hunks: hunks.map((hunk) => ({ ...hunk, lines: hunk.lines.filter(isLine) })) };
}

function changeRows(
  files: readonly DiffFile[],
  { columns, diffLayout, unfoldKey }: DrawContext,
  isUnfolded: boolean,
): readonly DrawnRow[] {
  const lines = files.reduce(
    (sum, { hunks }) => sum + hunks.reduce((all, each) => all + each.lines.length, 0),
    0,
  );
  const isWhole = isUnfolded || lines < DIFF_LINES + FOLDED_LINES_MIN;
  const drawn = diffRows(files, {
    columns: Math.max(1, columns - INDENT.length),
    layout: diffLayout,
    hasNames: false,
    ...(isUnfolded ? {} : { charactersMax: LINE_ROWS * columns, ...defined({ unfoldKey }) }),
    ...(isWhole ? {} : { linesMax: DIFF_LINES }),
  });
  return drawn.map((each) => ({
    ...each,
    spans: [span(INDENT), ...each.spans],
    margin: (each.margin ?? 0) + INDENT.length,
  }));
}

function outputRows(call: CallItem, context: DrawContext, isUnfolded: boolean): readonly DrawnRow[] {
  const { columns, lastLines, unfoldKey } = context;
  const output = call.state === "running" ? (call.progress?.tail ?? call.output) : call.output;
  if (output === "" || isAnswered(call)) return [];
  const lines = neutralise(output.replace(/\n+$/, "")).split("\n");
  const last = isUnfolded ? lines : lines.slice(firstShown(lines.length, lastLines));
  const shown = isUnfolded ? last : last.map((line) => shortLine(line, context));
  const all = call.state === "running" ? Math.max(lines.length, call.progress?.lines ?? 0) : lines.length;
  const hidden = all - shown.length;
  const leftOut = call.outputLeftOut ?? 0;
  const before = [
    ...(hidden > 0 ? [count(hidden, "line")] : []),
    ...(leftOut > 0 ? [`${grouped(leftOut)} characters`] : []),
  ].join(" and ");
  const more =
    before === ""
      ? []
      : [
          row(
            [
              span(
                cutEnd(
                  `${INDENT}… ${before} before${unfoldKey === undefined ? "" : ` · ${unfoldKey} unfolds`}`,
                  columns,
                ),
                { role: "dim" },
              ),
            ],
            { margin: columns },
          ),
        ];
  const role = call.state === "failed" ? "failure" : "dim";
  return [
    ...more,
    ...shown.flatMap((line) => wrapSpans([span(line, { role })], { columns, first: [span(INDENT)] })),
  ];
}

/** Returns a line as a folded call shows it: a few rows, and the count of the characters behind them. */
function shortLine(line: string, { columns, unfoldKey }: DrawContext): string {
  const most = LINE_ROWS * columns;
  if (line.length <= most) return line;
  const begins = head(line, Math.max(1, most - NOTE_COLUMNS));
  const hint = unfoldKey === undefined ? "" : ` · ${unfoldKey} unfolds`;
  return `${begins} … ${grouped(line.length - begins.length)} more characters${hint}`;
}

/** Returns the first line that a folded call shows: all of them if only a few more would be hidden. */
function firstShown(lines: number, lastLines: number): number {
  return lines < lastLines + FOLDED_LINES_MIN ? 0 : lines - lastLines;
}
