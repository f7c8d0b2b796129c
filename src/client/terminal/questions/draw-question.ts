import type { DrawnRow } from "../drawing/span.ts";
import { span } from "../drawing/span.ts";
import { wrapSpans } from "../drawing/wrap-spans.ts";
import type { DrawnPart } from "../layout/part.ts";
import { inSight } from "../layout/part.ts";
import type { Size } from "../screen/screen.ts";
import type { Dialog } from "./dialog.ts";
import { answerRows } from "./dialog.ts";

/** A question as the dock shows it. */
export interface DrawnQuestion {
  readonly heading: string;
  readonly dialog: Dialog;
  /** True once it is answered. */
  readonly isSent: boolean;
  /** True if keys answer it. */
  readonly isLive: boolean;
  /** Returns the rows of what is asked that fit into some rows. */
  readonly body: (room: number) => readonly DrawnRow[];
}

/**
 * Returns a question in rows: its heading, what is asked, a field for words, and its answers.
 * @returns `hasBodyRoom`: true unless the heading alone fills the rows.
 */
export function drawQuestion(
  question: DrawnQuestion,
  { columns, rows: height }: Size,
): { readonly part: DrawnPart; readonly hasBodyRoom: boolean } {
  const { heading, dialog, isSent, isLive, body } = question;
  // On a low screen the field comes first, then one row of each other part.
  const field = dialog.field?.draw({ columns, rows: Math.max(1, Math.floor(height / 3)) });
  const fieldRows = field?.rows ?? [];
  const rest = height - fieldRows.length;
  const head = wrapSpans([span(heading, { role: "warning", isBold: true })], { columns }).slice(
    0,
    Math.max(1, Math.floor(rest / 3)),
  );
  const answers = (
    isSent
      ? wrapSpans([span("The answer is on its way.", { role: "dim" })], { columns })
      : answerRows(dialog.answers(), { columns, rowsMax: Math.max(2, Math.floor(height / 2)), isLive })
  ).slice(0, Math.max(1, rest - head.length - 1));
  const shown = body(Math.max(1, rest - head.length - answers.length));
  const rows = [...head, ...shown, ...fieldRows, ...answers];
  const hasBodyRoom = height > head.length;
  if (field?.cursor === undefined || !isLive) return { part: { rows: rows.slice(0, height) }, hasBodyRoom };
  const cursor = { row: head.length + shown.length + field.cursor.row, column: field.cursor.column };
  return { part: inSight({ rows, cursor }, height), hasBodyRoom };
}
