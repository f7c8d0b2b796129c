import type { CommandOf } from "../../../protocol/commands/commands.ts";
import type { DrawnRow, Span } from "../drawing/span.ts";
import { span } from "../drawing/span.ts";
import { widthOfSpans, wrapSpans } from "../drawing/wrap-spans.ts";
import type { Field } from "../input/editor/field.ts";
import type { ActionName, KeyContext } from "../keys/actions.ts";
import type { Services } from "../layout/services.ts";

export type AnswerCommand = CommandOf<"AnswerPermission"> | CommandOf<"Answer">;

export interface DialogOptions {
  readonly services: Pick<Services, "session" | "settings" | "keys" | "say" | "workingDir">;
  /** Sends the answer, once: the question takes no more keys until it is refused. */
  readonly answer: (command: AnswerCommand) => void;
  /** Shows the question on the whole screen. */
  readonly showFull: () => void;
  /** Returns true while the question is on the whole screen. */
  readonly isFull: () => boolean;
}

/** One answer as it is shown. */
export interface ShownAnswer {
  /** The keys that give it. */
  readonly keys: readonly string[];
  readonly label: string;
  /** For a screen with few rows. */
  readonly short: string;
}

/** One open question: what it shows, and what its keys do. */
export interface Dialog {
  readonly contexts: readonly KeyContext[];
  readonly heading: string;
  /** Changes whenever the body does. */
  readonly version: number;
  /** A field for words; absent while none is open. */
  readonly field: Field | undefined;
  /** True once the person has put the focus into the field: its keys need no quiet time. */
  readonly hasFocus: boolean;
  /** Everything that is asked. */
  body(columns: number): readonly DrawnRow[];
  answers(): readonly ShownAnswer[];
  act(action: ActionName): boolean;
  type(text: string): boolean;
  /** Returns the row of the body that must be in sight. Default: none. */
  rowInSight?(columns: number): number;
}

/** Returns the rows of all answers: one a row, or one after the other if these are more than `rowsMax`. */
export function answerRows(
  answers: readonly ShownAnswer[],
  {
    columns,
    rowsMax,
    isLive,
  }: { readonly columns: number; readonly rowsMax: number; readonly isLive: boolean },
): readonly DrawnRow[] {
  const role = isLive ? "accent" : "dim";
  const text = isLive ? {} : ({ role: "dim" } as const);
  const listed = answers.flatMap(({ keys, label }) => {
    const head = `  ${keys.join("/")}  `;
    return wrapSpans([span(label, text)], {
      columns,
      first: [span(head, { role })],
      rest: [span(" ".repeat(Math.min(head.length, 6)))],
    });
  });
  if (listed.length <= rowsMax) return listed;
  return packed(
    answers.map(({ keys, short }) => [span(`${keys[0] ?? "-"} `, { role }), span(short, text)]),
    columns,
  );
}

const GAP = "   ";

/** Returns rows of entries with a gap between them. An entry is split only if it is wider than a row. */
function packed(entries: readonly (readonly Span[])[], columns: number): readonly DrawnRow[] {
  const lines: Span[][] = [];
  let used = columns;
  for (const entry of entries) {
    const width = widthOfSpans(entry);
    const line = lines.at(-1);
    if (line !== undefined && used + GAP.length + width <= columns) {
      line.push(span(GAP), ...entry);
      used += GAP.length + width;
    } else {
      lines.push([...entry]);
      used = width;
    }
  }
  return lines.flatMap((line) => wrapSpans(line, { columns }));
}
