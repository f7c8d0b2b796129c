import type { EditorState } from "./editor/editor.ts";

const STASHED_MAX = 20;

/** Drafts that the person has put aside. The last one comes back first; of more than 20 the oldest goes. */
export class Stash {
  #drafts: readonly EditorState[] = [];

  put(draft: EditorState): void {
    this.#drafts = [...this.#drafts.slice(1 - STASHED_MAX), draft];
  }

  /** Returns the last draft and forgets it; undefined if none is left. */
  take(): EditorState | undefined {
    const last = this.#drafts.at(-1);
    this.#drafts = this.#drafts.slice(0, -1);
    return last;
  }
}
