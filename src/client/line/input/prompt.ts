import type { Clock } from "../../../base/world.ts";
import type { Dialogue } from "../questions/dialogue.ts";
import { askedLine, questionPrompt } from "../questions/questions.ts";
import type { LineTerminal } from "./terminal.ts";

const COUNTDOWN_STEP_MS = 1_000;

export interface PromptOptions {
  readonly terminal: LineTerminal;
  readonly clock: Pick<Clock, "monotonic" | "timer">;
  /** How things stand now. */
  readonly state: () => PromptState;
}

export interface PromptState {
  readonly isLeaving: boolean;
  /** A line was begun that goes on. */
  readonly isContinued: boolean;
  readonly question: Dialogue["question"];
  readonly isBusy: boolean;
  readonly isPlanning: boolean;
}

/** What stands where a person types; it shows the time going by while a question waits that denies itself. */
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
