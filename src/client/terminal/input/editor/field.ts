import type { ActionName } from "../../keys/actions.ts";
import type { DrawnPart } from "../../layout/part.ts";
import type { Size } from "../../screen/screen.ts";
import { drawEditor } from "./draw-editor.ts";
import { EDITS } from "./edit-actions.ts";
import type { EditorState } from "./editor.ts";
import { applyEdit, EMPTY_EDITOR } from "./editor.ts";

const FIELD_ROWS = 3;

type FieldSize = Pick<Size, "columns"> & Partial<Pick<Size, "rows">>;

/** A field of one line for words of a person. */
export class Field {
  #state: EditorState = EMPTY_EDITOR;

  get text(): string {
    return this.#state.text;
  }

  /**
   * @param size its `rows` are the most that the field takes. Default: 3.
   * @param mark two cells before the text. Default: `> `.
   */
  draw({ columns, rows = FIELD_ROWS }: FieldSize, mark?: string): DrawnPart {
    return drawEditor(this.#state, columns, Math.min(rows, FIELD_ROWS), mark === undefined ? {} : { mark });
  }

  /** Carries out an edit. Returns false for any other action. */
  act(action: ActionName): boolean {
    const kind = EDITS[action];
    if (kind === undefined || kind === "lineUp" || kind === "lineDown") return false;
    this.#state = applyEdit(this.#state, { kind });
    return true;
  }

  /** Inserts a text; its line ends become blanks. */
  insert(text: string): void {
    this.#state = applyEdit(this.#state, { kind: "insert", text: text.replaceAll(/\r\n?|\n/g, " ") });
  }
}
