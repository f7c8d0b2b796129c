import { cutEnd, displayWidth } from "../../../view/terminal/display-width.ts";
import type { DrawnRow, Span } from "../drawing/span.ts";
import { EMPTY_ROW, row, span } from "../drawing/span.ts";
import { widthOfSpans, wrapSpans } from "../drawing/wrap-spans.ts";
import type { ActionName, KeyContext } from "../keys/actions.ts";
import { ACTION_NAMES, ACTIONS } from "../keys/actions.ts";
import { CONTEXT_TITLES, CONTEXTS } from "../keys/context-titles.ts";
import type { KeyTable } from "../keys/key-table.ts";
import type { DrawnPart, Overlay } from "../layout/part.ts";
import type { Services } from "../layout/services.ts";
import type { Size } from "../screen/screen.ts";

/** Narrowest column of the panel: most actions are shown whole in it. */
const COLUMN_MIN = 58;
const COLUMNS_MAX = 3;
/** Columns of the keys and the gap behind them at most: as many as two need, and fewer where there is little room. */
const KEYS_COLUMNS = 22;
const KEYS_SHARE = 0.36;
const KEYS_SHOWN_MAX = 2;
const KEYS_GAP = 2;

const NOTES = [
  "/ lists commands · @ files · ! runs a command, !! keeps it from the model",
  "Shift and drag selects with the terminal itself.",
];

/** All keys, in columns. It is made from the table of actions, so that keys of a person show. */
export class HelpPanel implements Overlay {
  readonly title = "Keys";
  readonly place = "full";
  readonly contexts: readonly KeyContext[] = ["panel", "list"];
  readonly #services: Services;
  #top = 0;
  #size: Size = { columns: 80, rows: 24 };

  constructor(services: Services) {
    this.#services = services;
  }

  draw(size: Size): DrawnPart {
    this.#size = size;
    const all = helpRows(this.#services.keys, size.columns);
    const room = this.#room;
    const top = Math.min(this.#top, Math.max(0, all.length - room));
    const shown = all.slice(top, top + room);
    return { rows: [...shown, this.#footRow(top, all.length)] };
  }

  act(action: ActionName): boolean {
    switch (action) {
      case "panel.leave":
      case "list.leave":
      case "app.help":
      case "turn.cancel":
        this.#services.close(this);
        return true;
      case "list.down":
        return this.#scroll(1);
      case "list.up":
        return this.#scroll(-1);
      case "list.pageDown":
        return this.#scroll(this.#room - 1);
      case "list.pageUp":
        return this.#scroll(1 - this.#room);
      default:
        return false;
    }
  }

  /** Rows of the panel above its last one. */
  get #room(): number {
    return Math.max(1, this.#size.rows - 1);
  }

  #footRow(top: number, count: number): DrawnRow {
    const { keys } = this.#services;
    const key = (action: ActionName) => keys.keysOf(action)[0] ?? "-";
    const place = count <= this.#room ? "" : `${top + 1}-${Math.min(count, top + this.#room)} of ${count} · `;
    const text = `${place}${key("list.up")} ${key("list.down")} ${key("list.pageDown")} scroll · ${key("panel.leave")} closes`;
    return row([span(cutEnd(text, this.#size.columns), { role: "dim" })]);
  }

  #scroll(by: number): true {
    const last = Math.max(0, helpRows(this.#services.keys, this.#size.columns).length - this.#room);
    this.#top = Math.max(0, Math.min(last, this.#top + by));
    return true;
  }
}

/** Returns the rows of the panel: one to three columns of keys, by the width. */
export function helpRows(keys: KeyTable, columns: number): readonly DrawnRow[] {
  const count = Math.max(1, Math.min(COLUMNS_MAX, Math.floor(columns / COLUMN_MIN)));
  const width = Math.floor(columns / count);
  const cells = cellsOf(keys, width);
  const height = Math.ceil(cells.length / count);
  const rows = Array.from({ length: height }, (_, at) =>
    row(Array.from({ length: count }, (__, column) => cells[column * height + at] ?? []).flat()),
  );
  const notes = NOTES.flatMap((note) => wrapSpans([span(note, { role: "dim" })], { columns }));
  return [...notes, EMPTY_ROW, ...rows];
}

/** Returns the cells of the panel, each exactly as wide as its column. */
function cellsOf(keys: KeyTable, width: number): readonly (readonly Span[])[] {
  const blank = [span(" ".repeat(width))];
  const keysMax = Math.min(KEYS_COLUMNS, Math.floor(width * KEYS_SHARE)) - KEYS_GAP;
  return CONTEXTS.flatMap((context) => {
    const shown = ACTION_NAMES.filter((name) => ACTIONS[name].context === context).flatMap((name) => {
      const bound = keys.keysOf(name);
      return bound.length === 0 ? [] : [{ keys: keysText(bound, keysMax), help: ACTIONS[name].help }];
    });
    if (shown.length === 0) return [];
    const keysWidth = KEYS_GAP + Math.max(...shown.map((each) => displayWidth(each.keys)));
    const lines = shown.flatMap((each) => actionCells(each, keysWidth, width));
    const title = cutEnd(CONTEXT_TITLES[context], width - 1);
    return [[span(title.padEnd(width), { role: "heading" })], ...lines, blank];
  });
}

/** Returns the keys of an action in at most `columns` columns. A key is not cut where it can stand alone. */
function keysText(bound: readonly string[], columns: number): string {
  const two = bound.slice(0, KEYS_SHOWN_MAX).join(" ");
  return cutEnd(displayWidth(two) <= columns ? two : (bound[0] ?? ""), columns);
}

/** Returns the cells of an action: one, or several if its help is wrapped. */
function actionCells(
  { keys, help }: { readonly keys: string; readonly help: string },
  keysWidth: number,
  width: number,
): readonly (readonly Span[])[] {
  const first = [span(`${keys}${" ".repeat(keysWidth - displayWidth(keys))}`, { role: "accent" })];
  const rest = [span(" ".repeat(keysWidth))];
  return wrapSpans([span(help)], { columns: width - 1, first, rest }).map(({ spans }) => [
    ...spans,
    span(" ".repeat(Math.max(0, width - widthOfSpans(spans)))),
  ]);
}
