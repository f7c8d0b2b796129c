import type { KeyContext } from "../../keys/actions.ts";
import { hasChip } from "../editor/chips.ts";
import type { EditorState } from "../editor/editor.ts";
import type { VimEditor, VimState } from "./vim.ts";
import { isCommanding, NEW_VIM, selectedPart, vimEscape, vimKey } from "./vim.ts";

export interface VimDraft {
  readonly state: () => EditorState;
  readonly set: (state: EditorState) => void;
}

const CONTEXTS: Readonly<Record<VimState["mode"], KeyContext>> = {
  insert: "vimInsert",
  normal: "vimNormal",
  visual: "vimVisual",
  lines: "vimVisual",
};
const MARKS: Readonly<Record<VimState["mode"], string>> = {
  insert: "> ",
  normal: "N ",
  visual: "V ",
  lines: "V ",
};

/** The vim keys of a draft (TUI-11). They do nothing while they are off. */
export class VimKeys {
  readonly #draft: VimDraft;
  /** Absent: off. */
  #vim: VimState | undefined;

  constructor(draft: VimDraft, isOn: boolean) {
    this.#draft = draft;
    this.#vim = isOn ? NEW_VIM : undefined;
  }

  get isOn(): boolean {
    return this.#vim !== undefined;
  }

  /** Contexts in which keys are looked up before those of the draft. */
  get contexts(): readonly KeyContext[] {
    return this.#vim === undefined ? [] : [CONTEXTS[this.#vim.mode], "vim"];
  }

  /** True while characters are commands, and no text. */
  get isCommanding(): boolean {
    return this.#vim !== undefined && isCommanding(this.#vim);
  }

  /** Cells before the draft that name the mode; undefined while they are off. */
  get mark(): string | undefined {
    return this.#vim === undefined ? undefined : MARKS[this.#vim.mode];
  }

  get selected(): ReturnType<typeof selectedPart> {
    const vim = this.#editor();
    return vim === undefined ? undefined : selectedPart(vim);
  }

  /** Switches them on or off. */
  use(isOn: boolean): void {
    if (isOn !== this.isOn) this.#vim = isOn ? NEW_VIM : undefined;
  }

  /** Takes characters as commands. Returns false where they are a text. */
  type(text: string): boolean {
    const vim = this.#editor();
    if (vim === undefined || !isCommanding(vim.vim)) return false;
    this.#set([...text].reduce(vimKey, vim));
    return true;
  }

  /** Goes to normal mode. Returns false if it is on already, and no command is pending. */
  escape(): boolean {
    const vim = this.#editor();
    if (vim === undefined || (vim.vim.mode === "normal" && vim.vim.pending === "")) return false;
    this.#set(vimEscape(vim));
    return true;
  }

  /** Redoes a change. Returns false where characters are a text. */
  redo(): boolean {
    const vim = this.#editor();
    if (vim === undefined || !isCommanding(vim.vim)) return false;
    this.#set(vimKey(vim, "redo"));
    return true;
  }

  /** Begins a new draft, in insert mode. */
  begin(): void {
    if (this.#vim !== undefined) this.#vim = { ...this.#vim, mode: "insert", pending: "" };
  }

  /** Forgets what was cut with chips: they belong to the draft before. */
  forgetChips(): void {
    if (this.#vim !== undefined && hasChip(this.#vim.register.text))
      this.#vim = { ...this.#vim, register: NEW_VIM.register };
  }

  #editor(): VimEditor | undefined {
    return this.#vim === undefined ? undefined : { vim: this.#vim, editor: this.#draft.state() };
  }

  #set({ vim, editor }: VimEditor): void {
    this.#vim = vim;
    this.#draft.set(editor);
  }
}
