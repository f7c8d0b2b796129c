import { KEEP_TITLE, RESTORE_TITLE, titleSequence } from "../../../view/terminal/terminal-notice.ts";

/** The name of the window while a screen has the terminal. */
export class WindowTitle {
  /** Absent: the window has the name that it had before. */
  #title: string | undefined;

  /** Returns the control sequence for a name. */
  set(title: string): string {
    const keep = this.#title === undefined ? KEEP_TITLE : "";
    this.#title = title;
    return `${keep}${titleSequence(title)}`;
  }

  /** Returns the control sequence after the terminal is taken back. */
  again(): string {
    return this.#title === undefined ? "" : `${KEEP_TITLE}${titleSequence(this.#title)}`;
  }

  /** Returns the control sequence that brings the name back which the window had before. */
  restored(): string {
    return this.#title === undefined ? "" : RESTORE_TITLE;
  }
}
