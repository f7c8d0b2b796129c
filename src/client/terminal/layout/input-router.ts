import type { ActionName } from "../keys/actions.ts";
import type { KeyTable } from "../keys/key-table.ts";
import type { KeyInput, MouseInput, ScreenInput } from "../screen/screen.ts";
import type { OverlayStack } from "./overlay-stack.ts";
import type { OfferPart, ScreenPart } from "./part.ts";
import type { Picture } from "./picture.ts";
import type { ScreenParts } from "./screen-parts.ts";
import type { Sentence } from "./sentence.ts";

export interface InputRouterOptions {
  readonly parts: Pick<ScreenParts, "dock" | "offer" | "input" | "transcript">;
  readonly overlays: OverlayStack;
  readonly sentence: Pick<Sentence, "noteKey">;
  readonly picture: Pick<Picture, "regionAt" | "regionOf" | "within">;
  readonly keys: () => KeyTable;
  /** Returns the question of a feature, if the last frame had it. */
  readonly shownOffer: () => OfferPart | undefined;
  /** Carries out an action that no part has taken. */
  readonly act: (action: ActionName) => void;
}

/** Gives keys, pastes and the mouse to the part that takes them: an open question, else the one with the focus. */
export class InputRouter {
  readonly #options: InputRouterOptions;
  /** The part that a mouse button was pressed on: it gets the rest of the drag, also beyond its rows. */
  #pressed: ScreenPart | undefined;

  constructor(options: InputRouterOptions) {
    this.#options = options;
  }

  input(input: ScreenInput): void {
    if (input.kind === "key") this.#key(input);
    else if (input.kind === "paste") this.#paste(input.text);
    else if (input.kind === "mouse") this.#mouse(input);
  }

  /** Carries out an action: the part with the focus first, then the others, then the client. */
  run(action: ActionName): void {
    const { parts, overlays } = this.#options;
    const { top } = overlays;
    this.#actIn(
      top === undefined ? [parts.dock, parts.input, parts.transcript] : [top, parts.transcript],
      action,
    );
  }

  #actIn(order: readonly ScreenPart[], action: ActionName): void {
    const { overlays, act } = this.#options;
    if (!order.some((part) => part.act(action))) overlays.toggle(action, () => act(action));
  }

  #key(input: KeyInput): void {
    const { key, text } = input;
    const { parts, overlays, sentence, keys } = this.#options;
    const overlay = overlays.top;
    sentence.noteKey();
    if (overlay === undefined && this.#isAnswer(input)) return;
    if (overlay?.isQuestion !== true) parts.dock.noteKey();
    parts.offer?.()?.noteKey();
    if (overlay?.key?.(input) === true) return;
    const focus = overlay ?? parts.input;
    const action = keys().find(key, focus.contexts);
    if (action !== undefined) {
      // Ctrl-C does what Escape does to an open part: the turn and the draft behind it stay.
      if (action === "app.interrupt" && overlay !== undefined && overlay.isQuestion !== true) {
        if (!overlay.act("turn.cancel")) overlays.close(overlay);
      } else this.#actIn([focus, parts.transcript], action);
      return;
    }
    if (text === undefined) return;
    if (overlay?.type?.(text) === true) return;
    if (overlay === undefined) parts.input.type?.(text);
  }

  /** Gives a key to the question. Returns false for one that it leaves to the draft. */
  #isAnswer({ key, text }: KeyInput): boolean {
    const { parts, keys } = this.#options;
    const { dock } = parts;
    if (!dock.takesKeys) return this.#answersOffer(key);
    const action = keys().find(key, dock.contexts);
    if (action !== undefined) return dock.act(action);
    return text !== undefined && dock.type?.(text) === true;
  }

  /** Gives a key to the question of a feature. Returns false for one that it leaves to the draft. */
  #answersOffer(key: string): boolean {
    const { keys, shownOffer } = this.#options;
    const offer = shownOffer();
    if (offer?.takesKeys !== true) return false;
    const action = keys().find(key, offer.contexts);
    return action !== undefined && offer.act(action);
  }

  #paste(text: string): void {
    const { parts, overlays } = this.#options;
    const overlay = overlays.top;
    // A choice takes no pasted text: the draft gets it. A field that has the focus does.
    if (overlay === undefined && parts.dock.paste?.(text) === true) return;
    parts.dock.noteKey();
    parts.offer?.()?.noteKey();
    if (overlay?.paste?.(text) === true) return;
    parts.input.paste?.(text);
  }

  #mouse(input: MouseInput): void {
    const { parts, overlays, picture } = this.#options;
    const isHeld = input.type === "drag" || input.type === "release";
    const region =
      isHeld && this.#pressed !== undefined ? picture.regionOf(this.#pressed) : picture.regionAt(input);
    if (input.type === "press") this.#pressed = region?.part;
    if (input.type === "release") this.#pressed = undefined;
    if (region?.part.mouse?.(picture.within(input, region)) === true) return;
    if (input.type === "wheel" && overlays.top === undefined) parts.transcript.mouse?.(input);
  }
}
