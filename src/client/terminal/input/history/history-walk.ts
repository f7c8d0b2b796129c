import { inBackground } from "../../layout/in-background.ts";
import type { Services } from "../../layout/services.ts";
import type { EditorState } from "../editor/editor.ts";
import { applyEdit } from "../editor/editor.ts";
import { endOfLine } from "../editor/graphemes.ts";
import type { PromptHistory } from "./prompt-history.ts";

export interface HistoryWalkOptions {
  readonly services: Pick<Services, "redraw" | "showFailure">;
  readonly history: Pick<PromptHistory, "entries" | "load" | "wholeOf">;
  readonly state: () => EditorState;
  /** Columns of the draft in the last frame. */
  readonly columns: () => number;
  /** Returns an editor with an earlier text, as it was written. */
  readonly filled: (text: string) => EditorState;
  /** Takes the draft from before a walk, once the entry that is shown is edited or sent. */
  readonly left: (draft: EditorState) => void;
  /** Shows another draft. */
  readonly begin: (state: EditorState) => void;
}

interface Walk {
  /** Index of the entry that is shown, from the newest. */
  readonly index: number;
  /** The draft from before the walk. */
  readonly draft: EditorState;
  /** The text that is shown; a change of it ends the walk. */
  readonly shown: string;
}

/** A walk through earlier prompts with the arrows: back to older ones, and forth to the draft from before. */
export class HistoryWalk {
  readonly #options: HistoryWalkOptions;
  #walk: Walk | undefined;

  constructor(options: HistoryWalkOptions) {
    this.#options = options;
  }

  /** Shows the next older entry (1) or the next newer one (-1). */
  by(step: 1 | -1): void {
    const { services, state, begin } = this.#options;
    const walk = this.#walk?.shown === state().text ? this.#walk : undefined;
    if (walk === undefined && step < 0) return;
    const index = (walk?.index ?? -1) + step;
    const draft = walk?.draft ?? state();
    if (index < 0) {
      this.#walk = undefined;
      begin(draft);
      return;
    }
    inBackground(this.#to(index, draft, step), services);
  }

  /** To be called before the draft becomes another one: a text that is not the shown entry ends the walk. */
  changed(text: string): void {
    const walk = this.#walk;
    if (walk === undefined || text === walk.shown) return;
    this.#walk = undefined;
    this.#options.left(walk.draft);
  }

  /** Ends the walk: the next one begins at the newest entry. */
  end(): void {
    this.#walk = undefined;
  }

  async #to(index: number, draft: EditorState, step: 1 | -1): Promise<void> {
    const { services, history, state } = this.#options;
    const before = state();
    if (history.entries()[index] === undefined) await history.load();
    const entry = history.entries()[index];
    if (entry === undefined) return;
    const text = entry.cutIn === undefined ? entry.text : await history.wholeOf(entry);
    // What was typed meanwhile counts more.
    if (text === undefined || state() !== before) return;
    this.#walk = undefined; // the draft from before stays at hand
    this.#walk = { index, draft, shown: this.#show(text, step) };
    services.redraw();
  }

  /** Shows an entry, with the cursor where the same key continues the walk. Returns the text in the draft. */
  #show(text: string, step: 1 | -1): string {
    const { filled, begin, state, columns } = this.#options;
    const fresh = filled(text);
    const first = applyEdit(fresh, { kind: "move", to: endOfLine(fresh.text, 0) });
    const isFirstRow = applyEdit(first, { kind: "lineUp", columns: columns() }) === first;
    const up = isFirstRow ? first : applyEdit(fresh, { kind: "textStart" });
    begin(step > 0 ? up : fresh);
    return state().text;
  }
}
