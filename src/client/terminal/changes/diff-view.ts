import { isSideBySide, otherLayout } from "../diff/diff-layout.ts";
import { diffRows } from "../diff/diff-rows.ts";
import type { DrawnRow } from "../drawing/span.ts";
import { EMPTY_ROW, row, span } from "../drawing/span.ts";
import { wrapSpans } from "../drawing/wrap-spans.ts";
import type { ActionName, KeyContext } from "../keys/actions.ts";
import type { DrawnPart, Overlay } from "../layout/part.ts";
import type { Services } from "../layout/services.ts";
import { packedRows } from "../panels/list-rows.ts";
import { Scroll, WHEEL_ROWS } from "../panels/scroll.ts";
import type { MouseInput, Size } from "../screen/screen.ts";
import type { ChangedFile } from "./change-files.ts";
import { changeDiff } from "./change-files.ts";

/** Lines of one file that are drawn; the rest is counted. */
const LINES_MAX = 20_000;
const HINT_ROWS_MAX = 2;

interface Drawn {
  readonly file: ChangedFile;
  readonly columns: number;
  readonly isSide: boolean;
  readonly rows: readonly DrawnRow[];
  /** First rows of the hunks. */
  readonly hunks: readonly number[];
}

/** Changed files, one at a time on the whole screen, unified or side by side (TUI-05). Nothing is changed in it. */
export class DiffView implements Overlay {
  readonly title: string;
  readonly place = "full";
  readonly isOfSession = true;
  readonly contexts: readonly KeyContext[] = ["review", "panel", "list"];
  readonly #services: Services;
  readonly #changes: readonly ChangedFile[];
  #at: number;
  readonly #scroll = new Scroll();
  #room = 1;
  #drawn: Drawn | undefined;
  #size: Size = { columns: 80, rows: 24 };

  constructor(
    services: Services,
    {
      title,
      changes,
      at = 0,
    }: { readonly title: string; readonly changes: readonly ChangedFile[]; readonly at?: number },
  ) {
    this.title = title;
    this.#services = services;
    this.#changes = changes;
    this.#at = at;
  }

  draw(size: Size): DrawnPart {
    this.#size = size;
    const { columns, rows: height } = size;
    const drawn = this.#rows();
    const head = this.#headRows(columns);
    const foot = this.#footRows(columns).slice(0, Math.max(0, height - head.length - 1));
    this.#room = Math.max(1, height - head.length - foot.length);
    const top = this.#scroll.show(drawn.rows.length, this.#room);
    const shown = drawn.rows.slice(top, top + this.#room);
    const blank = Array.from({ length: this.#room - shown.length }, () => EMPTY_ROW);
    return { rows: [...head, ...shown, ...blank, ...foot] };
  }

  act(action: ActionName): boolean {
    switch (action) {
      case "review.next":
        return this.#nextHunk();
      case "review.previous":
        return this.#previousHunk();
      case "review.layout":
        return this.#switchLayout();
      case "review.whole":
      case "list.choose":
      case "list.leave":
      case "panel.leave":
      case "turn.cancel":
        this.#services.close(this);
        return true;
      default: {
        const rows = this.#scroll.rowsOf(action);
        return rows !== undefined && this.#scrollBy(rows);
      }
    }
  }

  type(): boolean {
    return true;
  }

  paste(): boolean {
    return true;
  }

  mouse({ type, wheel }: MouseInput): boolean {
    return type === "wheel" && this.#scrollBy(wheel * WHEEL_ROWS);
  }

  get #change(): ChangedFile | undefined {
    return this.#changes[this.#at];
  }

  get #isSide(): boolean {
    return isSideBySide(this.#services.settings.values.diffLayout, this.#size.columns);
  }

  /** Scrolls; at the end of a file a page down goes to the next one, and up to the one before. */
  #scrollBy(by: number): true {
    const { top, last } = this.#scroll;
    if (by > 1 && top === last) return this.#toFile(this.#at + 1);
    if (by < -1 && top === 0) return this.#toFile(this.#at - 1, { isAtEnd: true });
    return this.#scroll.to(top + by);
  }

  #toFile(at: number, { isAtEnd = false }: { readonly isAtEnd?: boolean } = {}): true {
    if (this.#changes[at] === undefined) return true;
    this.#at = at;
    this.#scroll.show(this.#rows().rows.length, this.#room);
    return this.#scroll.to(isAtEnd ? this.#scroll.last : 0);
  }

  #nextHunk(): true {
    const { top, last } = this.#scroll;
    const next = this.#rows().hunks.find((at) => at > top);
    return next === undefined || top >= last ? this.#toFile(this.#at + 1) : this.#scroll.to(next);
  }

