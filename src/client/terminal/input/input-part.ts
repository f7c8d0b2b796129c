import { parseShellLine } from "../../../view/slash/shell-line.ts";
import { row, span } from "../drawing/span.ts";
import { widthOfSpans } from "../drawing/wrap-spans.ts";
import type { DraftImage } from "../images/draft-image.ts";
import { imageBytes, imageLabels } from "../images/draft-image.ts";
import type { ImageUploads } from "../images/image-uploads.ts";
import type { ActionName, KeyContext } from "../keys/actions.ts";
import { inBackground } from "../layout/in-background.ts";
import type { DraftAssistant, DrawnPart, ScreenPart } from "../layout/part.ts";
import type { Draft, SendHow, Services } from "../layout/services.ts";
import type { Size } from "../screen/screen.ts";
import type { ChippedText } from "./chips.ts";
import { expanded, folded, hasChip, imagesOf, joinedChips, withImageChips } from "./chips.ts";
import { DraftImages, imagesProblem } from "./draft-images.ts";
import { DraftKeeper } from "./draft-keeper.ts";
import type { DrawnEditor } from "./draw-editor.ts";
import { draftHint, drawEditor } from "./draw-editor.ts";
import { EDITS } from "./edit-actions.ts";
import type { Edit, EditName, EditorState } from "./editor.ts";
import { EMPTY_EDITOR, edited } from "./editor.ts";
import { editedDraft } from "./external-editor.ts";
import { endOfLine } from "./graphemes.ts";
import { HistorySearch } from "./history/history-search.ts";
import type { HistoryEntry } from "./history/prompt-history.ts";
import { PromptHistory } from "./history/prompt-history.ts";
import type { OutgoingMessage, Waited } from "./message.ts";
import { textMessage } from "./message.ts";
import type { MessageSender } from "./message-sender.ts";
import type { VimEditor, VimState } from "./vim/vim.ts";
import { isCommanding, NEW_VIM, selectedPart, vimEscape, vimKey } from "./vim/vim.ts";

export interface InputPartOptions {
  readonly services: Services;
  readonly uploads: ImageUploads;
  readonly outbox: Pick<MessageSender, "slow">;
  /** Folder whose earlier prompts are offered. */
  readonly workingDir: string;
  /** Sends a message; the draft is empty by then. */
  readonly send: (message: OutgoingMessage, how: SendHow) => void;
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
/** Bytes and characters of all of them, approximately. */
const WRITTEN_BYTES_MAX = 64 * 1024 * 1024;
const MARKS: Readonly<Record<VimState["mode"], string>> = {
  insert: "> ",
  normal: "N ",
  visual: "V ",
  lines: "V ",
};

/** The draft: what a person writes and has not sent. */
export class InputPart implements ScreenPart, Draft {
  readonly #options: InputPartOptions;
  readonly #history: PromptHistory;
  readonly #keeper: DraftKeeper;
  readonly #images: DraftImages;
  #state: EditorState = EMPTY_EDITOR;
  /** Absent: no vim keys. */
  #vim: VimState | undefined;
  #walk: Walk | undefined;
  #stashed: readonly EditorState[] = [];
  /** Drafts with chips that were sent or cleared, by their whole text: they come back with their chips. */
  readonly #written = new Map<string, ChippedText>();
  /** Facts of the message that was taken back into this draft, until the draft is empty. */
  #waited: Waited | undefined;
  #columns = COLUMNS_BEFORE_DRAWN;
  #assistant: DraftAssistant | undefined;

