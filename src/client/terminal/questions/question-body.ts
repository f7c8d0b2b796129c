import { count } from "../../../base/text/text.ts";
import { leftOutText, UNCERTAIN_TEXT } from "../../../view/questions/question-words.ts";
import type { Question } from "../../../view/questions/questions.ts";
import type { DrawnRow } from "../drawing/span.ts";
import { EMPTY_ROW, row, span } from "../drawing/span.ts";
import { widthOfSpans, wrapSpans } from "../drawing/wrap-spans.ts";
import type { Dialog } from "./dialog.ts";
import { unansweredSentence } from "./time-limit.ts";

/** All rows of what a question asks, and the part of them that fits. */
export class QuestionBody {
  readonly #dialog: Dialog;
  /** First row that is shown. */
  #top = 0;
  /** Version of the dialog in the last frame. */
  #version = 0;
  /** Rows that there was room for in the last frame, and all rows. */
  #room = 0;
  #count = 0;
  /** The rows of the last frame, and all that they depend on. */
  #drawn: { readonly of: readonly unknown[]; readonly rows: readonly DrawnRow[] } | undefined;

  constructor(dialog: Dialog) {
    this.#dialog = dialog;
  }

  /** Returns all rows. @param layout of diffs: the rows depend on it. */
  rows(question: Question, columns: number, layout: string): readonly DrawnRow[] {
    const of = [question, columns, this.#dialog.version, layout];
    if (this.#drawn?.of.every((each, at) => each === of[at]) === true) return this.#drawn.rows;
    this.#drawn = { of, rows: [...this.#dialog.body(columns), ...noteRows(question, columns)] };
    return this.#drawn.rows;
  }

  /**
   * Returns the rows that fit, the last of which counts those that are hidden.
   * @param hint words behind that count.
   */
  window(
    rows: readonly DrawnRow[],
    { room, columns, hint }: { readonly room: number; readonly columns: number; readonly hint: string },
  ): readonly DrawnRow[] {
    this.#room = room;
    this.#count = rows.length;
    if (rows.length <= room) {
      this.#top = 0;
      return rows;
    }
    if (this.#version !== this.#dialog.version) {
      this.#version = this.#dialog.version;
      this.#top = this.#dialog.rowInSight?.(columns) ?? 0;
    }
    this.#top = Math.max(0, Math.min(this.#top, rows.length - Math.max(1, room - 1)));
    const top = this.#top;
    if (room === 1) return [onlyRow(rows[top] ?? EMPTY_ROW, rows.length - 1, columns)];
    const shown = rows.slice(top, top + room - 1);
    const below = rows.length - top - shown.length;
    const hidden = [
      ...(top === 0 ? [] : [`${count(top, "row")} above`]),
      ...(below === 0 ? [] : [`${count(below, "row")} below`]),
    ];
    const text = `… ${hidden.join(", ")}${hint}`;
    return [...shown, ...wrapSpans([span(text, { role: "dim" })], { columns }).slice(0, 1)];
  }

  /** Scrolls by a page. Returns false if the last frame had all rows. */
  scroll(by: 1 | -1): boolean {
    if (this.#count <= this.#room) return false;
    const rows = Math.max(1, this.#room - 2) * by;
    this.#top = Math.max(0, Math.min(this.#count - this.#room, this.#top + rows));
    return true;
  }
}

/** Returns one row of a body, with the count of the others behind it. */
function onlyRow({ spans }: DrawnRow, others: number, columns: number): DrawnRow {
  const rest = span(` … +${others}`, { role: "dim" });
  const room = Math.max(1, columns - widthOfSpans([rest]));
  const [first = EMPTY_ROW] = wrapSpans(spans, { columns: room, byWords: false });
  return row([...first.spans, rest]);
}

/** Returns rows about an incomplete or uncertain question, and about what happens without an answer. */
function noteRows(question: Question, columns: number): readonly DrawnRow[] {
  const limit = unansweredSentence(question);
  const lines = [
    ...(question.leftOut === undefined ? [] : [leftOutText(question.leftOut)]),
    ...(question.isUncertain === true ? [UNCERTAIN_TEXT] : []),
    ...(limit === undefined ? [] : [limit]),
  ];
  return lines.flatMap((line) => wrapSpans([span(line, { role: "dim" })], { columns }));
}