  #previousHunk(): true {
    const { top } = this.#scroll;
    const before = this.#rows().hunks.findLast((at) => at < top);
    if (before !== undefined) return this.#scroll.to(before);
    return top > 0 ? this.#toFile(this.#at) : this.#toFile(this.#at - 1, { isAtEnd: true });
  }

  #switchLayout(): true {
    const { settings } = this.#services;
    settings.change({ diffLayout: otherLayout(settings.values.diffLayout, this.#size.columns) });
    return this.#scroll.to(0);
  }

  #rows(): Drawn {
    const { columns } = this.#size;
    const isSide = this.#isSide;
    const file = this.#change;
    if (file === undefined) return { file: NO_FILE, columns, isSide, rows: [], hunks: [] };
    const known = this.#drawn;
    if (known?.file === file && known.columns === columns && known.isSide === isSide) return known;
    const diff = changeDiff(file);
    const hunks: number[] = [];
    const rows: DrawnRow[] = [];
    let left = LINES_MAX;
    for (const hunk of diff.hunks) {
      if (rows.length > 0) rows.push(EMPTY_ROW);
      hunks.push(rows.length);
      const drawn = diffRows([{ ...diff, hunks: [hunk] }], {
        columns,
        layout: isSide ? "side" : "unified",
        linesMax: Math.max(1, left),
        hasNames: false,
      });
      // A hunk may have more rows than a call takes arguments.
      for (const each of drawn) rows.push(each);
      left -= hunk.lines.length;
      if (left <= 0) break;
    }
    if (left <= 0) rows.push(row([span("… the rest of this file is not shown", { role: "dim" })]));
    if (rows.length === 0)
      rows.push(
        ...wrapSpans([span(diff.facts.join(" · ") || "It has no changed lines.", { role: "dim" })], {
          columns,
        }),
      );
    this.#drawn = { file, columns, isSide, rows, hunks };
    return this.#drawn;
  }

  #headRows(columns: number): readonly DrawnRow[] {
    const file = this.#change;
    if (file === undefined) return [];
    const { path, from, kind, added, removed } = file;
    const name = from === undefined ? path : `${from} → ${path}`;
    const place = this.#changes.length < 2 ? "" : ` (file ${this.#at + 1} of ${this.#changes.length})`;
    return wrapSpans(
      [
        span(name, { isBold: true }),
        span(` ${kind}${place} `, { role: "dim" }),
        span(`+${added}`, { role: "added" }),
        span(" "),
        span(`-${removed}`, { role: "removed" }),
      ],
      { columns },
    );
  }

  #footRows(columns: number): readonly DrawnRow[] {
    const { keys } = this.#services;
    const key = (action: ActionName) => keys.label(action);
    const other = this.#isSide ? "unified" : "side by side";
    const hints = [
      `${key("review.next")} next`,
      `${key("review.previous")} previous`,
      `${key("review.layout")} ${other}`,
      `${key("list.pageDown")} page`,
      `${key("panel.leave")} close`,
    ];
    return packedRows(hints, { columns, rowsMax: HINT_ROWS_MAX });
  }
}

const NO_FILE: ChangedFile = { path: "", kind: "changed", by: "calls", added: 0, removed: 0, bytes: 0 };
