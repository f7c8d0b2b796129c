import { HarnessError } from "../../../../base/errors.ts";
import { inBackground } from "../../layout/in-background.ts";
import type { Services } from "../../layout/services.ts";
import { READER } from "./feed.ts";

/**
 * Marks what the person has read of the session that is shown, while the window has the focus. A refused mark is tried
 * again with the next turn that ends, or the next time that the window gets the focus.
 */
export class ReadMarks {
  readonly #services: Pick<Services, "session" | "showFailure">;
  #isFocused = true;
  /** True while something was shown that is not marked as read. */
  #isUnmarked = false;
  /** True since the engine has refused a mark: its reason is shown once, however many more it refuses. */
  #isRefused = false;

  constructor(services: Pick<Services, "session" | "showFailure">) {
    this.#services = services;
  }

  /** Takes what is shown now; it is marked once the window has the focus. */
  shown(): void {
    this.#isUnmarked = true;
    this.#mark();
  }

  /** Takes a session of which nothing is stored yet. */
  nothingShown(): void {
    this.#isUnmarked = false;
  }

  focused(isFocused: boolean): void {
    this.#isFocused = isFocused;
    this.#mark();
  }

  #mark(): void {
    if (this.#isUnmarked && this.#isFocused) inBackground(this.#send(), this.#services);
  }

  async #send(): Promise<void> {
    const { session, showFailure } = this.#services;
    const { open, view } = session;
    if (open === undefined) return;
    this.#isUnmarked = false;
    const event = Math.max(view.reached, open.past);
    const answer = await session.send({ kind: "MarkRead", sessionId: open.session, event, reader: READER });
    const isRefused = answer instanceof HarnessError;
    if (isRefused && !this.#isRefused) showFailure(answer);
    this.#isRefused = isRefused;
    // The next turn or focus tries again, unless another session is shown by then.
    if (isRefused && session.open === open) this.#isUnmarked = true;
  }
}
