import { parseShellLine } from "../../../view/slash/shell-line.ts";
import type { ActionName, KeyContext } from "../keys/actions.ts";
import type { SendHow } from "../layout/feature.ts";
import type { DraftAssistant, DrawnPart, Part } from "../layout/part.ts";
import type { Draft, Services } from "../layout/services.ts";
import type { Size } from "../screen/screen.ts";
import { expanded, hasChip } from "./chips.ts";
import { DraftKeeper } from "./draft-keeper.ts";
import { drawEditor } from "./draw-editor.ts";
import { EDITS } from "./edit-actions.ts";
import type { Edit, EditName, EditorState } from "./editor.ts";
import { EMPTY_EDITOR, edited } from "./editor.ts";
import { endOfLine } from "./graphemes.ts";
import { HistorySearch } from "./history/history-search.ts";
import type { HistoryEntry } from "./history/prompt-history.ts";
import { PromptHistory } from "./history/prompt-history.ts";
import type { VimEditor, VimState } from "./vim/vim.ts";
import { isCommanding, NEW_VIM, selectedPart, vimEscape, vimKey } from "./vim/vim.ts";

export interface InputPartOptions {
  readonly services: Services;
  /** Folder whose earlier prompts are offered. */
  readonly workingDir: string;
  /** Sends a text; the draft is empty by then. */
  readonly send: (text: string, how: SendHow) => void;
}

/** A walk through earlier prompts. */
interface Walk {
  /** Index of the entry that is shown, from the newest. */
  readonly index: number;
  /** The draft from before the walk. */
  readonly draft: EditorState;
  /** The text that is shown; a change of it ends the walk. */
  readonly shown: string;
}

const COLUMNS_BEFORE_DRAWN = 80;
const STASHED_MAX = 20;
const WRITTEN_MAX = 20;
const VIM_CONTEXTS: Readonly<Record<VimState["mode"], KeyContext>> = {
  insert: "vimInsert",
  normal: "vimNormal",
  visual: "vimVisual",
  lines: "vimVisual",
};
/** Stands before a draft that is a command for the shell. */
const SHELL_MARK = "$ ";
/** Actions that delete a part of the text. */
const DELETES: ReadonlySet<ActionName> = new Set([
  "edit.deleteBack",
  "edit.deleteForward",
  "edit.deleteWordBack",
  "edit.deleteWordForward",
  "edit.killToStart",
  "edit.killToEnd",
]);
const MARKS: Readonly<Record<VimState["mode"], string>> = {
  insert: "> ",
  normal: "N ",
  visual: "V ",
  lines: "V ",
};

/** The draft: what a person writes and has not sent. */
export class InputPart implements Part, Draft {
  readonly #options: InputPartOptions;
  readonly #history: PromptHistory;
  readonly #keeper: DraftKeeper;
  #state: EditorState = EMPTY_EDITOR;
  /** Absent: no vim keys. */
  #vim: VimState | undefined;
  #walk: Walk | undefined;
  #stashed: readonly EditorState[] = [];
  /** Drafts with chips that were sent or cleared, by their whole text: they come back with their chips. */
  readonly #written = new Map<string, Pick<EditorState, "text" | "chips">>();
  #columns = COLUMNS_BEFORE_DRAWN;
  #assistant: DraftAssistant | undefined;

  constructor(options: InputPartOptions) {
    this.#options = options;
    this.#vim = options.services.settings.values.vimKeys ? NEW_VIM : undefined;
    this.#history = new PromptHistory(options.services, options.workingDir);
    this.#keeper = new DraftKeeper(options.services, () => this.text);
  }

