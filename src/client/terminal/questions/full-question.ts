import { cutEnd } from "../../../view/terminal/display-width.ts";
import { EMPTY_ROW, row, span } from "../drawing/span.ts";
import type { ActionName, KeyContext } from "../keys/actions.ts";
import type { DrawnPart, Overlay } from "../layout/part.ts";
import type { Services } from "../layout/services.ts";
import type { Size } from "../screen/screen.ts";

/** A lower screen has no row about the keys. */
const FOOT_HEIGHT_MIN = 6;

/** Parts of the dock that the whole-screen view uses. */
export interface ShownQuestion {
  readonly contexts: readonly KeyContext[];
  readonly takesKeys: boolean;
  readonly hasQuestion: boolean;
  draw(size: Size): DrawnPart;
  act(action: ActionName): boolean;
  type(text: string): boolean;
  paste(text: string): boolean;
  noteKey(): void;
}

/** The open question on the whole screen. It closes with the question. */
export class FullQuestion implements Overlay {
  readonly title = "Question";
  readonly place = "full";
  readonly isQuestion = true;
  readonly #dock: ShownQuestion;
  readonly #services: Services;
  #closing: Disposable | undefined;

  constructor(dock: ShownQuestion, services: Services) {
    this.#dock = dock;
    this.#services = services;
  }

  get contexts(): readonly KeyContext[] {
    return this.#dock.takesKeys ? this.#dock.contexts : ["input"];
  }

  draw(size: Size): DrawnPart {
    if (!this.#dock.hasQuestion && this.#closing === undefined)
      this.#closing = this.#services.clock.timer(0, () => {
        this.#services.close(this);
        this.#services.redraw();
      });
    const { columns, rows: height } = size;
    if (height < FOOT_HEIGHT_MIN) return this.#dock.draw(size);
    const foot = row([span(cutEnd(this.#footText(), columns), { role: "dim" })]);
    const drawn = this.#dock.draw({ columns, rows: height - 1 });
    const blank = Array.from({ length: Math.max(0, height - 1 - drawn.rows.length) }, () => EMPTY_ROW);
    return { ...drawn, rows: [...drawn.rows, ...blank, foot] };
  }

  #footText(): string {
    const { keys } = this.#services;
    const key = (action: ActionName) => keys.keysOf(action)[0] ?? "-";
    const scroll = `${key("transcript.pageUp")} ${key("transcript.pageDown")} scroll`;
    return `${key("turn.cancel")} goes back to the conversation · ${scroll}`;
  }

  act(action: ActionName): boolean {
    if (this.#dock.takesKeys && this.#dock.act(action)) return true;
    this.#dock.noteKey();
    if (action !== "turn.cancel" && action !== "dialog.full") return action.startsWith("input.");
    this.#services.close(this);
    return true;
  }

  type(text: string): boolean {
    if (this.#dock.takesKeys && this.#dock.type(text)) return true;
    this.#dock.noteKey();
    this.#services.draft.insert(text);
    return true;
  }

  paste(text: string): boolean {
    if (this.#dock.paste(text)) return true;
    this.#dock.noteKey();
    return false; // the draft takes it as a paste
  }
}
