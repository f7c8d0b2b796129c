import { cutBeginning, cutEnd, displayWidth } from "../../../view/terminal/display-width.ts";
import type { DrawnRow } from "../drawing/span.ts";
import { EMPTY_ROW, row, span } from "../drawing/span.ts";
import { wrapSpans } from "../drawing/wrap-spans.ts";
import { before } from "../input/editor/graphemes.ts";
import type { ActionName, KeyContext } from "../keys/actions.ts";
import type { DrawnPart, Overlay } from "../layout/part.ts";
import { inSight } from "../layout/part.ts";
import type { Services } from "../layout/services.ts";
import type { MouseInput, Size } from "../screen/screen.ts";
import type { ListColumn, ListContent, PanelEntry } from "./list-entry.ts";
import type { ListPrompt } from "./list-prompt.ts";
import { askFor, editText } from "./list-prompt.ts";
import type { ListWidths } from "./list-rows.ts";
import { besides, entryRow, headRow, listWidths, packedRows } from "./list-rows.ts";
import { ListSearch } from "./list-search.ts";
import { WHEEL_ROWS } from "./scroll.ts";

export interface ListPanelOptions<Value> {
  readonly title: string;
  readonly place?: Overlay["place"];
  readonly services: Services;
  readonly content: () => ListContent<Value>;
  readonly choose: (value: Value) => void;
  /** True: the list stays open once an entry is chosen. Default: false. */
  readonly staysOpen?: boolean;
  /** Carries out an action of the list's own, for the entry at the cursor. Returns false for any other. */
  readonly act?: (action: ActionName, value: Value | undefined) => boolean;
  readonly contexts?: readonly KeyContext[];
  /** Columns beside the names. Default: none. */
  readonly columns?: readonly ListColumn[] | (() => readonly ListColumn[]);
  /** Words about what the list shows: its scope and order. Called for each frame. */
  readonly facts?: () => string;
  /** Actions of the list that its last row names with their keys, each with a word. */
  readonly hints?: () => readonly (readonly [ActionName, string])[];
  /** Rows about the entry at the cursor, below the list or beside it, at most as many as given. */
  readonly preview?: (value: Value, size: Size) => readonly DrawnRow[];
  /** Called when another entry is at the cursor, to read what its preview needs. */
  readonly selected?: (value: Value) => void;
  /** Searches by itself for what is typed. Default: the list narrows its own entries. */
  readonly search?: (pattern: string) => void;
  readonly closed?: () => void;
  /** True: the list is about the session that is shown. Default: false. */
  readonly isOfSession?: true;
}

/** Keys that a list without hints of its own names. */
const COMMON_HINTS: readonly (readonly [ActionName, string])[] = [
  ["list.choose", "chooses"],
  ["list.leave", "closes"],
];
const PROMPT = "search: ";
/** Columns from which on the preview of a list on the whole screen stands beside it. */
const BESIDE_COLUMNS_MIN = 110;
const LINE_COLUMNS = 3;
const HINT_ROWS_MAX = 2;

/** Entries of the last frame on the screen, for the mouse. */
interface Shown {
  readonly top: number;
  readonly first: number;
  readonly rows: number;
  readonly columns: number;
}

/** A list with a search: what is typed narrows it, Enter chooses, Esc closes. */
export class ListPanel<Value> implements Overlay {
  readonly title: string;
  readonly place: Overlay["place"];
  readonly isOfSession?: true;
  readonly #options: ListPanelOptions<Value>;
  readonly #contexts: readonly KeyContext[];
  readonly #search = new ListSearch<Value>();
  #pattern = "";
  #at = 0;
  #shown: Shown = { top: 0, first: 0, rows: 1, columns: 80 };
  #selected: Value | undefined;
  #widths: { readonly of: object; readonly widths: ListWidths } | undefined;
  /** A question or a field in place of the search. */
  #prompt: ListPrompt | undefined;

  constructor(options: ListPanelOptions<Value>) {
    this.#options = options;
    this.title = options.title;
    this.place = options.place ?? "bottom";
    if (options.isOfSession === true) this.isOfSession = true;
    this.#contexts = [...(options.contexts ?? []), "list"];
  }

  get contexts(): readonly KeyContext[] {
    return this.#prompt?.contexts ?? this.#contexts;
  }

  /** The words that are searched. */
  get pattern(): string {
    return this.#pattern;
  }

  /** To be called once the content is another one: tells which entry is at the cursor, and draws. */
  refresh(): void {
    this.#reportSelected();
    this.#options.services.redraw();
  }

