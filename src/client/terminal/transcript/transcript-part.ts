import type { EventSeq } from "../../../base/ids.ts";
import { isId } from "../../../base/ids.ts";
import type { ActionName, KeyContext } from "../keys/actions.ts";
import type { DrawnPart, Part } from "../layout/part.ts";
import type { Services } from "../layout/services.ts";
import type { MouseInput, Size } from "../screen/screen.ts";
import type { DrawContext } from "./draw-context.ts";
import type { PlacedRow } from "./pane.ts";
import { TranscriptPane } from "./pane.ts";

const WHEEL_ROWS = 3;
/** Rows that a page keeps of the one before. */
const OVERLAP_ROWS = 2;

/** The transcript in its window. */
export class TranscriptPart implements Part {
  readonly contexts: readonly KeyContext[] = ["browse"];
  readonly #services: Services;
  readonly #pane = new TranscriptPane();
  readonly #unfolded = new Set<EventSeq | "all">();
  /** The size and the rows of the last frame. */
  #size: Size = { columns: 80, rows: 1 };
  #shown: readonly PlacedRow[] = [];

  constructor(services: Services) {
    this.#services = services;
  }

  draw(size: Size): DrawnPart {
    this.#size = size;
    const { transcript } = this.#services.session;
    const { rows, missing } = this.#pane.view(transcript, size.rows, this.#context());
    this.#shown = rows;
    this.#services.session.showsFrom(this.#pane.top?.event);
    if (missing !== undefined) void this.#services.session.readBack(missing.first, missing.place);
    return { rows: this.#shown.map(({ drawn }) => drawn) };
  }

  act(action: ActionName): boolean {
    const page = Math.max(1, this.#size.rows - OVERLAP_ROWS);
    switch (action) {
      case "transcript.pageUp":
        return this.#scroll(-page);
      case "transcript.pageDown":
        return this.#scroll(page);
      case "transcript.end":
        this.#pane.follow();
        return true;
      case "transcript.top": {
        const first = this.#services.session.transcript.segments[0];
        if (first !== undefined) this.#pane.goTo({ event: first.first, part: 0, row: 0 });
        return true;
      }
      case "transcript.unfoldAll":
        if (!this.#unfolded.delete("all")) this.#unfolded.add("all");
        return true;
      default:
        return false;
    }
  }

  mouse({ type, wheel, row }: MouseInput): boolean {
    if (type === "wheel") return this.#scroll(wheel * WHEEL_ROWS);
    if (type !== "press") return false;
    const target = this.#shown[row]?.drawn.target;
    if (target === undefined || !("event" in target)) return false;
    if (!this.#unfolded.delete(target.event)) this.#unfolded.add(target.event);
    return true;
  }

  /** True while newer rows are below the window. */
  get isAway(): boolean {
    return !this.#pane.isFollowing;
  }

  /** Shows the newest rows from now on. */
  follow(): void {
    this.#pane.follow();
  }

  #scroll(by: number): boolean {
    this.#pane.scroll(by, this.#services.session.transcript, this.#size.rows, this.#context());
    return true;
  }

  #context(): DrawContext {
    const { session, clock, settings } = this.#services;
    const { self } = session;
    const { lastLines, diffLayout } = settings.values;
    return {
      lastLines,
      diffLayout,
      columns: this.#size.columns,
      unfolded: this.#unfolded,
      clients: session.view.clients,
      self: self !== undefined && isId("cli", self) ? self : undefined,
      nowMs: clock.now(),
      ...(session.view.run === undefined ? {} : { subAgents: session.view.run.subAgents }),
    };
  }
}
