import { fuzzyBest, fuzzyText } from "../../../base/text/fuzzy.ts";
import { cutEnd, displayWidth } from "../../../view/terminal/display-width.ts";
import type { DrawnRow } from "../drawing/span.ts";
import { row, span } from "../drawing/span.ts";
import { wrapSpans } from "../drawing/wrap-spans.ts";
import type { ActionName, KeyContext } from "../keys/actions.ts";
import type { DrawnPart, Overlay } from "../layout/part.ts";
import type { Services } from "../layout/services.ts";
import type { Size } from "../screen/screen.ts";

/** An entry of a list. */
export interface ListEntry<Value> {
  readonly value: Value;
  /** Name, which the search looks at first. */
  readonly label: string;
  /** Facts beside the name; the search looks at them too. */
  readonly detail?: string;
  /** Short text at the right edge: a key, an age. */
  readonly mark?: string;
}

/** Entries of a list as far as they are known. */
export interface ListContent<Value> {
  readonly entries: readonly ListEntry<Value>[];
  /** Sentence in place of entries, or below them: they are being read, or could not be. */
  readonly note?: string;
}

export interface ListPanelOptions<Value> {
  readonly title: string;
  readonly place?: Overlay["place"];
  readonly services: Services;
  readonly content: () => ListContent<Value>;
  readonly choose: (value: Value) => void;
  /** Carries out an action of the list's own, for the entry at the cursor. Returns false for any other. */
  readonly act?: (action: ActionName, value: Value | undefined) => boolean;
  readonly contexts?: readonly KeyContext[];
  /** Lines below the list about the entry at the cursor. */
  readonly preview?: (value: Value, columns: number) => readonly DrawnRow[];
}

const PROMPT = "search: ";

/** A list with a search: what is typed narrows it, Enter chooses, Esc closes. */
export class ListPanel<Value> implements Overlay {
  readonly title: string;
  readonly place: Overlay["place"];
  readonly contexts: readonly KeyContext[];
  readonly #options: ListPanelOptions<Value>;
  #pattern = "";
  #at = 0;
  #rows = 1;
  #known:
    | { readonly entries: object; readonly pattern: string; readonly found: readonly ListEntry<Value>[] }
    | undefined;

  constructor(options: ListPanelOptions<Value>) {
    this.#options = options;
    this.title = options.title;
    this.place = options.place ?? "bottom";
    this.contexts = [...(options.contexts ?? []), "list"];
  }

  draw({ columns, rows: height }: Size): DrawnPart {
    const { content, preview } = this.#options;
    const { note } = content();
    const found = this.#found();
    const at = Math.min(this.#at, Math.max(0, found.length - 1));
    const current = found[at];
    const shownPreview = current === undefined ? [] : (preview?.(current.value, columns) ?? []);
    const below = [
      ...shownPreview.slice(0, Math.max(0, Math.floor(height / 2))),
      ...(note === undefined ? [] : wrapSpans([span(note, { role: "dim" })], { columns })),
    ];
    const head = this.place === "full" ? [] : [row([span(this.title, { role: "heading" })])];
    const search = row([
      span(PROMPT, { role: "dim" }),
      span(this.#pattern),
      span(`  ${found.length === 0 ? 0 : at + 1}/${found.length}`, { role: "dim" }),
    ]);
    const room = Math.max(1, height - head.length - 1 - below.length);
    this.#rows = room;
    const top = Math.max(0, Math.min(at - Math.floor(room / 2), found.length - room));
    const entries = found
      .slice(top, top + room)
      .map((entry, index) => entryRow(entry, { columns, isHere: top + index === at }));
    const rows = [...head, search, ...entries, ...below].slice(0, height);
    return { rows, cursor: { row: head.length, column: PROMPT.length + displayWidth(this.#pattern) } };
  }

  act(action: ActionName): boolean {
    const { services, act, choose } = this.#options;
    const current = this.#current;
    switch (action) {
      case "list.up":
        return this.#move(-1);
      case "list.down":
        return this.#move(1);
      case "list.pageUp":
        return this.#move(-this.#rows);
      case "list.pageDown":
        return this.#move(this.#rows);
      case "list.choose":
        if (current === undefined) return true;
        services.close(this);
        choose(current.value);
        return true;
      case "list.leave":
      case "turn.cancel":
        services.close(this);
        return true;
      case "list.deleteBack":
        return this.#search(this.#pattern.slice(0, -1));
      default:
        return act?.(action, current?.value) ?? false;
    }
  }

  type(text: string): boolean {
    return this.#search(this.#pattern + text);
  }

  paste(text: string): boolean {
    return this.#search(this.#pattern + text.replaceAll(/\s+/g, " "));
  }

  get #current(): ListEntry<Value> | undefined {
    const found = this.#found();
    return found[Math.min(this.#at, found.length - 1)];
  }

  #search(pattern: string): boolean {
    this.#pattern = pattern;
    this.#at = 0;
    return true;
  }

  #move(by: number): boolean {
    const last = Math.max(0, this.#found().length - 1);
    this.#at = Math.max(0, Math.min(last, Math.min(this.#at, last) + by));
    return true;
  }

  /** Returns the entries that match, the best first; all of them in their order without a pattern. */
  #found(): readonly ListEntry<Value>[] {
    const { entries } = this.#options.content();
    const pattern = this.#pattern;
    if (this.#known?.entries === entries && this.#known.pattern === pattern) return this.#known.found;
    const texts = entries.map(({ label, detail = "" }) => fuzzyText(`${label} ${detail}`));
    const found =
      pattern === ""
        ? entries
        : fuzzyBest(pattern, texts, { limit: entries.length }).best.flatMap((at) => entries[at] ?? []);
    this.#known = { entries, pattern, found };
    return found;
  }
}

function entryRow<Value>(
  { label, detail = "", mark = "" }: ListEntry<Value>,
  { columns, isHere }: { readonly columns: number; readonly isHere: boolean },
): DrawnRow {
  const pointer = isHere ? "▸ " : "  ";
  const room = Math.max(1, columns - pointer.length - (mark === "" ? 0 : displayWidth(mark) + 2));
  const name = cutEnd(label, room);
  const rest = room - displayWidth(name) - 2;
  const facts = detail === "" || rest < 4 ? "" : `  ${cutEnd(detail, rest)}`;
  const gap = " ".repeat(Math.max(0, room - displayWidth(name) - displayWidth(facts)));
  return row(
    [
      span(pointer, { role: "accent" }),
      span(name, { isBold: isHere }),
      span(facts, { role: "dim" }),
      ...(mark === "" ? [] : [span(`${gap}  ${mark}`, { role: "dim" })]),
    ],
    isHere ? { fill: "selected" } : {},
  );
}
