import type { ActionName, KeyContext } from "../keys/actions.ts";
import type { DrawnPart, Part } from "../layout/part.ts";
import type { Size } from "../screen/screen.ts";
import { drawEditor } from "./draw-editor.ts";
import type { Edit, EditName, EditorState } from "./editor.ts";
import { EMPTY_EDITOR, edited } from "./editor.ts";

const EDITS: Readonly<Partial<Record<ActionName, EditName>>> = {
  "edit.left": "left",
  "edit.right": "right",
  "edit.wordLeft": "wordLeft",
  "edit.wordRight": "wordRight",
  "edit.lineStart": "lineStart",
  "edit.lineEnd": "lineEnd",
  "edit.up": "lineUp",
  "edit.down": "lineDown",
  "edit.deleteBack": "deleteBack",
  "edit.deleteForward": "deleteForward",
  "edit.deleteWordBack": "deleteWordBack",
  "edit.deleteWordForward": "deleteWordForward",
  "edit.killToStart": "killToStart",
  "edit.killToEnd": "killToEnd",
  "edit.yank": "yank",
  "edit.undo": "undo",
  "edit.redo": "redo",
};

export interface InputPartOptions {
  /** Sends a text; the draft is empty by then. */
  readonly send: (text: string, how: "queue" | "steer") => void;
}

/** The draft: what a person writes and has not sent. */
export class InputPart implements Part {
  readonly contexts: readonly KeyContext[] = ["input"];
  readonly #options: InputPartOptions;
  #state: EditorState = EMPTY_EDITOR;

  constructor(options: InputPartOptions) {
    this.#options = options;
  }

  get text(): string {
    return this.#state.text;
  }

  draw({ columns, rows }: Size): DrawnPart {
    return drawEditor(this.#state, columns, rows);
  }

  act(action: ActionName): boolean {
    const edit = EDITS[action];
    if (edit !== undefined) {
      this.#edit({ kind: edit });
      return true;
    }
    switch (action) {
      case "input.newLine":
        this.#edit({ kind: "insert", text: "\n" });
        return true;
      case "input.send":
      case "input.steer":
        this.#send(action === "input.steer" ? "steer" : "queue");
        return true;
      default:
        return false;
    }
  }

  type(text: string): boolean {
    this.#edit({ kind: "insert", text });
    return true;
  }

  paste(text: string): boolean {
    this.#edit({ kind: "insert", text: text.replaceAll(/\r\n?/g, "\n") });
    return true;
  }

  /** Puts a text into an empty draft; before what was typed meanwhile. */
  bringBack(text: string): void {
    const joined = this.text === "" ? text : `${text}\n${this.text}`;
    this.#edit({ kind: "set", text: joined });
  }

  /** Empties the draft. Undo brings it back. */
  clear(): void {
    if (this.text !== "") this.#edit({ kind: "set", text: "" });
  }

  #send(how: "queue" | "steer"): void {
    const { text } = this;
    if (text.trim() === "") return;
    this.#edit({ kind: "set", text: "" });
    this.#options.send(text, how);
  }

  #edit(edit: Edit): void {
    this.#state = edited(this.#state, edit);
  }
}
