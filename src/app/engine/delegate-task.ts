import { defined } from "../../base/defined.ts";
import { Cancelled } from "../../base/errors.ts";
import { EMBEDDED } from "../../config/profile-files.ts";
import type { Multiplexer } from "../../server/hub/multiplexer.ts";
import type { AttachedClient } from "../../session/access/client.ts";
import type { SessionWishes } from "../../session/plan.ts";
import type { DelegatedTask, DelegateRequest } from "../../session/spawn.ts";
import type { Session } from "../../session/turns/session.ts";
import { followTurn } from "../../view/follow-turn.ts";
import type { TurnResult } from "../../view/turn-result.ts";
import { openSession } from "../session/open-session.ts";
import { lowestLimits } from "../session/recorded-limits.ts";
import type { DelegatingSession, Engine } from "./engine.ts";

/**
 * Runs a task in a session below the one whose call it is (ENG-23): with its own log and events, which people can
 * attach to, and none of its events on the bus above. While nobody is subscribed to it, a call that needs a person is
 * refused. It ends with its task, or with the signal.
 */
export async function delegateTask(
  parent: DelegatingSession,
  request: DelegateRequest,
  { engine, multiplexer }: { readonly engine: Engine; readonly multiplexer: Multiplexer },
): Promise<DelegatedTask> {
  const { prompt, onBegun, signal } = request;
  const session = await openBelow(parent, request, engine);
  if (signal.aborted) {
    await session.end("user");
    throw signal.reason;
  }
  multiplexer.add(session, { isAgents: true });
  const client = multiplexer.attach({ identityClass: "agent", label: "delegate" });
  const { id: sessionId } = session;
  const cancel = () => cancelIn(multiplexer, session, client);
  signal.addEventListener("abort", cancel, { once: true });
  const following = new AbortController();
  try {
    onBegun(sessionId);
    const events = multiplexer.subscribe(sessionId, undefined, following.signal, client);
    const content = [{ type: "text" as const, text: prompt }];
    await multiplexer.send({ kind: "SendInput", sessionId, content }, client);
    const ended = await followTurn(events, { by: client.id });
    return { ...answerOf(ended), session: sessionId, log: session.logId };
  } finally {
    signal.removeEventListener("abort", cancel);
    following.abort(new Cancelled("engine", "the task is over"));
    await session.end("user");
  }
}

/** Returns the answer of a task. As with a sub-agent, a failure or a cancel leaves no text. */
function answerOf(
  ended: TurnResult | "withdrawn",
): Pick<DelegatedTask, "text" | "reason" | "rounds" | "error"> {
  if (ended === "withdrawn") return { text: "", reason: ended, rounds: 0 };
  const { reason = "error", rounds, error } = ended;
  const text = reason === "error" || reason === "cancelled" ? "" : ended.text;
  return { text, reason, rounds, ...(error === undefined ? {} : { error: error.message }) };
}

/** Cancels its turn, which ends the wait; a session that has ended meanwhile has nothing to cancel. */
function cancelIn(multiplexer: Multiplexer, { id: sessionId }: Session, client: AttachedClient): void {
  multiplexer.send({ kind: "CancelTurn", sessionId }, client).catch(() => undefined);
}

/**
 * Opens the session with the project files that a person has acknowledged: their restrictions hold in it too. Other
 * files are asked about if somebody is subscribed, and else left out.
 */
async function openBelow(
  { session, logId, carried, plan, config, workingDir, remaining }: DelegatingSession,
  { callId, model, signal }: DelegateRequest,
  engine: Engine,
): Promise<Session> {
  const { record: _record, maxCostUsd: _cap, ...shared } = plan.wishes;
  const { maxCostUsd, ...rest } = remaining;
  const { profile } = plan;
  const wishes: SessionWishes = {
    ...shared,
    attended: false,
    asksTrust: true,
    planMode: carried.planMode ?? false,
    delegatedBy: { session, logId, callId },
    atMost: lowestLimits(shared.atMost ?? {}, rest),
    ...defined({ maxCostUsd }),
  };
  // A profile that was named by its file is found only by that.
  const name = profile.path.startsWith(EMBEDDED) ? profile.name : profile.path;
  const command = { kind: "CreateSession", profile: name, model, workingDir } as const;
  return (await openSession(engine, { command, wishes, config }, signal)).session;
}
