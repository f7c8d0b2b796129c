import { cutBeginning, displayWidth } from "../../../../view/terminal/display-width.ts";
import type { DrawnRow, Span } from "../../drawing/span.ts";
import { EMPTY_ROW, row, span } from "../../drawing/span.ts";
import { widthOfSpans, wrapSpans } from "../../drawing/wrap-spans.ts";
import { before } from "../../input/editor/graphemes.ts";
import type { ActionName, KeyContext } from "../../keys/actions.ts";
import { ACTION_NAMES, ACTIONS } from "../../keys/actions.ts";
import { CONTEXT_TITLES, CONTEXTS } from "../../keys/context-titles.ts";
import type { KeyTable } from "../../keys/key-table.ts";
import type { DrawnPart, Overlay } from "../../layout/part.ts";
import type { Services } from "../../layout/services.ts";
import { packedRows } from "../../panels/list-rows.ts";
import { Scroll } from "../../panels/scroll.ts";
import type { MouseInput, Size } from "../../screen/screen.ts";

/** Narrowest column of the panel: few texts need a second line in it. */
const COLUMN_MIN = 58;
const COLUMNS_MAX = 3;
/** Columns of the keys: as many as two need, and fewer where there is little room. */
const KEYS_COLUMNS = 22;
const KEYS_SHARE = 0.36;
const KEYS_SHOWN_MAX = 2;
/** Columns beside the keys below which a text stands below them. */
const TEXT_COLUMNS_MIN = 12;
const HINT_ROWS_MAX = 2;

const NOTES = [
  "/ lists commands · @ files · ! runs a command, !! keeps it from the model",
  "Shift and drag selects with the terminal itself.",
];

/** Actions that a person needs first. */
const FIRST_DAY: readonly ActionName[] = [
  "input.send",
  "input.newLine",
  "turn.cancel",
  "app.interrupt",
  "app.palette",
  "mode.next",
  "model.open",
  "session.open",
  "transcript.unfoldAll",
  "input.history",
];
const PROMPT = "search: ";

/**
 * All keys, in columns; those of the first day first. What is typed narrows them. The table of actions is
 * their source, so that keys of a person show.
 */
export class HelpPanel implements Overlay {
  readonly title = "Keys";
  readonly place = "full";
  readonly contexts: readonly KeyContext[] = ["list"];
  readonly #services: Services;
  readonly #scroll = new Scroll();
  #pattern = "";

  constructor(services: Services) {
    this.#services = services;
  }

  draw({ columns, rows: height }: Size): DrawnPart {
    const all = helpRows(this.#services.keys, columns, this.#pattern);
    const shown = cutBeginning(this.#pattern, Math.max(1, columns - PROMPT.length - 1));
    const search = row([span(PROMPT, { role: "dim" }), span(shown)]);
    const [scroll, close] = this.#hints();
    // The widest place keeps its room, so that the last rows do not change with it.
    const widest = `${all.length}-${all.length} of ${all.length}`;
    const size = { columns, rowsMax: Math.min(HINT_ROWS_MAX, Math.max(1, height - 2)) };
    const foot = packedRows([close, scroll, widest], size);
    const room = Math.max(1, height - foot.length - 1);
    const top = this.#scroll.show(all.length, room);
    const hints = this.#scroll.isWhole ? [close] : [close, scroll, this.#scroll.place];
    const column = Math.min(columns - 1, PROMPT.length + displayWidth(shown));
    return {
      rows: [search, ...all.slice(top, top + room), ...packedRows(hints, size)].slice(0, height),
      cursor: { row: 0, column },
    };
  }

  act(action: ActionName): boolean {
    switch (action) {
      case "list.leave":
      case "app.help":
      case "turn.cancel":
        this.#services.close(this);
        return true;
      case "list.deleteBack":
        return this.#searchFor(this.#pattern.slice(0, before(this.#pattern, this.#pattern.length)));
      default:
        return this.#scroll.act(action) || action === "list.choose";
    }
  }

  type(text: string): boolean {
    return this.#searchFor(this.#pattern + text);
  }

  paste(text: string): boolean {
    return this.#searchFor(this.#pattern + text.replaceAll(/\s+/g, " "));
  }

  #searchFor(pattern: string): true {
    this.#pattern = pattern;
    return this.#scroll.to(0);
  }

  #hints(): readonly [scroll: string, close: string] {
    const { keys } = this.#services;
    const key = (action: ActionName) => keys.label(action);
    return [
      `${key("list.up")} ${key("list.down")} ${key("list.pageDown")} scroll`,
      `${key("list.leave")} closes`,
    ];
  }

  mouse(input: MouseInput): boolean {
    return this.#scroll.mouse(input);
  }
}

