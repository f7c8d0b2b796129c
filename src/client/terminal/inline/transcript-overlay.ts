import type { ActionName, KeyContext } from "../keys/actions.ts";
import type { DrawnPart, Overlay, ScreenPart } from "../layout/part.ts";
import type { Services } from "../layout/services.ts";
import type { MouseInput, Size } from "../screen/screen.ts";

/** The whole transcript on the whole screen, for a client whose own screen is only the end of it. */
export class TranscriptOverlay implements Overlay {
  readonly title: string;
  readonly place = "full";
  readonly #services: Pick<Services, "close">;
  readonly #transcript: ScreenPart;

  constructor(services: Pick<Services, "close" | "keys">, transcript: ScreenPart) {
    this.#services = services;
    this.#transcript = transcript;
    this.title = `Transcript · ${services.keys.label("list.leave", "escape")} goes back`;
  }

  get contexts(): readonly KeyContext[] {
    return [...this.#transcript.contexts, "list"];
  }

  draw(size: Size): DrawnPart {
    return this.#transcript.draw(size);
  }

  drawn(size: Size): void {
    this.#transcript.drawn?.(size);
  }

  act(action: ActionName): boolean {
    if (this.#transcript.act(action)) return true;
    if (action !== "list.leave" && action !== "browse.leave" && action !== "turn.cancel") return false;
    this.#services.close(this);
    return true;
  }

  type(text: string): boolean {
    return this.#transcript.type?.(text) ?? false;
  }

  paste(text: string): boolean {
    return this.#transcript.paste?.(text) ?? false;
  }

  mouse(input: MouseInput): boolean {
    return this.#transcript.mouse?.(input) ?? false;
  }
}
