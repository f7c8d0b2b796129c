import type { Message } from "../../../protocol/message.ts";
import { isTurnStart } from "../facts/user-text.ts";

export interface RecentWindow {
  /** Count of turns, including the running one. */
  readonly turns: number;
  readonly tokens: number;
  readonly weigh: (messages: readonly Message[]) => number;
}

/**
 * Returns the start of a history's recent window: as much of its end as fits, and always what the newest answer still
 * needs, see `newestExchange`. A history can be cut there: no call before it has its result after it.
 */
export function recentStart(messages: readonly Message[], { turns, tokens, weigh }: RecentWindow): number {
  let start = newestExchange(messages);
  let weight = weigh(messages.slice(start));
  let seen = messages.slice(start).filter(isTurnStart).length;
  for (let at = start - 1; at >= 0; at--) {
    const message = messages[at];
    if (message === undefined) break;
    weight += weigh([message]);
    if (weight > tokens) break;
    const begins = isTurnStart(message);
    if (begins) seen += 1;
    if (seen > turns) break;
    if (begins || message.role === "assistant") start = at;
  }
  return start;
}

/** Returns the start of the newest input or answer: results at the end belong to the calls that they answer. */
export function newestExchange(messages: readonly Message[]): number {
  const last = messages.at(-1);
  if (last === undefined || last.role === "assistant" || isTurnStart(last))
    return Math.max(0, messages.length - 1);
  return Math.max(
    0,
    messages.findLastIndex(({ role }) => role === "assistant"),
  );
}
