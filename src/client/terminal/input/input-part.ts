import { defined } from "../../../base/defined.ts";
import { parseShellLine } from "../../../view/slash/shell-line.ts";
import { row, span } from "../drawing/span.ts";
import { widthOfSpans } from "../drawing/wrap-spans.ts";
import type { DraftImage } from "../images/draft-image.ts";
import type { ImageUploads } from "../images/image-uploads.ts";
import type { ActionName, KeyContext } from "../keys/actions.ts";
import { inBackground } from "../layout/in-background.ts";
import type { DraftAssistant, DrawnPart, ScreenPart } from "../layout/part.ts";
import type { Draft, Services } from "../layout/services.ts";
import type { Size } from "../screen/screen.ts";
import { DraftImages, imagesProblem } from "./draft-images.ts";
import { DraftKeeper } from "./draft-keeper.ts";
import type { ChippedText } from "./editor/chips.ts";
import { expanded, folded, hasChip, imagesOf, joinedChips } from "./editor/chips.ts";
import type { DrawnEditor } from "./editor/draw-editor.ts";
import { draftHint, drawEditor } from "./editor/draw-editor.ts";
import { EDITS } from "./editor/edit-actions.ts";
import type { Edit, EditName, EditorState } from "./editor/editor.ts";
import { applyEdit, EMPTY_EDITOR } from "./editor/editor.ts";
import { editDraft } from "./external-editor.ts";
import { Recall } from "./history/recall.ts";
import type { OutgoingMessage, QueueFacts, SendHow } from "./message.ts";
import { textMessage } from "./message.ts";
import { Stash } from "./stash.ts";
import { VimKeys } from "./vim/vim-keys.ts";

export interface InputPartOptions {
  readonly services: Services;
  readonly uploads: ImageUploads;
  /** Messages that are on their way for a while. */
  readonly outgoing: { readonly slow: readonly OutgoingMessage[] };
  /** Folder whose earlier prompts are offered. */
  readonly workingDir: string;
  /** Sends a message; the draft is empty by then. */
  readonly send: (message: OutgoingMessage, how: SendHow) => void;
}

const COLUMNS_BEFORE_DRAWN = 80;
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
/** The draft: what a person writes and has not sent. */
export class InputPart implements ScreenPart, Draft, Disposable {
  readonly #options: InputPartOptions;
  readonly #recall: Recall;
  readonly #keeper: DraftKeeper;
  readonly #images: DraftImages;
  readonly #stash = new Stash();
  readonly #vim: VimKeys;
  #state: EditorState = EMPTY_EDITOR;
  /** Facts of the message that was taken back into this draft, until the draft is empty. */
  #fromQueue: QueueFacts | undefined;
  #columns = COLUMNS_BEFORE_DRAWN;
  #assistant: DraftAssistant | undefined;

