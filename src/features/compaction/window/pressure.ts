import type { Message } from "../../../protocol/message.ts";
import type { Facts } from "../facts/facts.ts";
import { beginsTurn } from "../facts/words.ts";
import type { Room, Trigger } from "./room.ts";
import { newestExchange } from "./window.ts";

/** How much of the history is dropped. */
export interface Level {
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
export interface Pressed {
  readonly level: Level;
  readonly facts: Facts;
}

export interface Weighed extends Pressed {
  readonly weight: number;
  /** Weight without the learnt correction: a lower bound. */
  readonly least: number;
}

/** Share of the whole window that a request may take if nothing else can be dropped. */
const WINDOW_SHARE_MAX = 0.97;

/** Returns the levels from the gentlest on. `recent` is the start of the recent window. */
export function levelsOf(messages: readonly Message[], recent: number): readonly Level[] {
  const newest = newestExchange(messages);
  const last = messages.at(-1);
  const levels: readonly Level[] = [
    { cut: recent, clips: false, share: 1 },
    { cut: recent, clips: true, share: 1 },
    { cut: newest, clips: true, share: 1 },
    { cut: newest, clips: true, share: 0.4 },
    { cut: newest, clips: true, share: 0.1 },
    // Results at the end can go into the summary; an unanswered input cannot, nor what was said last.
    ...(last?.role === "user" && !beginsTurn(last)
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
export function bestOf(tried: readonly Weighed[], room: Room, trigger: Trigger): Pressed | undefined {
  const prefix = room.hard - room.messagesMax;
  const whole = tried.filter(({ level }) => level.minimum === undefined);
  const lightest = Math.min(...tried.map(({ weight }) => weight));
  // After a refusal the window is a guess already: nothing is tried at its edge.
  const isGuess = trigger === "overflow";
  const most = isGuess ? room.messagesMax : Math.floor(room.window * WINDOW_SHARE_MAX) - prefix;
  return (
    whole.find(({ weight }) => weight <= room.messagesMax) ??
    whole.find(({ weight }) => weight <= most) ??
    tried.find(({ weight }) => weight <= most) ??
    (isGuess ? undefined : tried.find(({ least }) => least <= room.messagesMax)) ??
    tried.find(({ weight }) => weight === lightest)
  );
}