  get contexts(): readonly KeyContext[] {
    const assisted = this.#isCommanding ? [] : (this.#assistant?.contexts ?? []);
    const vim: readonly KeyContext[] = this.#vim === undefined ? [] : [VIM_CONTEXTS[this.#vim.mode], "vim"];
    return [...assisted, ...vim, ...(this.#state.text === "" ? (["emptyDraft"] as const) : []), "input"];
  }

  get edited(): Pick<EditorState, "text" | "cursor"> {
    return this.#state;
  }

  /** The draft as it would be sent. */
  get text(): string {
    return expanded(this.#state.text, this.#state.chips);
  }

  draw({ columns, rows }: Size): DrawnPart {
    this.#columns = columns;
    const vim = this.#vimEditor();
    const shellMark = parseShellLine(this.#state.text) === undefined ? undefined : SHELL_MARK;
    if (vim === undefined)
      return drawEditor(this.#state, columns, rows, shellMark === undefined ? {} : { mark: shellMark });
    const selected = selectedPart(vim);
    const mark = (isCommanding(vim.vim) ? undefined : shellMark) ?? MARKS[vim.vim.mode];
    return drawEditor(this.#state, columns, rows, selected === undefined ? { mark } : { mark, selected });
  }

  act(action: ActionName): boolean {
    if (this.#assistant?.act(action) === true) return true;
    const isTaken = this.#act(action);
    this.#assistant?.draftChanged(DELETES.has(action));
    return isTaken;
  }

  #act(action: ActionName): boolean {
    const edit = EDITS[action];
    if (edit !== undefined) {
      this.#editBy(edit);
      return true;
    }
    const act = this.#actions[action];
    act?.();
    return act !== undefined;
  }

  type(text: string): boolean {
    const vim = this.#vimEditor();
    const isCommand = vim !== undefined && isCommanding(vim.vim);
    if (isCommand) this.#setVim([...text].reduce(vimKey, vim));
    else this.#edit({ kind: "insert", text });
    this.#assistant?.draftChanged(!isCommand);
    return true;
  }

  paste(text: string): boolean {
    this.#edit({ kind: "paste", text });
    this.#assistant?.draftChanged(false);
    return true;
  }

  insert(text: string): void {
    this.type(text);
  }

  replace(text: string): void {
    this.#edit({ kind: "set", text });
    this.#assistant?.draftChanged(false);
  }

  replacePart(from: number, to: number, text: string): void {
    this.#edit({ kind: "replace", from, to, text });
  }

  assist(assistant: DraftAssistant): void {
    this.#assistant = assistant;
  }

  bringBack(text: string): void {
    if (this.#state.text === "") this.#fill(text);
    else this.#edit({ kind: "set", text: `${text}\n${this.text}` });
    this.#assistant?.draftChanged(false);
  }

  /** Empties the draft. Undo brings it back, and so does the history. */
  clear(): void {
    if (this.#state.text === "") return;
    this.#remember();
    this.#edit({ kind: "set", text: "" });
    if (this.#vim !== undefined) this.#vim = { ...this.#vim, mode: "insert", pending: "" };
  }

  /** Gives the draft vim keys, or takes them. */
  useVimKeys(hasVimKeys: boolean): void {
    if (hasVimKeys === (this.#vim !== undefined)) return;
    this.#vim = hasVimKeys ? NEW_VIM : undefined;
  }

  /** Brings back the draft that the session has. To be called once a stored session is shown. */
  async attached(): Promise<void> {
    const text = await this.#keeper.restored();
    if (text === "" || text === this.text) return;
    this.bringBack(text);
    this.#options.services.redraw();
  }

  readonly #actions: Readonly<Partial<Record<ActionName, () => void>>> = {
    "input.newLine": () => this.#edit({ kind: "insert", text: "\n" }),
    "input.send": () => this.#send("queue"),
    "input.steer": () => this.#send("steer"),
    "input.stash": () => this.#stash(),
    "input.history": () => this.#openHistory(),
    "vim.toggle": () => this.#toggleVim(),
    "vim.normal": () => this.#escape(),
    "vim.redo": () => this.#redo(),
  };

  #editBy(kind: EditName): void {
    const before = this.#state;
    const next = edited(before, { kind, columns: this.#columns });
    const isVertical = kind === "lineUp" || kind === "lineDown";
    if (isVertical && next.cursor === before.cursor) this.#walkBy(kind === "lineUp" ? 1 : -1);
    else this.#set(next);
  }

  #edit(edit: Edit): void {
    this.#set(edited(this.#state, edit));
  }

  #set(state: EditorState): void {
    const isChanged = state.text !== this.#state.text;
    this.#state = state;
    if (isChanged) this.#keeper.changed();
  }

  #send(how: SendHow): void {
    const { text: raw, cursor } = this.#state;
    // A backslash before the cursor makes a new line of Enter.
    if (how === "queue" && raw[cursor - 1] === "\\") {
      this.#edit({ kind: "replace", from: cursor - 1, to: cursor, text: "\n" });
      return;
    }
    const { text } = this;
    if (text.trim() === "") return;
    // No turn has a command: the history keeps it.
    if (/^[/!]/.test(text)) this.#history.remember(text, "command");
    this.#noteChips(text);
    this.#begin(EMPTY_EDITOR);
    this.#walk = undefined;
    if (this.#vim !== undefined) this.#vim = { ...this.#vim, mode: "insert", pending: "" };
    this.#options.send(text, how);
  }

  /** Puts the draft aside; with an empty draft brings the last one back. */
  #stash(): void {
    const { services } = this.#options;
    if (this.#state.text === "") {
      const last = this.#stashed.at(-1);
      if (last === undefined) {
        services.say("Nothing is stashed.");
        return;
      }
      this.#stashed = this.#stashed.slice(0, -1);
      this.#begin(last);
      return;
    }
    this.#stashed = [...this.#stashed.slice(1 - STASHED_MAX), this.#state];
    this.#remember();
    this.#begin(EMPTY_EDITOR);
    const key = services.keys.keysOf("input.stash")[0] ?? "the same key";
    services.say(`Stashed the draft: ${key} in an empty draft brings it back.`);
  }

  /** Keeps the draft for the history. */
  #remember(): void {
    const { text } = this;
    this.#history.remember(text);
    this.#noteChips(text);
  }

  #noteChips(text: string): void {
    const { text: raw, chips } = this.#state;
    if (raw === text) return;
    const [oldest] = this.#written.keys();
    if (oldest !== undefined && this.#written.size >= WRITTEN_MAX) this.#written.delete(oldest);
    this.#written.set(text, { text: raw, chips });
  }

  /** Returns an editor with a text, as it was written. */
  #filled(text: string): EditorState {
    const written = this.#written.get(text);
    if (written !== undefined) return { ...EMPTY_EDITOR, ...written, cursor: written.text.length };
    return { ...edited(EMPTY_EDITOR, { kind: "set", text }), past: [] };
  }

  #fill(text: string): void {
    this.#begin(this.#filled(text));
  }

  /** Shows another draft. What was cut stays, but for chips: they belong to the draft before. */
  #begin(state: EditorState): void {
    const killed = this.#state.killed.filter((each) => !hasChip(each));
    const vim = this.#vim;
    if (vim !== undefined && hasChip(vim.register.text)) this.#vim = { ...vim, register: NEW_VIM.register };
    this.#set({ ...state, killed });
  }

  #walkBy(step: 1 | -1): void {
    const walk = this.#walk?.shown === this.#state.text ? this.#walk : undefined;
    if (walk === undefined && step < 0) return;
    const index = (walk?.index ?? -1) + step;
    const draft = walk?.draft ?? this.#state;
    if (index < 0) {
      this.#walk = undefined;
      this.#begin(draft);
      return;
    }
    void this.#walkTo(index, draft, step);
  }

  async #walkTo(index: number, draft: EditorState, step: 1 | -1): Promise<void> {
    const before = this.#state;
    if (this.#history.entries()[index] === undefined) await this.#history.load();
    const entry = this.#history.entries()[index];
    if (entry === undefined) return;
    const text = entry.cutIn === undefined ? entry.text : await this.#history.wholeOf(entry);
    // What was typed meanwhile counts more.
    if (text === undefined || this.#state !== before) return;
    this.#walk = { index, draft, shown: this.#shownEntry(text, step) };
    this.#options.services.redraw();
  }

  /** Shows an entry, with the cursor where the same key continues the walk. Returns the text in the draft. */
  #shownEntry(text: string, step: 1 | -1): string {
    const fresh = this.#filled(text);
    const first = edited(fresh, { kind: "move", to: endOfLine(fresh.text, 0) });
    const isFirstRow = edited(first, { kind: "lineUp", columns: this.#columns }) === first;
    const up = isFirstRow ? first : edited(fresh, { kind: "textStart" });
    this.#begin(step > 0 ? up : fresh);
    return this.#state.text;
  }

  #openHistory(): void {
    const { services } = this.#options;
    const choose = (entry: HistoryEntry) => void this.#take(entry);
    services.open(new HistorySearch({ services, history: this.#history, choose }));
    services.redraw();
    void this.#history.load();
  }

  async #take(entry: HistoryEntry): Promise<void> {
    const text = await this.#history.wholeOf(entry);
    if (text === undefined)
      return this.#options.services.say("This prompt cannot be read any more.", "warning");
    this.#remember();
    this.#fill(text);
    this.#options.services.redraw();
  }

  get #isCommanding(): boolean {
    return this.#vim !== undefined && isCommanding(this.#vim);
  }

  #vimEditor(): VimEditor | undefined {
    return this.#vim === undefined ? undefined : { vim: this.#vim, editor: this.#state };
  }

  #setVim({ vim, editor }: VimEditor): void {
    this.#vim = vim;
    this.#set(editor);
  }

  #toggleVim(): void {
    const { settings, say } = this.#options.services;
    const hasVimKeys = this.#vim === undefined;
    this.useVimKeys(hasVimKeys);
    settings.change({ vimKeys: hasVimKeys });
    say(hasVimKeys ? "The draft has vim keys." : "The draft has no vim keys.");
  }

  #escape(): void {
    const vim = this.#vimEditor();
    if (vim === undefined) return;
    if (vim.vim.mode === "normal" && vim.vim.pending === "") this.#options.services.run("turn.cancel");
    else this.#setVim(vimEscape(vim));
  }

  #redo(): void {
    const vim = this.#vimEditor();
    if (vim !== undefined && isCommanding(vim.vim)) this.#setVim(vimKey(vim, "redo"));
    else this.#openHistory();
  }
}
