import type { ActionName } from "../keys/actions.ts";
import type { Overlay } from "./part.ts";

/** The parts above the others. The last one that was opened has the focus. */
export class OverlayStack {
  readonly #overlays: Overlay[] = [];
  /** The action that has opened a part. */
  readonly #openedBy = new WeakMap<Overlay, ActionName>();
  readonly #uncovered: () => void;

  /** @param uncovered called when one closes that may have hidden a question. */
  constructor(uncovered: () => void) {
    this.#uncovered = uncovered;
  }

  /** The part that has the focus; undefined if none is open. */
  get top(): Overlay | undefined {
    return this.#overlays.at(-1);
  }

  open(overlay: Overlay): void {
    this.#overlays.push(overlay);
  }

  /** Closes a part. Nothing happens to one that is not open. */
  close(overlay: Overlay): void {
    const at = this.#overlays.indexOf(overlay);
    if (at < 0) return;
    this.#overlays.splice(at, 1);
    if (overlay.isQuestion !== true) this.#uncovered();
    overlay.closed?.();
  }

  /** Closes the parts that are about the session that was shown before. */
  closeOfSession(): void {
    for (const overlay of this.#overlays.filter(({ isOfSession }) => isOfSession === true))
      this.close(overlay);
  }

  /** Carries out an action. If it has opened a part before, that one takes its place back, or closes if it has it. */
  toggle(action: ActionName, act: () => void): void {
    const at = this.#overlays.findLastIndex((each) => this.#openedBy.get(each) === action);
    if (at >= 0) {
      const isTop = at === this.#overlays.length - 1;
      for (const overlay of this.#overlays.slice(isTop ? at : at + 1).toReversed()) this.close(overlay);
      return;
    }
    const before = this.top;
    act();
    const opened = this.top;
    if (opened !== undefined && opened !== before) this.#openedBy.set(opened, action);
  }
}
