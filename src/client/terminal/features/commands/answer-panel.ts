import { cutEnd } from "../../../../view/terminal/display-width.ts";
import type { DrawnRow, Role } from "../../drawing/span.ts";
import { row, span } from "../../drawing/span.ts";
import { wrapSpans } from "../../drawing/wrap-spans.ts";
import type { ActionName, KeyContext } from "../../keys/actions.ts";
import type { DrawnPart, Overlay } from "../../layout/part.ts";
import type { Services } from "../../layout/services.ts";
import { Scroll } from "../../panels/scroll.ts";
import type { MouseInput, Size } from "../../screen/screen.ts";

const INDENT_MAX = 8;
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
  readonly #scroll = new Scroll();
  #drawn: { readonly columns: number; readonly rows: readonly DrawnRow[] } | undefined;

  constructor(services: AnswerPanelServices, { title, text }: AnswerPanelOptions) {
    this.#services = services;
    this.title = title;
    this.#text = text;
  }

  draw({ columns, rows: height }: Size): DrawnPart {
    const all = this.#rows(columns);
    const room = Math.max(1, height - 1);
    const top = this.#scroll.show(all.length, room);
    const { keys } = this.#services;
    const place = this.#scroll.isWhole ? "" : `rows ${this.#scroll.place} · `;
    const scrolls = `${keys.label("list.pageDown")} ${keys.label("list.down")} scroll`;
    const foot = `${keys.label("list.leave")} closes · ${place}${scrolls}`;
    const last = row([span(cutEnd(foot, columns), { role: "dim" })]);
    return { rows: [...all.slice(top, top + room), last].slice(0, height) };
  }

  act(action: ActionName): boolean {
    switch (action) {
      case "list.leave":
      case "list.choose":
      case "turn.cancel":
        this.#services.close(this);
        return true;
      default:
        return this.#scroll.act(action);
    }
  }

  type(text: string): boolean {
    this.#services.close(this);
    this.#services.draft.insert(text);
    return true;
  }

  mouse(input: MouseInput): boolean {
    return this.#scroll.mouse(input);
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
