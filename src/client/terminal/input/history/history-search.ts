import { cutEnd } from "../../../../view/terminal/display-width.ts";
import type { DrawnRow } from "../../drawing/span.ts";
import { row, span } from "../../drawing/span.ts";
import { wrapSpans } from "../../drawing/wrap-spans.ts";
import type { ActionName, KeyContext } from "../../keys/actions.ts";
import type { DrawnPart, Overlay } from "../../layout/part.ts";
import type { Services } from "../../layout/services.ts";
import type { Size } from "../../screen/screen.ts";
import { drawEditor } from "../editor/draw-editor.ts";
import { EDITS } from "../editor/edit-actions.ts";
import type { EditorState } from "../editor/editor.ts";
import { applyEdit, EMPTY_EDITOR } from "../editor/editor.ts";
import type { HistoryEntry, PromptHistory } from "./prompt-history.ts";

export interface HistorySearchOptions {
  readonly services: Services;
  readonly history: PromptHistory;
  /** Takes the prompt that was chosen. */
  readonly choose: (entry: HistoryEntry) => void;
}

const FROM: Readonly<Record<HistoryEntry["from"], string>> = {
  draft: "not sent",
  command: "",
  session: "",
  folder: "other session",
};
const PREVIEW_ROWS = 4;
const LIST_ROWS = 8;

/** Returns the entries that contain all words of a search, in any case. */
export function matching(entries: readonly HistoryEntry[], search: string): readonly HistoryEntry[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return entries;
  return entries.filter(({ text }) => {
    const lower = text.toLowerCase();
    return words.every((word) => lower.includes(word));
  });
}

/** A search in earlier prompts, with a preview of the chosen one. */
export class HistorySearch implements Overlay {
  readonly title = "Earlier prompts";
  readonly place = "bottom";
  readonly contexts: readonly KeyContext[] = ["list", "input"];
  readonly #options: HistorySearchOptions;
  #search: EditorState = EMPTY_EDITOR;
  #at = 0;
  #found: { readonly of: readonly unknown[]; readonly entries: readonly HistoryEntry[] } | undefined;

  constructor(options: HistorySearchOptions) {
    this.#options = options;
  }

  draw({ columns, rows: height }: Size): DrawnPart {
    const entries = this.#entries();
    const at = Math.min(this.#at, Math.max(0, entries.length - 1));
    const count = entries.length === 0 ? "none" : `${at + 1} of ${entries.length}`;
    const head = row([span(`${this.title}: ${count}`, { role: "heading" })]);
    const field = drawEditor(this.#search, columns, 1);
    const room = Math.max(0, height - 2);
    const chosen = entries[at];
    const hasPreview = room > PREVIEW_ROWS + 2 && chosen !== undefined && isLonger(chosen.text, columns);
    const listed = Math.min(LIST_ROWS, hasPreview ? room - PREVIEW_ROWS : room);
    const top = Math.max(0, Math.min(at - Math.floor(listed / 2), entries.length - listed));
    const list = entries
      .slice(top, top + listed)
      .map((entry, index) => entryRow(entry, top + index === at, columns));
    const preview = hasPreview ? previewRows(chosen.text, columns) : [];
    const rows = [head, ...list, ...preview, ...field.rows].slice(-Math.max(1, height));
    return { rows, cursor: { row: rows.length - 1, column: field.cursor.column } };
  }

  act(action: ActionName): boolean {
    const { services } = this.#options;
    switch (action) {
      case "list.up":
        this.#move(-1);
        return true;
      case "list.down":
      case "input.history":
        this.#move(1);
        return true;
      case "list.pageUp":
        this.#move(-LIST_ROWS);
        return true;
      case "list.pageDown":
        this.#move(LIST_ROWS);
        return true;
      case "list.choose":
        this.#choose();
        return true;
      case "list.leave":
      case "turn.cancel":
        services.close(this);
        return true;
      default:
        return this.#edit(action);
    }
  }

  type(text: string): boolean {
    this.#search = applyEdit(this.#search, { kind: "insert", text });
    this.#at = 0;
    return true;
  }

  paste(text: string): boolean {
    return this.type(text.replaceAll(/\s+/g, " "));
  }

  #edit(action: ActionName): boolean {
    const kind = EDITS[action];
    if (kind === undefined) return false;
    this.#search = applyEdit(this.#search, { kind });
    this.#at = 0;
    return true;
  }

  #move(by: number): void {
    this.#at = Math.max(0, Math.min(this.#entries().length - 1, this.#at + by));
  }

  #choose(): void {
    const { services, choose } = this.#options;
    const chosen = this.#entries()[this.#at];
    services.close(this);
    if (chosen !== undefined) choose(chosen);
  }

  #entries(): readonly HistoryEntry[] {
    const all = this.#options.history.entries();
    const { text } = this.#search;
    if (this.#found === undefined || this.#found.of[0] !== all || this.#found.of[1] !== text)
      this.#found = { of: [all, text], entries: matching(all, text) };
    return this.#found.entries;
  }
}

function isLonger(text: string, columns: number): boolean {
  return text.includes("\n") || text.length > columns - 4;
}

function entryRow({ text, from }: HistoryEntry, isChosen: boolean, columns: number): DrawnRow {
  const where = FROM[from] === "" ? "" : ` · ${FROM[from]}`;
  const line = text
    .trim()
    .slice(0, 4 * columns)
    .replaceAll(/\s+/g, " ");
  const room = Math.max(8, columns - 2 - where.length);
  return row([
    span(isChosen ? "> " : "  ", { role: "accent" }),
    span(cutEnd(line, room), isChosen ? { role: "selected" } : {}),
    span(where, { role: "dim" }),
  ]);
}

function previewRows(text: string, columns: number): readonly DrawnRow[] {
  const bar = [span("  │ ", { role: "border" })];
  const rows = text
    .slice(0, columns * PREVIEW_ROWS * 2)
    .split("\n", PREVIEW_ROWS)
    .flatMap((line) => wrapSpans([span(line, { role: "dim" })], { columns, first: bar }));
  return rows.slice(0, PREVIEW_ROWS);
}