/**
 * Returns the rows of the panel: one to three columns of keys, by the width. No key and no text is cut.
 * @param pattern words that an action, its keys or its context must have. Default: all actions, the first ones first.
 */
export function helpRows(keys: KeyTable, columns: number, pattern = ""): readonly DrawnRow[] {
  const count = Math.max(1, Math.min(COLUMNS_MAX, Math.floor(columns / COLUMN_MIN)));
  const width = Math.floor(columns / count);
  const notes = NOTES.flatMap((note) => wrapSpans([span(note, { role: "dim" })], { columns }));
  const size = Math.max(1, width - 1);
  if (pattern.trim() !== "") {
    const found = blocksOf(keys, size, pattern);
    if (found.length === 0) return wrapSpans([span("No key does that.", { role: "dim" })], { columns });
    return sideBySide(inColumns(found, count), width);
  }
  const first = sideBySide(inColumns(firstBlocks(keys, size), count), width);
  const shown = sideBySide(inColumns(blocksOf(keys, size), count), width);
  const title = wrapSpans([span("The first day", { role: "heading" })], { columns });
  return [...title, ...first, EMPTY_ROW, ...notes, EMPTY_ROW, ...shown];
}

function firstBlocks(keys: KeyTable, columns: number): readonly (readonly DrawnRow[])[] {
  return FIRST_DAY.flatMap((name) => {
    const bound = keys.keysOf(name);
    return bound.length === 0 ? [] : [actionRows(bound, ACTIONS[name].help, columns)];
  });
}

/** Returns the titles and the actions that have each word of a pattern, each with its rows. */
function blocksOf(keys: KeyTable, columns: number, pattern = ""): readonly (readonly DrawnRow[])[] {
  const words = pattern.toLowerCase().split(/\s+/);
  return CONTEXTS.flatMap((context) => {
    const actions = ACTION_NAMES.filter((name) => ACTIONS[name].context === context).flatMap((name) => {
      const bound = keys.keysOf(name);
      const { help } = ACTIONS[name];
      const text = `${bound.join(" ")} ${help} ${CONTEXT_TITLES[context]}`.toLowerCase();
      const isFound = words.every((word) => text.includes(word));
      return bound.length === 0 || !isFound ? [] : [actionRows(bound, help, columns)];
    });
    const [first, ...rest] = actions;
    if (first === undefined) return [];
    const title = wrapSpans([span(CONTEXT_TITLES[context], { role: "heading" })], { columns });
    return [[...title, ...first], ...rest, [EMPTY_ROW]];
  });
}

/** Deals blocks out to columns of about the same height. No block is divided. */
function inColumns(
  blocks: readonly (readonly DrawnRow[])[],
  count: number,
): readonly (readonly DrawnRow[])[] {
  const height = Math.ceil(blocks.reduce((sum, { length }) => sum + length, 0) / count);
  const columns: DrawnRow[][] = [[]];
  for (const block of blocks) {
    const column = columns.at(-1) ?? [];
    if (columns.length < count && column.length > 0 && column.length + block.length > height)
      columns.push([...block]);
    else column.push(...block);
  }
  return columns;
}

function sideBySide(columns: readonly (readonly DrawnRow[])[], width: number): readonly DrawnRow[] {
  const height = Math.max(...columns.map(({ length }) => length));
  return Array.from({ length: height }, (_, at) => {
    const cells = columns.map((column, index): readonly Span[] => {
      const { spans } = column[at] ?? EMPTY_ROW;
      const isLast = index === columns.length - 1;
      return isLast ? spans : [...spans, span(" ".repeat(Math.max(0, width - widthOfSpans(spans))))];
    });
    return row(cells.flat());
  });
}

/** Returns the rows of an action: its keys, and its help beside them, or below them where there is no room. */
function actionRows(bound: readonly string[], help: string, columns: number): readonly DrawnRow[] {
  const keysWidth = Math.min(KEYS_COLUMNS, Math.floor(columns * KEYS_SHARE));
  const two = bound.slice(0, KEYS_SHOWN_MAX).join(" ");
  const text = displayWidth(two) < keysWidth ? two : (bound[0] ?? "");
  const keySpan = span(text, { role: "accent" });
  const isBeside = displayWidth(text) < keysWidth && columns - keysWidth >= TEXT_COLUMNS_MIN;
  if (!isBeside) {
    const below = wrapSpans([span(help)], { columns, first: [span("  ")] });
    return [...wrapSpans([keySpan], { columns }), ...below];
  }
  const gap = span(" ".repeat(keysWidth - displayWidth(text)));
  return wrapSpans([span(help)], { columns, first: [keySpan, gap], rest: [span(" ".repeat(keysWidth))] });
}
