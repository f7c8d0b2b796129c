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
  draw(size: Size): DrawnPart;
  drawn(): void;
  act(action: ActionName): boolean;
  type(text: string): boolean;
  paste(text: string): boolean;
  noteKey(): void;
}

/** The open question on the whole screen. The dock closes it with the question. */
export class FullQuestion implements Overlay {
  readonly title = "Question";
  readonly place = "full";
  readonly isQuestion = true;
  readonly isOfSession = true;
  readonly closed: () => void;
  readonly #dock: ShownQuestion;
  readonly #services: Services;

  /** @param closed called once it is closed, in whichever way. */
  constructor(dock: ShownQuestion, services: Services, closed: () => void) {
    this.closed = closed;
    this.#dock = dock;
    this.#services = services;
  }

  get contexts(): readonly KeyContext[] {
    return this.#dock.takesKeys ? this.#dock.contexts : ["input"];
  }

  draw(size: Size): DrawnPart {
    const { columns, rows: height } = size;
    if (height < FOOT_HEIGHT_MIN) return this.#dock.draw(size);
    const foot = row([span(cutEnd(this.#footText(), columns), { role: "dim" })]);
    const drawn = this.#dock.draw({ columns, rows: height - 1 });
    const blank = Array.from({ length: Math.max(0, height - 1 - drawn.rows.length) }, () => EMPTY_ROW);
    return { ...drawn, rows: [...drawn.rows, ...blank, foot] };
  }

  #footText(): string {
    const { keys } = this.#services;
    const key = (action: ActionName) => keys.label(action);
    const scroll = `${key("transcript.pageUp")} ${key("transcript.pageDown")} scroll`;
    return `${key("turn.cancel")} goes back to the conversation · ${scroll}`;
  }

  drawn(): void {
    this.#dock.drawn();
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