  constructor(options: InputPartOptions) {
    this.#options = options;
    this.#vim = options.services.settings.values.vimKeys ? NEW_VIM : undefined;
    this.#history = new PromptHistory(options.services, options.workingDir);
    this.#images = new DraftImages(options.services, {
      state: () => this.#state,
      edit: (edit) => this.#edit(edit),
    });
    this.#keeper = new DraftKeeper(options.services, {
      uploads: options.uploads,
      read: () => this.#state,
    });
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

  get sending(): readonly OutgoingMessage[] {
    return this.#options.outbox.slow;
  }

  draw({ columns, rows }: Size): DrawnPart {
    this.#columns = columns;
    return this.#withHint(this.#drawDraft(columns, rows), columns);
  }

  /** Adds what an empty draft takes, until something is sent. */
  #withHint(drawn: DrawnEditor, columns: number): DrawnEditor {
    const { session, keys } = this.#options.services;
    const [first] = drawn.rows;
    if (this.#state.text !== "" || first === undefined || !session.isUntouched) return drawn;
    const room = columns - widthOfSpans(first.spans);
    const hint = draftHint(keys, room);
    return hint === undefined
      ? drawn
      : { ...drawn, rows: [row([...first.spans, span(hint, { role: "dim" })])] };
  }

  #drawDraft(columns: number, rows: number): DrawnEditor {
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
    inBackground(this.#images.take(text), this.#options.services);
    return true;
  }

  insertImage(image: DraftImage): void {
    this.#images.add(image);
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
    this.restore([textMessage(text)]);
  }

  restore(messages: readonly OutgoingMessage[]): void {
    if (messages.length === 0) return;
    const chipped = messages.map((message) => this.#chipped(message)).reduce(joinedTexts);
    if (this.#state.text !== "") {
      this.#edit({ kind: "before", chipped: { ...chipped, text: `${chipped.text}\n` } });
      return;
    }
    this.#begin({ ...EMPTY_EDITOR, ...chipped, cursor: chipped.text.length });
    const [only] = messages;
    if (messages.length === 1 && only?.waited !== undefined) this.#waited = only.waited;
    this.#assistant?.draftChanged(false);
  }

  remember(message: OutgoingMessage): void {
    this.#history.remember(message.text);
    this.#note(message.text, this.#chipped(message));
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
    const { services } = this.#options;
    if (this.#keeper.staysBehind) await this.#leaveBehind();
    const [draft] = await Promise.all([this.#keeper.restored(), this.#history.restore()]);
    if (draft.lost > 0) services.say("An image of the draft was not kept: paste it again.", "warning");
    if (draft.text === "" || draft.text === this.text) return;
    this.restore([draft]);
    services.redraw();
  }

  /** Leaves the draft with the session that was shown before. */
  async #leaveBehind(): Promise<void> {
    const { text } = this;
    const draft = this.#state;
    this.#noteChips(text);
    this.#begin(EMPTY_EDITOR);
    if (!(await this.#keeper.keepBehind(draft))) this.#history.remember(text);
  }

  /** Keeps the draft and the cleared drafts as they are now. To be called before the client ends. */
  async settle(): Promise<void> {
    await Promise.all([this.#keeper.settle(), this.#history.settle()]);
  }

  readonly #actions: Readonly<Partial<Record<ActionName, () => void>>> = {
    "input.newLine": () => this.#edit({ kind: "insert", text: "\n" }),
    "input.send": () => this.#send("queue"),
    "input.steer": () => this.#send("steer"),
    "input.stash": () => this.#stash(),
    "input.editor": () => inBackground(this.#openEditor(), this.#options.services),
    "input.history": () => this.#openHistory(),
    "vim.toggle": () => this.#toggleVim(),
    "vim.normal": () => this.#escape(),
    "vim.redo": () => this.#redo(),
  };

  #editBy(kind: EditName): void {
    const before = this.#state;
    const next = edited(before, { kind, columns: this.#columns });
    const isVertical = kind === "lineUp" || kind === "lineDown";
    const { services } = this.#options;
    if (kind === "lineUp" && before.text === "" && services.session.view.waiting.length > 0)
      services.run("input.takeBack");
    else if (isVertical && next.cursor === before.cursor) this.#walkBy(kind === "lineUp" ? 1 : -1);
    else this.#set(next);
  }

  #edit(edit: Edit): void {
    this.#set(edited(this.#state, edit));
  }

  #set(state: EditorState): void {
    const isChanged = state.text !== this.#state.text;
    this.#state = state;
    if (state.text === "") this.#waited = undefined;
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
    if (text.trim() === "") {
      this.#sendHeld();
      return;
    }
    const images = imagesOf(this.#state);
    const problem = imagesProblem(images);
    if (problem !== undefined) {
      this.#options.services.say(problem, "warning");
      return;
    }
    const waited = this.#waited;
    // No turn has a command: the history keeps it.
    if (/^[/!]/.test(text)) this.#history.remember(text, "command");
    this.#noteChips(text);
    this.#begin(EMPTY_EDITOR);
    this.#walk = undefined;
    if (this.#vim !== undefined) this.#vim = { ...this.#vim, mode: "insert", pending: "" };
    this.#options.send({ text, images, ...(waited === undefined ? {} : { waited }) }, how);
  }

  /** Enter in an empty draft starts what is held. */
  #sendHeld(): void {
    const { session, run } = this.#options.services;
    const { view } = session;
    if (view.run?.turn === undefined && view.waiting.some(({ held }) => held)) run("queue.now");
  }

  async #openEditor(): Promise<void> {
    const { services } = this.#options;
    const { text } = this;
    const before = this.#state;
    try {
      const saved = await editedDraft(text, services);
      // What came into the draft meanwhile stands before what the editor was given.
      const from = this.#state.text.length - before.text.length;
      const isSame = this.#state.text.endsWith(before.text);
      if (saved === text) return;
      if (!isSame) this.bringBack(saved);
      else
        this.#edit({ kind: "replace", from, to: this.#state.text.length, text: folded(saved, this.#state) });
    } catch (thrown) {
      services.tell(thrown);
    }
    services.redraw();
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
    this.#note(text, { text: raw, chips });
  }

  #note(text: string, chipped: ChippedText): void {
    if (chipped.text === text) return;
    this.#written.delete(text);
    this.#written.set(text, chipped);
    const size = () => [...this.#written.values()].reduce((sum, each) => sum + sizeOfChipped(each), 0);
    for (const oldest of [...this.#written.keys()])
      if (this.#written.size > WRITTEN_MAX || size() > WRITTEN_BYTES_MAX) this.#written.delete(oldest);
  }

  /** Returns a message as it was written, with chips for its pasted texts and images. */
  #chipped({ text, images }: OutgoingMessage): ChippedText {
    const written = this.#written.get(text);
    if (written !== undefined && imagesOf(written).length >= images.length) return written;
    return withImageChips(text, images);
  }

  /** Returns an editor with an earlier text, as it was written. */
  #filled(text: string): EditorState {
    const chipped = this.#chipped(textMessage(text));
    if (imagesOf(chipped).length === 0 && imageLabels(text).length > 0)
      this.#options.services.say("The images of this prompt are not at hand: paste them again.", "warning");
    return { ...EMPTY_EDITOR, ...chipped, cursor: chipped.text.length };
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
    inBackground(this.#walkTo(index, draft, step), this.#options.services);
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
    const choose = (entry: HistoryEntry) => inBackground(this.#take(entry), this.#options.services);
    services.open(new HistorySearch({ services, history: this.#history, choose }));
    services.redraw();
    inBackground(this.#history.load(), this.#options.services);
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

function sizeOfChipped({ text, chips }: ChippedText): number {
  return chips.reduce(
    (sum, chip) => sum + chip.text.length + (chip.image === undefined ? 0 : imageBytes(chip.image)),
    text.length,
  );
}

function joinedTexts(first: ChippedText, second: ChippedText): ChippedText {
  const { text, chips } = joinedChips(second, first.chips);
  return { text: `${first.text}\n${text}`, chips };
}
