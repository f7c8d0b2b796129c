import { HarnessError } from "../../../base/errors.ts";
import type { TerminalScreen } from "../screen/screen.ts";

/** Gives the terminal to programs such as an editor, one at a time. */
export class LentTerminal {
  readonly #screen: () => Pick<TerminalScreen, "suspend" | "resume">;
  #isLent = false;

  constructor(screen: () => Pick<TerminalScreen, "suspend" | "resume">) {
    this.#screen = screen;
  }

  /**
   * Suspends the screen at once, and resumes it after the work.
   * @throws HarnessError if another program has the terminal; else what the work throws.
   */
  async lend<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.#isLent)
      throw new HarnessError("UsageInvalid", { problem: "Another program has the terminal." });
    this.#isLent = true;
    this.#screen().suspend();
    try {
      return await work();
    } finally {
      this.#isLent = false;
      this.#screen().resume();
    }
  }
}
