import type { Message } from "../../../protocol/message.ts";
import type { Facts } from "../facts/facts.ts";
import { isTurnStart } from "../facts/user-text.ts";
import { newestExchange } from "./recent-window.ts";
import type { CompactionTrigger, TokenBudget } from "./token-budget.ts";

/** Degree to which the history is cut. */
export interface PressureLevel {
  /** Index of the first message that stays. */
  readonly cut: number;
  /** True if the remaining results are cut too. */
  readonly clips: boolean;
  /** Share of their usual space for facts and summary. */
  readonly share: number;
  /** Share of the minimum of facts that is kept. Default: 1. */
  readonly minimum?: number;
}

/** A level with the facts that it keeps. */
export interface FittedLevel {
  readonly level: PressureLevel;
  readonly facts: Facts;
}

export interface WeighedLevel extends FittedLevel {
  readonly weight: number;
  /** Weight without the learnt correction: a lower bound. */
  readonly least: number;
}

/** Share of the whole window that a request may take if nothing else can be dropped. */
const WINDOW_SHARE_MAX = 0.97;

/** Returns the levels from the gentlest on. `recent` is the start of the recent window. */
export function pressureLevels(messages: readonly Message[], recent: number): readonly PressureLevel[] {
  const newest = newestExchange(messages);
  const last = messages.at(-1);
  const levels: readonly PressureLevel[] = [
    { cut: recent, clips: false, share: 1 },
    { cut: recent, clips: true, share: 1 },
    { cut: newest, clips: true, share: 1 },
    { cut: newest, clips: true, share: 0.4 },
    { cut: newest, clips: true, share: 0.1 },
    // Results at the end can go into the summary; an unanswered input cannot, nor what was said last.
    ...(last?.role === "user" && !isTurnStart(last)
      ? [{ cut: messages.length, clips: true, share: 0.4 }]
      : []),
    { cut: newest, clips: true, share: 0.1, minimum: 0.4 },
    { cut: newest, clips: true, share: 0.05, minimum: 0.15 },
    { cut: newest, clips: true, share: 0, minimum: 0 },
  ];
  return levels.filter(({ cut }) => cut > 0);
}

/**
 * Returns the level to use if none frees as much as is wanted: one that fits into the window with everything that
 * must be kept. Space kept free for the answer is given up before facts are. If none fits by cinch's count, the
 * provider is asked before the last facts go.
 */
export function bestLevel(
  tried: readonly WeighedLevel[],
  budget: TokenBudget,
  trigger: CompactionTrigger,
): FittedLevel | undefined {
  const prefix = budget.hard - budget.messagesMax;
  const whole = tried.filter(({ level }) => level.minimum === undefined);
  const lightest = Math.min(...tried.map(({ weight }) => weight));
  // After a refusal the window is a guess already: nothing is tried at its edge.
  const isGuess = trigger === "overflow";
  const most = isGuess ? budget.messagesMax : Math.floor(budget.window * WINDOW_SHARE_MAX) - prefix;
  return (
    whole.find(({ weight }) => weight <= budget.messagesMax) ??
    whole.find(({ weight }) => weight <= most) ??
    tried.find(({ weight }) => weight <= most) ??
    (isGuess ? undefined : tried.find(({ least }) => least <= budget.messagesMax)) ??
    tried.find(({ weight }) => weight === lightest)
  );
}
