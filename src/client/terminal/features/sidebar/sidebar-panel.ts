import type { SessionId } from "../../../../base/ids.ts";
import type { OverviewLine } from "../../../../view/overview/fit-sections.ts";
import { allLines } from "../../../../view/overview/fit-sections.ts";
import type { OverviewName } from "../../../../view/overview/sections.ts";
import type { DrawnRow } from "../../drawing/span.ts";
import { EMPTY_ROW, span } from "../../drawing/span.ts";
import { wrapSpans } from "../../drawing/wrap-spans.ts";
import type { ActionName, KeyContext } from "../../keys/actions.ts";
import type { DrawnPart, Overlay } from "../../layout/part.ts";
import type { Services } from "../../layout/services.ts";
import type { MouseInput, Size } from "../../screen/screen.ts";
import { drawLine } from "./draw-lines.ts";
import type { SidebarFeed } from "./feed.ts";
import { toggle } from "./sidebar-part.ts";

/** Rows below the list about the line at the cursor. */
const PREVIEW_ROWS_MAX = 4;

export interface SidebarPanelOptions {
  readonly services: Services;
  readonly feed: SidebarFeed;
  readonly folded: Set<OverviewName>;
  readonly goTo: (session: SessionId) => void;
}

/** The sidebar on the whole screen, with every entry: for narrow terminals, and for the keyboard. */
export class SidebarPanel implements Overlay {
  readonly title = "Overview";
  readonly place = "full";
  readonly contexts: readonly KeyContext[] = ["list", "panel"];
  readonly #options: SidebarPanelOptions;
  readonly #held: Disposable;
  #at = 0;
  #top = 0;
  #rows = 1;

  constructor(options: SidebarPanelOptions) {
    this.#options = options;
    this.#held = options.feed.hold();
  }

  draw({ columns, rows: height }: Size): DrawnPart {
    const lines = this.#lines;
    const at = Math.min(this.#at, lines.length - 1);
    const below = [...previewOf(lines[at], columns), ...this.#footRows(columns)];
    const room = Math.max(1, height - below.length);
    this.#rows = room;
    this.#top = Math.max(0, Math.min(this.#top, at, lines.length - room));
    if (at >= this.#top + room) this.#top = at - room + 1;
    const rows = lines.slice(this.#top, this.#top + room).map((line, index) => {
      const drawn = drawLine(line, columns);
      return this.#top + index === at ? { ...drawn, fill: "selected" as const } : drawn;
    });
    const gap = Array.from({ length: room - rows.length }, () => EMPTY_ROW);
    return { rows: [...rows, ...gap, ...below].slice(0, height) };
  }

  act(action: ActionName): boolean {
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
        this.#choose(this.#lines[this.#at]);
        return true;
      case "list.leave":
      case "panel.leave":
      case "sidebar.open":
      case "sidebar.toggle":
      case "turn.cancel":
        this.#options.services.close(this);
        return true;
      default:
        return false;
    }
  }

  mouse({ type, row: at, wheel }: MouseInput): boolean {
    if (type === "wheel") return this.#move(wheel);
    const line = this.#lines[this.#top + at];
    if (type !== "press" || at >= this.#rows || line === undefined) return false;
    this.#at = this.#top + at;
    this.#choose(line);
    return true;
  }

  closed(): void {
    this.#held[Symbol.dispose]();
  }

  get #lines(): readonly OverviewLine[] {
    const { feed, folded } = this.#options;
    return allLines(feed.sections(), folded);
  }

  /** Folds a section, goes to a session, or opens the panel about the policy. */
  #choose(line: OverviewLine | undefined): void {
    const { services, folded, goTo } = this.#options;
    if (line?.kind === "title") toggle(folded, line.section.name);
    if (line?.kind !== "entry") return;
    if (line.entry.session !== undefined) {
      services.close(this);
      goTo(line.entry.session);
    } else if (line.section.name === "policy") services.run("policy.open");
  }

  #move(by: number): boolean {
    this.#at = Math.max(0, Math.min(this.#lines.length - 1, this.#at + by));
    return true;
  }

  #footRows(columns: number): readonly DrawnRow[] {
    const { keys } = this.#options.services;
    const key = (name: ActionName) => keys.label(name);
    const text = `${key("list.choose")} folds a section, goes to a session · ${key("list.leave")} closes`;
    return [EMPTY_ROW, ...wrapSpans([span(text, { role: "dim" })], { columns })];
  }
}

/** Returns the whole text of the line at the cursor. */
function previewOf(line: OverviewLine | undefined, columns: number): readonly DrawnRow[] {
  if (line?.kind !== "entry") return [];
  const { text, detail } = line.entry;
  const facts = detail === undefined ? [] : [span(`  ${detail}`, { role: "dim" })];
  return [EMPTY_ROW, ...wrapSpans([span(text), ...facts], { columns }).slice(0, PREVIEW_ROWS_MAX)];
}
