import type { Clock } from "../../../base/world.ts";
import type { RunningWork } from "../output/work-text.ts";
import { workPrompt } from "../output/work-text.ts";
import type { Dialogue } from "../questions/dialogue.ts";
import { askedLine, questionPrompt, spokenPrompt } from "../questions/questions.ts";
import type { LineTerminal } from "./terminal.ts";

const COUNTDOWN_STEP_MS = 1_000;
/** A turn that takes longer than this shows what runs, and for how long. */
export const WORK_SHOWN_MS = 3_000;

export interface PromptOptions {
  readonly terminal: LineTerminal;
  readonly clock: Pick<Clock, "monotonic" | "timer">;
  /** True: the prompt says whose turn it is, and shows no time that passes. Default: false. */
  readonly isLabelled?: boolean;
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
  /** Work of the running turn; undefined for none. */
  readonly work: RunningWork | undefined;
}

/** The prompt of the terminal. Counts down while the open question has a time limit, and up while a turn runs. */
export class Prompt implements Disposable {
  readonly #options: PromptOptions;
  #next: Disposable | undefined;
  /** The running turn, and when it was first seen. */
  #work: { readonly turn: number; readonly sinceMs: number } | undefined;

  constructor(options: PromptOptions) {
    this.#options = options;
  }

  show(): void {
    const { terminal, clock } = this.#options;
    const state = this.#options.state();
    if (state.work === undefined) this.#work = undefined;
    if (state.isLeaving) terminal.prompt(undefined);
    else terminal.prompt(this.#text(state), askedLine(state.question));
    this.#next?.[Symbol.dispose]();
    const ms = state.isLeaving || !this.#ticks ? undefined : this.#msToNext(state);
    this.#next = ms === undefined ? undefined : clock.timer(ms, () => this.show());
  }

  [Symbol.dispose](): void {
    this.#next?.[Symbol.dispose]();
    this.#options.terminal.prompt(undefined);
  }

  /** Returns the time after which the prompt is another one; undefined if it stays. */
  #msToNext({ question, work }: PromptState): number | undefined {
    const nowMs = this.#options.clock.monotonic();
    if (question !== undefined)
      return question.untilMs !== undefined && question.untilMs > nowMs ? COUNTDOWN_STEP_MS : undefined;
    if (work === undefined) return undefined;
    const elapsedMs = this.#elapsedMs(work);
    return Math.max(WORK_SHOWN_MS - elapsedMs, COUNTDOWN_STEP_MS - (elapsedMs % COUNTDOWN_STEP_MS));
  }

  /** True if the prompt may be drawn again as time passes. */
  get #ticks(): boolean {
    const { terminal, isLabelled = false } = this.#options;
    return terminal.redraws && !isLabelled;
  }

  #elapsedMs({ turn }: RunningWork): number {
    const nowMs = this.#options.clock.monotonic();
    if (this.#work?.turn !== turn) this.#work = { turn, sinceMs: nowMs };
    return nowMs - this.#work.sinceMs;
  }

  #text({ isContinued, question, isBusy, isPlanning, work }: PromptState): string | undefined {
    const { clock, isLabelled = false } = this.#options;
    if (isContinued) return "... ";
    if (question !== undefined) {
      if (isLabelled) return spokenPrompt(question);
      return questionPrompt(question, this.#ticks ? clock.monotonic() : undefined);
    }
    if (work !== undefined && this.#ticks) {
      const elapsedMs = this.#elapsedMs(work);
      if (elapsedMs >= WORK_SHOWN_MS) return workPrompt(work, elapsedMs);
    }
    if (isBusy) return undefined;
    if (isLabelled) return isPlanning ? "You, planning: " : "You: ";
    return isPlanning ? "plan > " : "> ";
  }
}
