import type { LogId } from "../../base/ids.ts";
import { resultBlock } from "../../engine/loop/conversation.ts";
import type { Message } from "../../protocol/message.ts";
import { resumeHistory } from "../../session/history/history.ts";
import type { ResumedLog } from "../../session/history/resumed-log.ts";
import { joinRoles, validHistory } from "../../session/history/valid-history.ts";
import type { SessionStore } from "../../session/store/store.ts";
import { waitingInputs } from "../../session/turns/waiting-inputs.ts";
import { FEATURES } from "../features.ts";

/**
 * Rebuilds the conversation of a log, valid except for the calls that were open when its process ended.
 *
 * Only calls of the newest answer can still be settled; an older gap, which no run of ours leaves, is closed with an
 * error result.
 */
export async function resumeLog(store: SessionStore, logId: LogId): Promise<ResumedLog> {
  const { history, recovered, openCalls, interruptedTurn, lastTurn } = await resumeHistory(store, logId);
  const stored = history.slice(0, history.length - recovered.length);
  const added = fenced(recovered);
  const whole = [...stored, ...added];
  const newest = Math.max(
    0,
    whole.findLastIndex((message) => message.role === "assistant"),
  );
  const open = whole.slice(newest);
  const callIds = new Set(
    open.flatMap(({ content }) => content.map((block) => block.type === "tool_use" && block.id)),
  );
  const intents = new Map((await store.orphans(logId)).map((intent) => [intent.callId, intent]));
  const calls = openCalls
    .filter(({ callId }) => callIds.has(callId))
    .map(({ mutating, ...call }) => {
      const intent = intents.get(call.callId);
      return { ...call, begun: mutating !== undefined, ...(intent === undefined ? {} : { intent }) };
    });
  const readers = await Promise.all(FEATURES.flatMap((feature) => feature.readBack?.() ?? []));
  const waiting = await waitingInputs(store, logId, (await store.find(logId))?.lastEvent ?? 0, readers);
  // An open call that is in no history was a sub-agent's, which ended with its process.
  const inner = [...intents.values()].filter(({ callId }) => !calls.some((call) => call.callId === callId));
  const isUnfinished = calls.length > 0 || inner.length > 0 || interruptedTurn !== undefined;
  return {
    history: [...validHistory(whole.slice(0, newest)), ...joinRoles(open)],
    recovered: added,
    lastTurn,
    waiting,
    ...Object.assign({}, ...readers.map(({ state }) => state)),
    ...(isUnfinished
      ? { unfinished: { calls, inner, ...(interruptedTurn === undefined ? {} : { turn: interruptedTurn }) } }
      : {}),
  };
}

/** Fences results that come from events, which are as the tool gave them; stored messages hold theirs fenced already. */
function fenced(messages: readonly Message[]): readonly Message[] {
  return messages.map((message) => ({
    ...message,
    content: message.content.map((block) => {
      if (block.type !== "tool_result") return block;
      const { tool_use_id: id, content, is_error: isError } = block;
      return resultBlock({ id }, { content, ...(isError === undefined ? {} : { isError }) });
    }),
  }));
}
