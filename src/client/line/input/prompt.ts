import type { Clock } from "../../../base/world.ts";
import type { Dialogue } from "../questions/dialogue.ts";
import { askedLine, questionPrompt } from "../questions/questions.ts";
import type { LineTerminal } from "./terminal.ts";

const COUNTDOWN_STEP_MS = 1_000;

export interface PromptOptions {
  readonly terminal: LineTerminal;
  readonly clock: Pick<Clock, "monotonic" | "timer">;
  /** Returns the current state. */
  readonly state: () => PromptState;
}

export interface PromptState {
  readonly isLeaving: boolean;
  /** True while the last line continues. */
  readonly isContinued: boolean;
  readonly question: Dialogue["question"];
  readonly isBusy: boolean;
  readonly isPlanning: boolean;
}

/** The prompt of the terminal. Counts down while the open question has a time limit. */
export class Prompt implements Disposable {
  readonly #options: PromptOptions;
  #countdown: Disposable | undefined;

  constructor(options: PromptOptions) {
    this.#options = options;
  }

  show(): void {
    const { terminal, clock } = this.#options;
    const state = this.#options.state();
    if (state.isLeaving) terminal.prompt(undefined);
    else terminal.prompt(this.#text(state), askedLine(state.question));
    this.#countdown?.[Symbol.dispose]();
    this.#countdown = undefined;
    const { untilMs } = state.question ?? {};
    if (!terminal.redraws || state.isLeaving || untilMs === undefined) return;
    if (untilMs <= clock.monotonic()) return;
    this.#countdown = clock.timer(COUNTDOWN_STEP_MS, () => this.show());
  }

  [Symbol.dispose](): void {
    this.#countdown?.[Symbol.dispose]();
    this.#options.terminal.prompt(undefined);
  }

  #text({ isContinued, question, isBusy, isPlanning }: PromptState): string | undefined {
    const { terminal, clock } = this.#options;
    if (isContinued) return "... ";
    if (question !== undefined)
      return questionPrompt(question, terminal.redraws ? clock.monotonic() : undefined);
    return isBusy ? undefined : isPlanning ? "plan > " : "> ";
  }
}
