import { cutEnd, displayWidth } from "../../../view/terminal/display-width.ts";
import type { DrawnRow, Span } from "../drawing/span.ts";
import { EMPTY_ROW, row, span } from "../drawing/span.ts";
import type { ActionName, KeyContext } from "../keys/actions.ts";
import { ACTION_NAMES, ACTIONS } from "../keys/actions.ts";
import type { KeyTable } from "../keys/key-table.ts";
import type { DrawnPart, Overlay } from "../layout/part.ts";
import type { Services } from "../layout/services.ts";
import type { Size } from "../screen/screen.ts";

/** Narrowest column of the panel. */
const COLUMN_MIN = 38;
const COLUMNS_MAX = 3;
const KEY_WIDTH = 16;

const TITLES: Readonly<Partial<Record<KeyContext, string>>> = {
  global: "Anywhere",
  input: "In the draft",
  completion: "In a list of completions",
  vim: "In vim's normal mode",
  browse: "While browsing",
  search: "While searching",
  question: "In a question",
  list: "In a list",
  queue: "In the queue",
  review: "In a review",
};

const NOTES = [
  "/ lists commands · @ files · ! runs a command, !! keeps it from the model",
  "Shift and drag selects with the terminal itself",
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
    const top = Math.min(this.#top, Math.max(0, all.length - size.rows));
    return { rows: all.slice(top, top + size.rows) };
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
        return this.#scroll(this.#size.rows - 1);
      case "list.pageUp":
        return this.#scroll(1 - this.#size.rows);
      default:
        return false;
    }
  }

  #scroll(by: number): true {
    const last = Math.max(0, helpRows(this.#services.keys, this.#size.columns).length - this.#size.rows);
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
  return [...rows, EMPTY_ROW, ...NOTES.map((note) => row([span(cutEnd(note, columns), { role: "dim" })]))];
}

/** Returns the cells of the panel, each exactly as wide as its column. */
function cellsOf(keys: KeyTable, width: number): readonly (readonly Span[])[] {
  const blank = [span(" ".repeat(width))];
  const contexts = Object.keys(TITLES) as KeyContext[];
  return contexts.flatMap((context) => {
    const names = ACTION_NAMES.filter((name) => ACTIONS[name].context === context);
    const lines = names.flatMap((name): readonly (readonly Span[])[] => {
      const bound = keys.keysOf(name);
      if (bound.length === 0) return [];
      const text = cutEnd(bound.slice(0, 2).join(" "), KEY_WIDTH - 1).padEnd(KEY_WIDTH);
      const help = cutEnd(ACTIONS[name].help, width - KEY_WIDTH - 1);
      const gap = " ".repeat(Math.max(0, width - KEY_WIDTH - displayWidth(help)));
      return [[span(text, { role: "accent" }), span(`${help}${gap}`)]];
    });
    if (lines.length === 0) return [];
    const title = cutEnd(TITLES[context] ?? context, width - 1);
    return [[span(title.padEnd(width), { role: "heading" })], ...lines, blank];
  });
}
