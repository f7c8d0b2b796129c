import { span } from "../drawing/span.ts";
import { wrapSpans } from "../drawing/wrap-spans.ts";
import { Field } from "../input/editor/field.ts";
import type { ActionName, KeyContext } from "../keys/actions.ts";
import type { DrawnPart } from "../layout/part.ts";

/** A question or a field that stands in place of the search of a list. All keys are its own. */
export interface ListPrompt {
  readonly contexts: readonly KeyContext[];
  draw(columns: number): DrawnPart;
  act(action: ActionName): boolean;
  type(text: string): boolean;
  paste(text: string): boolean;
}

interface Asked {
  readonly text: string;
  /** The effect of yes, in a word. */
  readonly yes: string;
  readonly done: () => void;
  readonly close: () => void;
}

/** Returns a question: `y` is yes, and any other key is no. A pasted text is no. */
export function askFor({ text, yes, done, close }: Asked): ListPrompt {
  const refuse = () => {
    close();
    return true;
  };
  return {
    contexts: [],
    draw: (columns) => ({
      rows: [
        ...wrapSpans([span(text, { role: "warning", isBold: true })], { columns }),
        ...wrapSpans([span(`y: ${yes} · any other key: leave it`)], { columns }),
      ],
    }),
    act: refuse,
    type(typed) {
      close();
      if (typed === "y") done();
      return true;
    },
    paste: refuse,
  };
}

interface Edited {
  readonly label: string;
  readonly text: string;
  readonly done: (text: string) => void;
  readonly close: () => void;
}

/** Returns a field with a text: Enter takes it, Esc leaves it. */
export function editText({ label, text, done, close }: Edited): ListPrompt {
  const field = new Field();
  field.insert(text);
  return {
    contexts: ["input"],
    draw(columns) {
      const head = wrapSpans([span(label, { role: "accent" })], { columns });
      const { rows, cursor } = field.draw({ columns });
      const drawn = [...head, ...rows];
      return cursor === undefined
        ? { rows: drawn }
        : { rows: drawn, cursor: { row: head.length + cursor.row, column: cursor.column } };
    },
    act(action) {
      if (action === "input.send") {
        close();
        done(field.text);
      } else if (action === "turn.cancel") close();
      else field.act(action);
      return true;
    },
    type(typed) {
      field.insert(typed);
      return true;
    },
    paste(pasted) {
      field.insert(pasted);
      return true;
    },
  };
}
