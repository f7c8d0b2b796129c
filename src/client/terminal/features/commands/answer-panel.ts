import { cutEnd } from "../../../../view/terminal/display-width.ts";
import type { DrawnRow, Role } from "../../drawing/span.ts";
import { row, span } from "../../drawing/span.ts";
import { wrapSpans } from "../../drawing/wrap-spans.ts";
import type { ActionName, KeyContext } from "../../keys/actions.ts";
import type { DrawnPart, Overlay } from "../../layout/part.ts";
import type { Services } from "../../layout/services.ts";
import type { MouseInput, Size } from "../../screen/screen.ts";

const INDENT_MAX = 8;
const WHEEL_ROWS = 3;
/** Beginnings of lines that stand for a part of a change. */
const CHANGES: readonly (readonly [RegExp, Role])[] = [
  [/^\| @@ /, "accent"],
  [/^\| \+/, "added"],
  [/^\| -/, "removed"],
];

export interface AnswerPanelOptions {
  readonly title: string;
  /** May have any number of lines. */
  readonly text: string;
}

type AnswerPanelServices = Pick<Services, "keys" | "draft" | "close">;

/** A long answer on the whole screen. It stays until the person closes it; what is typed closes it too. */
export class AnswerPanel implements Overlay {
  readonly title: string;
  readonly place = "full";
  /** No plain letters: the panel may open while somebody types. */
  readonly contexts: readonly KeyContext[] = ["list"];
  readonly #services: AnswerPanelServices;
  readonly #text: string;
  #top = 0;
  #size: Size = { columns: 80, rows: 24 };
  #drawn: { readonly columns: number; readonly rows: readonly DrawnRow[] } | undefined;

  constructor(services: AnswerPanelServices, { title, text }: AnswerPanelOptions) {
    this.#services = services;
    this.title = title;
    this.#text = text;
  }

  draw(size: Size): DrawnPart {
    this.#size = size;
    const all = this.#rows(size.columns);
    const room = this.#room;
    const top = Math.min(this.#top, this.#lastTop);
    const { keys } = this.#services;
    const key = (name: ActionName) => keys.label(name);
    const place =
      all.length <= room ? "" : `rows ${top + 1}-${Math.min(all.length, top + room)} of ${all.length} · `;
    const foot = `${key("list.leave")} closes · ${place}${key("list.pageDown")} ${key("list.down")} scroll`;
    return {
      rows: [...all.slice(top, top + room), row([span(cutEnd(foot, size.columns), { role: "dim" })])].slice(
        0,
        size.rows,
      ),
    };
  }

  act(action: ActionName): boolean {
    switch (action) {
      case "list.leave":
      case "list.choose":
      case "turn.cancel":
        this.#services.close(this);
        return true;
      case "list.down":
        return this.#scroll(1);
      case "list.up":
        return this.#scroll(-1);
      case "list.pageDown":
      case "transcript.pageDown":
        return this.#scroll(this.#room - 1);
      case "list.pageUp":
      case "transcript.pageUp":
        return this.#scroll(1 - this.#room);
      case "transcript.top":
        return this.#scroll(-this.#top);
      case "transcript.end":
        return this.#scroll(this.#lastTop);
      default:
        return false;
    }
  }

  type(text: string): boolean {
    this.#services.close(this);
    this.#services.draft.insert(text);
    return true;
  }

  mouse({ type, wheel }: MouseInput): boolean {
    return type === "wheel" && this.#scroll(wheel * WHEEL_ROWS);
  }

  /** Rows of the text that are shown; the last row of the panel names the keys. */
  get #room(): number {
    return Math.max(1, this.#size.rows - 1);
  }

  get #lastTop(): number {
    return Math.max(0, this.#rows(this.#size.columns).length - this.#room);
  }

  #scroll(by: number): true {
    this.#top = Math.max(0, Math.min(this.#lastTop, this.#top + by));
    return true;
  }

  #rows(columns: number): readonly DrawnRow[] {
    if (this.#drawn?.columns === columns) return this.#drawn.rows;
    const rows = this.#text.split("\n").flatMap((line) => {
      const role = CHANGES.find(([begins]) => begins.test(line))?.[1] ?? "text";
      const indent = " ".repeat(Math.min(INDENT_MAX, line.search(/\S|$/)) + 2);
      return wrapSpans([span(line, { role })], { columns, rest: [span(indent)] });
    });
    this.#drawn = { columns, rows };
    return rows;
  }
}