  /** Goes to the first entry. */
  toTop(): void {
    this.#at = 0;
    this.refresh();
  }

  /** Goes to the first entry that passes the test, if one does. */
  goTo(isWanted: (value: Value) => boolean): void {
    const at = this.#found().findIndex(({ value }) => isWanted(value));
    if (at >= 0) this.#at = at;
    this.refresh();
  }

  /** Asks a question above the list, which only the letter y answers with yes. */
  ask(text: string, yes: string, done: () => void): void {
    this.#prompt = askFor({ text, yes, done, close: () => this.#endPrompt() });
  }

  /** Lets the person edit a text in place of the search. Enter ends that, Esc leaves it as it was. */
  edit(label: string, text: string, done: (text: string) => void): void {
    this.#prompt = editText({ label, text, done, close: () => this.#endPrompt() });
  }

  closed(): void {
    this.#options.closed?.();
  }

  draw({ columns, rows: height }: Size): DrawnPart {
    const { content, preview } = this.#options;
    const { note } = content();
    const title =
      this.place === "full" ? [] : [row([span(cutEnd(this.title, columns), { role: "heading" })])];
    const search = this.#prompt?.draw(columns) ?? this.#searchRow(columns);
    const head = [...title, ...search.rows];
    const noteRows = note === undefined ? [] : wrapSpans([span(note, { role: "dim" })], { columns });
    const foot = [...noteRows, ...this.#hintRows(columns)].slice(0, Math.max(0, height - head.length - 1));
    const room = Math.max(1, height - head.length - foot.length);
    const cursor =
      search.cursor === undefined
        ? {}
        : { cursor: { row: title.length + search.cursor.row, column: search.cursor.column } };
    const isFull = this.place === "full";
    const isBeside = preview !== undefined && isFull && columns >= BESIDE_COLUMNS_MIN;
    const size = { columns, rows: room };
    const body = isBeside ? this.#bodyBeside(head.length, size) : this.#bodyBelow(head.length, size);
    const blank = isFull ? Array.from({ length: Math.max(0, room - body.length) }, () => EMPTY_ROW) : [];
    return inSight({ rows: [...head, ...body, ...blank, ...foot], ...cursor }, height);
  }

  act(action: ActionName): boolean {
    const isTaken = this.#prompt === undefined ? this.#act(action) : this.#prompt.act(action);
    this.#reportSelected();
    return isTaken;
  }

  type(text: string): boolean {
    if (this.#prompt !== undefined) return this.#prompt.type(text);
    return this.#searchFor(this.#pattern + text);
  }

  paste(text: string): boolean {
    if (this.#prompt !== undefined) return this.#prompt.paste(text);
    return this.#searchFor(this.#pattern + text.replaceAll(/\s+/g, " "));
  }

  mouse({ type, wheel, row: at, column, button }: MouseInput): boolean {
    if (this.#prompt !== undefined) return true;
    if (type === "wheel") return this.#move(wheel * WHEEL_ROWS);
    const { top, first, rows, columns } = this.#shown;
    const index = first + at - top;
    if (type !== "press" || button !== "left" || at < top || at >= top + rows || column >= columns)
      return false;
    if (index >= this.#found().length) return false;
    if (index === this.#index) return this.#act("list.choose");
    this.#at = index;
    this.#reportSelected();
    return true;
  }

  #act(action: ActionName): boolean {
    const { services, act, choose, staysOpen = false } = this.#options;
    const current = this.#current;
    switch (action) {
      case "list.up":
        return this.#move(-1);
      case "list.down":
        return this.#move(1);
      case "list.pageUp":
        return this.#move(-this.#shown.rows);
      case "list.pageDown":
        return this.#move(this.#shown.rows);
      case "list.choose":
        if (current === undefined) return true;
        if (!staysOpen) services.close(this);
        choose(current.value);
        return true;
      case "list.leave":
      case "turn.cancel":
        services.close(this);
        return true;
      case "list.deleteBack":
        return this.#searchFor(this.#pattern.slice(0, before(this.#pattern, this.#pattern.length)));
      default:
        return act?.(action, current?.value) ?? false;
    }
  }

  get #index(): number {
    return Math.min(this.#at, Math.max(0, this.#found().length - 1));
  }

  get #current(): PanelEntry<Value> | undefined {
    return this.#found()[this.#index];
  }

  #searchFor(pattern: string): boolean {
    if (pattern === this.#pattern) return true;
    this.#pattern = pattern;
    this.#at = 0;
    this.#options.search?.(pattern);
    this.#reportSelected();
    return true;
  }

  #move(by: number): boolean {
    const last = Math.max(0, this.#found().length - 1);
    this.#at = Math.max(0, Math.min(last, this.#index + by));
    this.#reportSelected();
    return true;
  }

  #endPrompt(): void {
    this.#prompt = undefined;
    this.#options.services.redraw();
  }

  #reportSelected(): void {
    const current = this.#current;
    if (current === undefined || current.value === this.#selected) return;
    this.#selected = current.value;
    this.#options.selected?.(current.value);
  }

  #found(): readonly PanelEntry<Value>[] {
    const { entries } = this.#options.content();
    return this.#options.search === undefined ? this.#search.matches(entries, this.#pattern) : entries;
  }

  #searchRow(columns: number): DrawnPart {
    const { facts } = this.#options;
    const found = this.#found();
    const count = `  ${found.length === 0 ? 0 : this.#index + 1}/${found.length}`;
    const room = Math.max(1, columns - PROMPT.length - count.length - 1);
    const shown = cutBeginning(this.#pattern, room);
    const words = facts?.() ?? "";
    const rest = room - displayWidth(shown) - 2;
    const drawn = row([
      span(PROMPT, { role: "dim" }),
      span(shown),
      span(count, { role: "dim" }),
      ...(words === "" || displayWidth(words) > rest ? [] : [span(`  ${words}`, { role: "accent" })]),
    ]);
    const below =
      words !== "" && displayWidth(words) > rest
        ? wrapSpans([span(words, { role: "accent" })], { columns })
        : [];
    const column = PROMPT.length + displayWidth(shown);
    return { rows: [drawn, ...below], cursor: { row: 0, column: Math.min(column, columns - 1) } };
  }

  #hintRows(columns: number): readonly DrawnRow[] {
    const { hints, services } = this.#options;
    if (this.#prompt !== undefined) return [];
    const texts = (hints?.() ?? COMMON_HINTS).flatMap(([action, word]) => {
      const [key] = services.keys.keysOf(action);
      return key === undefined ? [] : [`${key} ${word}`];
    });
    return packedRows(texts, { columns, rowsMax: HINT_ROWS_MAX });
  }

  /** Returns the list with its preview at the right. */
  #bodyBeside(top: number, { columns, rows }: Size): readonly DrawnRow[] {
    const leftColumns = Math.floor((columns - LINE_COLUMNS) / 2);
    const list = this.#listRows(top, { columns: leftColumns, rows });
    const shown = this.#previewRows({ columns: columns - LINE_COLUMNS - leftColumns, rows });
    return besides(list, shown, { leftColumns, rows });
  }

  /** Returns the list with its preview below, if it has one: the list keeps half of the rows. */
  #bodyBelow(top: number, { columns, rows }: Size): readonly DrawnRow[] {
    if (this.#options.preview === undefined) return this.#listRows(top, { columns, rows });
    const listMax = Math.min(this.#options.content().entries.length + 1, Math.ceil(rows / 2));
    const list = this.#listRows(top, { columns, rows: Math.max(1, listMax) });
    const rest = rows - list.length - 1;
    const shown = rest < 1 ? [] : this.#previewRows({ columns, rows: rest });
    if (shown.length === 0) return list;
    return [...list, row([span("─".repeat(columns), { role: "border" })]), ...shown];
  }

  #previewRows(size: Size): readonly DrawnRow[] {
    const current = this.#current;
    if (current === undefined) return [];
    return (this.#options.preview?.(current.value, size) ?? []).slice(0, size.rows);
  }

  #listRows(top: number, { columns, rows: height }: Size): readonly DrawnRow[] {
    const widths = this.#widthsOf();
    const head = headRow(widths, columns);
    const heads = head === undefined || height < 3 ? [] : [head];
    const rows = Math.max(1, height - heads.length);
    const found = this.#found();
    const at = this.#index;
    const first = Math.max(0, Math.min(at - Math.floor(rows / 2), found.length - rows));
    this.#shown = { top: top + heads.length, first, rows, columns };
    const drawn = found
      .slice(first, first + rows)
      .map((entry, index) => entryRow(entry, widths, { columns, isHere: first + index === at }));
    return [...heads, ...drawn];
  }

  #widthsOf(): ListWidths {
    const { content, columns } = this.#options;
    const { entries } = content();
    if (this.#widths?.of !== entries)
      this.#widths = {
        of: entries,
        widths: listWidths(entries, typeof columns === "function" ? columns() : columns),
      };
    return this.#widths.widths;
  }
}
