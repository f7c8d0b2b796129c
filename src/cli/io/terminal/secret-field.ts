import type { TypedPiece } from "../../../view/terminal/bracketed-paste.ts";

/** Longest text that is kept; no secret has more. */
const SECRET_CHARACTERS_MAX = 65_536;

const ENTER = /[\r\n]/;
const [CTRL_C, CTRL_D, CTRL_U, BACKSPACE, DELETE] = ["\u0003", "\u0004", "\u0015", "\b", "\u007f"];
/** Cursor and function keys, which do nothing here. */
const KEY_SEQUENCE = /\u001b(?:\[[0-?]*[ -/]*[@-~]|O.|.)?/gs;

/** The end of typing a secret: the text that was entered, or "left" after Ctrl-C or Ctrl-D. */
export type SecretEntered = { readonly text: string } | "left";

/** A secret that a person types, and that is shown nowhere. */
export class SecretField {
  #typed = "";

  /** Takes keys or a paste; returns undefined until the typing ends. A paste ends nothing. */
  take({ kind, text }: TypedPiece): SecretEntered | undefined {
    if (kind === "keys") return this.#press(text.replaceAll(KEY_SEQUENCE, ""));
    this.#add(text);
    return undefined;
  }

  #press(text: string): SecretEntered | undefined {
    for (const character of text) {
      if (ENTER.test(character)) return { text: this.#typed };
      if (character === CTRL_C || character === CTRL_D) return "left";
      if (character === CTRL_U) this.#typed = "";
      else if (character === BACKSPACE || character === DELETE) this.#typed = this.#typed.slice(0, -1);
      else this.#add(character);
    }
    return undefined;
  }

  #add(text: string): void {
    this.#typed = (this.#typed + text).slice(0, SECRET_CHARACTERS_MAX);
  }
}
