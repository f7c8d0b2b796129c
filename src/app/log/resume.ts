import { defined } from "../../base/defined.ts";
import type { LogId } from "../../base/ids.ts";
import { resultBlock } from "../../engine/loop/conversation.ts";
import type { Message } from "../../protocol/message.ts";
import type { Feature } from "../../session/feature.ts";
import { BrokenRounds } from "../../session/history/broken-rounds.ts";
import { resumeHistory } from "../../session/history/history.ts";
import { OpenShellRuns } from "../../session/history/open-shell-runs.ts";
import type { ResumedLog } from "../../session/history/resumed-log.ts";
import type { OrphanedCall } from "../../session/history/unfinished.ts";
import { joinRoles, validHistory } from "../../session/history/valid-history.ts";
import type { CarriedState } from "../../session/moments.ts";
import type { SessionStore } from "../../session/store/store.ts";
import { waitingInputs } from "../../session/turns/inputs/waiting-inputs.ts";
import { joinSlots } from "../session/join-slots.ts";

/**
 * Rebuilds the conversation of a log, valid except for the calls that were open when its process ended.
 *
 * Only calls of the newest answer can still be settled; an older gap, which no run of ours leaves, is closed with an
 * error result.
 *
 * @param features read the state that they left, for the next run.
 */
export async function resumeLog(
  store: SessionStore,
  logId: LogId,
  features: readonly Pick<Feature, "stored">[],
): Promise<ResumedLog> {
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
    .map((call): OrphanedCall => ({ ...call, ...defined({ intent: intents.get(call.callId) }) }));
  const readers = await Promise.all(features.flatMap((feature) => feature.stored?.readBack?.() ?? []));
  const lastEvent = (await store.find(logId))?.lastEvent ?? 0;
  const broken = new BrokenRounds();
  const shellRuns = new OpenShellRuns();
  const beside = [...readers, shellRuns, ...(interruptedTurn === undefined ? [] : [broken])];
  const waiting = await waitingInputs(store, logId, lastEvent, beside);
  // An open call that is in no history was a sub-agent's, which ended with its process.
  const shell = shellRuns.open.map((run) =>
    intents.has(run.callId) ? { ...run, hasBegun: true as const } : run,
  );
  const known = new Set([...calls, ...shell].map(({ callId }) => callId));
  const inner = [...intents.values()].filter(({ callId }) => !known.has(callId));
  const isUnfinished =
    [calls, inner, shell].some(({ length }) => length > 0) || interruptedTurn !== undefined;
  return {
    history: [...validHistory(whole.slice(0, newest)), ...joinRoles(open)],
    recovered: added,
    lastTurn,
    waiting,
    ...joinSlots<CarriedState>(
      "readBack",
      readers.map(({ state }) => state),
    ),
    ...(isUnfinished
      ? { unfinished: { calls, inner, shell, ...turnOf(interruptedTurn, broken, calls) } }
      : {}),
  };
}

function turnOf(turn: number | undefined, broken: BrokenRounds, calls: readonly OrphanedCall[]) {
  if (turn === undefined) return {};
  return { turn, rounds: broken.rounds(calls.length > 0), subAgents: broken.subAgents };
}

/**
 * Fences results that come from events, which are as the tool gave them; stored messages hold theirs fenced already.
 */
function fenced(messages: readonly Message[]): readonly Message[] {
  return messages.map((message) => ({
    ...message,
    content: message.content.map((block) => {
      if (block.type !== "tool_result") return block;
      const { tool_use_id: id, content, is_error: isError } = block;
      return resultBlock({ id }, { content, ...defined({ isError }) });
    }),
  }));
}