  constructor(options: InputPartOptions) {
    this.#options = options;
    const { services } = options;
    const state = () => this.#state;
    this.#vim = new VimKeys({ state, set: (next) => this.#set(next) }, services.settings.values.vimKeys);
    this.#recall = new Recall({
      ...{ services, state },
      workingDir: options.workingDir,
      columns: () => this.#columns,
      begin: (next) => this.#begin(next),
    });
    this.#images = new DraftImages(services, { state, edit: (edit) => this.#edit(edit) });
    this.#keeper = new DraftKeeper(services, { uploads: options.uploads, read: state });
  }

  get contexts(): readonly KeyContext[] {
    const assisted = this.#vim.isCommanding ? [] : (this.#assistant?.contexts ?? []);
    return [
      ...assisted,
      ...this.#vim.contexts,
      ...(this.#state.text === "" ? (["emptyDraft"] as const) : []),
      "input",
    ];
  }

  get edited(): Pick<EditorState, "text" | "cursor"> {
    return this.#state;
  }

  /** The draft as it would be sent. */
  get text(): string {
    return expanded(this.#state.text, this.#state.chips);
  }

  get sending(): readonly OutgoingMessage[] {
    return this.#options.outgoing.slow;
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
    const isShell = !this.#vim.isCommanding && parseShellLine(this.#state.text) !== undefined;
    const mark = isShell ? SHELL_MARK : this.#vim.mark;
    const { selected } = this.#vim;
    return drawEditor(this.#state, columns, rows, defined({ mark, selected }));
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
    const isCommand = this.#vim.type(text);
    if (!isCommand) this.#edit({ kind: "insert", text });
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
    const chipped = messages.map((message) => this.#recall.chipped(message)).reduce(joinedTexts);
    if (this.#state.text !== "") {
      this.#edit({ kind: "before", chipped: { ...chipped, text: `${chipped.text}\n` } });
      return;
    }
    this.#begin({ ...EMPTY_EDITOR, ...chipped, cursor: chipped.text.length });
    const [only] = messages;
    if (messages.length === 1 && only?.fromQueue !== undefined) this.#fromQueue = only.fromQueue;
    this.#assistant?.draftChanged(false);
  }

  remember(message: OutgoingMessage): void {
    this.#recall.remember(message.text);
    this.#recall.noteWritten(message.text, this.#recall.chipped(message));
  }

  /** Empties the draft. Undo brings it back, and so does the history. */
  clear(): void {
    if (this.#state.text === "") return;
    this.#recall.keepDraft();
    this.#edit({ kind: "set", text: "" });
    this.#vim.begin();
  }

  /** Gives the draft vim keys, or takes them. */
  useVimKeys(hasVimKeys: boolean): void {
    this.#vim.use(hasVimKeys);
  }

  /** Brings back the draft that the session has. To be called once a stored session is shown. */
  async attached(): Promise<void> {
    const { services } = this.#options;
    if (this.#keeper.staysBehind) await this.#leaveBehind();
    const [draft] = await Promise.all([this.#keeper.restored(), this.#recall.restore()]);
    if (draft.lost > 0) services.say("An image of the draft was not kept: paste it again.", "warning");
    if (draft.text === "" || draft.text === this.text) return;
    this.restore([draft]);
    services.redraw();
  }

  /** Leaves the draft with the session that was shown before. */
  async #leaveBehind(): Promise<void> {
    const { text } = this;
    const draft = this.#state;
    this.#recall.noteWritten(text, this.#state);
    this.#begin(EMPTY_EDITOR);
    if (!(await this.#keeper.keepBehind(draft))) this.#recall.remember(text);
  }

  /** Keeps the draft and the cleared drafts as they are now. To be called before the client ends. */
  async settle(): Promise<void> {
    await Promise.all([this.#keeper.settle(), this.#recall.settle()]);
  }

  [Symbol.dispose](): void {
    this.#keeper[Symbol.dispose]();
  }

  /** The draft and the cleared drafts that no session has kept as they are now. */
  get unkept(): readonly string[] {
    const draft = this.#keeper.isKept ? [] : [this.text];
    return [...draft, ...this.#recall.unkept].filter((text) => text.trim() !== "");
  }

  readonly #actions: Readonly<Partial<Record<ActionName, () => void>>> = {
    "input.newLine": () => this.#edit({ kind: "insert", text: "\n" }),
    "input.send": () => this.#send("queue"),
    "input.steer": () => this.#send("steer"),
    "input.stash": () => this.#stashOrBring(),
    "input.editor": () => inBackground(this.#openEditor(), this.#options.services),
    "input.history": () => this.#recall.search(),
    "vim.toggle": () => this.#toggleVim(),
    "vim.normal": () => this.#escape(),
    "vim.redo": () => this.#redo(),
  };

  #editBy(kind: EditName): void {
    const before = this.#state;
    const next = applyEdit(before, { kind, columns: this.#columns });
    const isVertical = kind === "lineUp" || kind === "lineDown";
    const { services } = this.#options;
    if (kind === "lineUp" && before.text === "" && services.session.view.waiting.length > 0)
      services.run("input.takeBack");
    else if (isVertical && next.cursor === before.cursor) this.#recall.walk(kind === "lineUp" ? 1 : -1);
    else this.#set(next);
  }

  #edit(edit: Edit): void {
    this.#set(applyEdit(this.#state, edit));
  }

  #set(state: EditorState): void {
    const isChanged = state.text !== this.#state.text;
    if (isChanged) this.#recall.changed(state.text);
    this.#state = state;
    if (state.text === "") this.#fromQueue = undefined;
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
    const fromQueue = this.#fromQueue;
    // No turn has a command: the history keeps it.
    if (/^[/!]/.test(text)) this.#recall.remember(text, "command");
    this.#recall.noteWritten(text, this.#state);
    this.#begin(EMPTY_EDITOR);
    this.#recall.endWalk();
    this.#vim.begin();
    this.#options.send({ text, images, ...(fromQueue === undefined ? {} : { fromQueue }) }, how);
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
      const saved = await editDraft(text, services);
      // What came into the draft meanwhile stands before what the editor was given.
      const from = this.#state.text.length - before.text.length;
      const isSame = this.#state.text.endsWith(before.text);
      if (saved === text) return;
      if (!isSame) this.bringBack(saved);
      else
        this.#edit({ kind: "replace", from, to: this.#state.text.length, text: folded(saved, this.#state) });
    } catch (thrown) {
      services.showFailure(thrown);
    }
    services.redraw();
  }

  /** Puts the draft aside; with an empty draft brings the last one back. */
  #stashOrBring(): void {
    const { services } = this.#options;
    if (this.#state.text === "") {
      const last = this.#stash.take();
      if (last === undefined) services.say("Nothing is stashed.");
      else this.#begin(last);
      return;
    }
    this.#stash.put(this.#state);
    this.#recall.keepDraft();
    this.#begin(EMPTY_EDITOR);
    const key = services.keys.label("input.stash", "the same key");
    services.say(`Stashed the draft: ${key} in an empty draft brings it back.`);
  }

  /** Shows another draft. What was cut stays, but for chips: they belong to the draft before. */
  #begin(state: EditorState): void {
    const killed = this.#state.killed.filter((each) => !hasChip(each));
    this.#vim.forgetChips();
    this.#set({ ...state, killed });
  }

  #toggleVim(): void {
    const { settings, say } = this.#options.services;
    const hasVimKeys = !this.#vim.isOn;
    this.useVimKeys(hasVimKeys);
    settings.change({ vimKeys: hasVimKeys });
    say(hasVimKeys ? "The draft has vim keys." : "The draft has no vim keys.");
  }

  #escape(): void {
    if (!this.#vim.escape()) this.#options.services.run("turn.cancel");
  }

  #redo(): void {
    if (!this.#vim.redo()) this.#recall.search();
  }
}

function joinedTexts(first: ChippedText, second: ChippedText): ChippedText {
  const { text, chips } = joinedChips(second, first.chips);
  return { text: `${first.text}\n${text}`, chips };
}
