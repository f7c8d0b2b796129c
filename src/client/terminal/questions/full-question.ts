import type { ActionName, KeyContext } from "../keys/actions.ts";
import type { DrawnPart, Overlay } from "../layout/part.ts";
import type { Services } from "../layout/services.ts";
import type { Size } from "../screen/screen.ts";

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
    return this.#dock.draw(size);
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
