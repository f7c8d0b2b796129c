import type { Theme } from "../drawing/paint.ts";
import { paint } from "../drawing/paint.ts";
import type { DrawnRow } from "../drawing/span.ts";

/** Marks of a prompt in the scrollback, and of what comes after it (OSC 133). */
const PROMPT_BEGIN = "\u001b]133;A\u001b\\";
const PROMPT_END = "\u001b]133;C\u001b\\";

/** Paints rows for the scrollback. Prompts are marked, so that keys of the terminal go from prompt to prompt. */
export class FinishedRows {
  /** True if the last row belongs to a prompt. */
  #isInPrompt = false;

  paint(rows: readonly DrawnRow[], theme: Theme, columns: number): readonly string[] {
    return rows.map((each) => {
      const isPrompt = each.fill === "prompt";
      const mark = isPrompt === this.#isInPrompt ? "" : isPrompt ? PROMPT_BEGIN : PROMPT_END;
      this.#isInPrompt = isPrompt;
      return `${mark}${paint(each, theme, columns)}`;
    });
  }
}
