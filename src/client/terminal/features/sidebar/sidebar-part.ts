import type { SessionId } from "../../../../base/ids.ts";
import type { OverviewLine } from "../../../../view/overview/fit-sections.ts";
import { fitSections } from "../../../../view/overview/fit-sections.ts";
import type { OverviewName } from "../../../../view/overview/sections.ts";
import { row, span } from "../../drawing/span.ts";
import type { KeyContext } from "../../keys/actions.ts";
import type { DrawnPart, SidePart } from "../../layout/part.ts";
import type { MouseInput, Size } from "../../screen/screen.ts";
import { drawLine } from "./draw-lines.ts";
import type { SidebarFeed } from "./feed.ts";

/** Narrowest screen with a sidebar. */
export const SIDEBAR_SCREEN_COLUMNS = 120;
/** Columns of the sidebar: about a quarter of the screen, within these limits. */
const [COLUMNS_MIN, COLUMNS_MAX] = [34, 48];

export interface SidebarPartOptions {
  readonly feed: SidebarFeed;
  /** Sections without entries, shared with the panel. */
  readonly folded: Set<OverviewName>;
  /** Returns true while the person wants it. */
  readonly isWanted: () => boolean;
  readonly goTo: (session: SessionId) => void;
}

/** The sidebar: what is known of all sessions and of the one that is shown, as far as there is room. */
export class SidebarPart implements SidePart {
  readonly contexts: readonly KeyContext[] = [];
  readonly #options: SidebarPartOptions;
  /** Present while it is on the screen: only then its facts are read. */
  #held: Disposable | undefined;
  #isShown = false;
  #lines: readonly OverviewLine[] = [];

  constructor(options: SidebarPartOptions) {
    this.#options = options;
  }

  /** True if there was room for it when it was asked last. */
  get isShown(): boolean {
    return this.#isShown;
  }

  columns({ columns }: Size): number {
    this.#isShown = this.#options.isWanted() && columns >= SIDEBAR_SCREEN_COLUMNS;
    return this.#isShown ? Math.max(COLUMNS_MIN, Math.min(COLUMNS_MAX, Math.floor(columns / 4))) : 0;
  }

  draw({ columns, rows }: Size): DrawnPart {
    const { feed, folded } = this.#options;
    this.#lines = fitSections(feed.sections(), { rows, folded });
    if (this.#lines.length === 0) return { rows: [row([span("nothing is known yet", { role: "dim" })])] };
    return { rows: this.#lines.map((line) => drawLine(line, columns)) };
  }

  drawn({ columns }: Size): void {
    if (columns === 0) this.#release();
    else this.#held ??= this.#options.feed.hold();
  }

  act(): boolean {
    return false;
  }

  /** A click folds a section, or goes to a session. */
  mouse({ type, row: at }: MouseInput): boolean {
    if (type !== "press") return type === "wheel";
    const line = this.#lines[at];
    const { folded, goTo } = this.#options;
    if (line?.kind === "title") toggle(folded, line.section.name);
    else if (line?.kind === "entry" && line.entry.session !== undefined) goTo(line.entry.session);
    return true;
  }

  [Symbol.dispose](): void {
    this.#release();
  }

  #release(): void {
    this.#held?.[Symbol.dispose]();
    this.#held = undefined;
  }
}

/** Folds a section, or unfolds it. */
export function toggle(folded: Set<OverviewName>, name: OverviewName): void {
  if (!folded.delete(name)) folded.add(name);
}
