import { imageLabels } from "../../images/draft-image.ts";
import { inBackground } from "../../layout/in-background.ts";
import type { Services } from "../../layout/services.ts";
import type { ChippedText } from "../editor/chips.ts";
import { expanded, imagesOf } from "../editor/chips.ts";
import type { EditorState } from "../editor/editor.ts";
import { EMPTY_EDITOR } from "../editor/editor.ts";
import type { OutgoingMessage } from "../message.ts";
import { textMessage } from "../message.ts";
import { WrittenDrafts } from "../written-drafts.ts";
import { HistorySearch } from "./history-search.ts";
import { HistoryWalk } from "./history-walk.ts";
import type { HistoryEntry } from "./prompt-history.ts";
import { PromptHistory } from "./prompt-history.ts";

export interface RecallOptions {
  readonly services: Services;
  /** Folder whose earlier prompts are offered. */
  readonly workingDir: string;
  readonly state: () => EditorState;
  readonly columns: () => number;
  /** Shows another draft. */
  readonly begin: (next: EditorState) => void;
}

/** Brings earlier prompts and drafts back into the draft, as they were written: with the arrows, or from a search. */
export class Recall {
  readonly #options: RecallOptions;
  readonly #history: PromptHistory;
  readonly #written = new WrittenDrafts();
  readonly #walk: HistoryWalk;

  constructor(options: RecallOptions) {
    const { services, workingDir, state, columns, begin } = options;
    this.#options = options;
    this.#history = new PromptHistory(services, workingDir);
    this.#walk = new HistoryWalk({
      ...{ services, state, columns, begin },
      history: this.#history,
      filled: (text) => this.#filled(text),
      left: (draft) => this.#keep(draft),
    });
  }

  /** Shows the next older entry (1) or the next newer one (-1). */
  walk(step: 1 | -1): void {
    this.#walk.by(step);
  }

  /** To be called before the draft gets another text: it ends the walk, unless it is the entry that is shown. */
  changed(text: string): void {
    this.#walk.changed(text);
  }

  /** Ends the walk: the next one begins at the newest entry. */
  endWalk(): void {
    this.#walk.end();
  }

  /** Keeps the draft for the history. */
  keepDraft(): void {
    this.#keep(this.#options.state());
  }

  /** Keeps a text that no turn of the session has. Default: it was a draft. */
  remember(text: string, from?: "draft" | "command"): void {
    this.#history.remember(text, from);
  }

  /** Keeps how a text was written: its chips, and how they stand in it. */
  noteWritten(text: string, { text: raw, chips }: ChippedText): void {
    this.#written.note(text, { text: raw, chips });
  }

  /** Returns a message as it was written, with chips for its pasted texts and images. */
  chipped(message: Pick<OutgoingMessage, "text" | "images">): ChippedText {
    return this.#written.chipped(message);
  }

  /** Opens the search among all of them. */
  search(): void {
    const { services } = this.#options;
    const choose = (entry: HistoryEntry) => inBackground(this.#take(entry), services);
    services.open(new HistorySearch({ services, history: this.#history, choose }));
    services.redraw();
    inBackground(this.#history.load(), services);
  }

  /** Reads the cleared drafts that the session has kept. */
  async restore(): Promise<void> {
    await this.#history.restore();
  }

  /** Resolves once all cleared drafts are kept. */
  async settle(): Promise<void> {
    await this.#history.settle();
  }

  /** Cleared drafts that no session has kept. */
  get unkept(): readonly string[] {
    return this.#history.unkept;
  }

  #keep(draft: EditorState): void {
    const text = expanded(draft.text, draft.chips);
    this.#history.remember(text);
    this.noteWritten(text, draft);
  }

  async #take(entry: HistoryEntry): Promise<void> {
    const { services, begin } = this.#options;
    const text = await this.#history.wholeOf(entry);
    if (text === undefined) return services.say("This prompt cannot be read any more.", "warning");
    this.keepDraft();
    begin(this.#filled(text));
    services.redraw();
  }

  /** Returns an editor with an earlier text, as it was written. */
  #filled(text: string): EditorState {
    const chipped = this.chipped(textMessage(text));
    if (imagesOf(chipped).length === 0 && imageLabels(text).length > 0)
      this.#options.services.say("The images of this prompt are not at hand: paste them again.", "warning");
    return { ...EMPTY_EDITOR, ...chipped, cursor: chipped.text.length };
  }
}
