import type { Message } from "../../../protocol/message.ts";
import type { Facts } from "../facts/facts.ts";
import { beginsTurn } from "../facts/words.ts";
import type { Room, Trigger } from "./room.ts";
import { newestExchange } from "./window.ts";

/** How hard the history is pressed. */
export interface Level {
  /** The first message that stays. */
  readonly cut: number;
  /** Whether the results that stay are cut down too. */
  readonly clips: boolean;
  /** What of their usual share facts and summary get. */
  readonly share: number;
  /** What is kept of the minimum of facts; 1 where nothing is said. */
  readonly minimum?: number;
}

/** A level with what is kept of the facts at it. */
export interface Pressed {
  readonly level: Level;
  readonly facts: Facts;
}

export interface Weighed extends Pressed {
  readonly weight: number;
  /** What it surely weighs, whatever our counting has learnt. */
  readonly least: number;
}

/** Of the whole window, what a request may take where nothing else is left to give way. */
const WINDOW_SHARE_MAX = 0.97;

/** The levels from the gentlest on. `recent` is where the recent window begins. */
export function levelsOf(messages: readonly Message[], recent: number): readonly Level[] {
  const newest = newestExchange(messages);
  const last = messages.at(-1);
  const levels: readonly Level[] = [
    { cut: recent, clips: false, share: 1 },
    { cut: recent, clips: true, share: 1 },
    { cut: newest, clips: true, share: 1 },
    { cut: newest, clips: true, share: 0.4 },
    { cut: newest, clips: true, share: 0.1 },
    // Results at the end can go into the summary; an input that waits for its answer cannot, nor what was said last.
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
 * The level to take where none frees as much as is wanted: one that goes into the window with all that must be kept;
 * what is kept free for the answer gives way before facts do. Where our counting says that none does, the provider is
 * asked before the last of them goes.
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
