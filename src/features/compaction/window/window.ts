import type { Message } from "../../../protocol/message.ts";
import { beginsTurn } from "../facts/words.ts";

export interface RecentWindow {
  /** Turns, the one that runs included. */
  readonly turns: number;
  readonly tokens: number;
  readonly weigh: (messages: readonly Message[]) => number;
}

/**
 * Where the recent window of a history begins: as much of its end as fits, and always what the newest answer still needs,
 * see `newestExchange`. A history can be cut there: no call before it has its result behind it.
 */
export function recentStart(messages: readonly Message[], { turns, tokens, weigh }: RecentWindow): number {
  let start = newestExchange(messages);
  let weight = weigh(messages.slice(start));
  let seen = messages.slice(start).filter(beginsTurn).length;
  for (let at = start - 1; at >= 0; at--) {
    const message = messages[at];
    if (message === undefined) break;
    weight += weigh([message]);
    if (weight > tokens) break;
    const begins = beginsTurn(message);
    if (begins) seen += 1;
    if (seen > turns) break;
    if (begins || message.role === "assistant") start = at;
  }
  return start;
}

/** Where the newest input or answer begins: results at the end stand with the calls that they answer. */
export function newestExchange(messages: readonly Message[]): number {
  const last = messages.at(-1);
  if (last === undefined || last.role === "assistant" || beginsTurn(last))
    return Math.max(0, messages.length - 1);
  return Math.max(
    0,
    messages.findLastIndex(({ role }) => role === "assistant"),
  );
}
