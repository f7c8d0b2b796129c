import { whileAlive } from "../../../base/async/deadline.ts";
import { Cancelled } from "../../../base/errors.ts";
import type { SessionId } from "../../../base/ids.ts";
import type { Clock } from "../../../base/world.ts";
import type { Command, CommandOf } from "../../../protocol/commands/commands.ts";
import type { Connection } from "../../../protocol/connection.ts";
import type { InputBlock } from "../../../protocol/content.ts";
import type { Envelope } from "../../../protocol/events/envelope.ts";
import { followSession, openSubscription } from "../../../view/follow.ts";
import { followTurn } from "../../../view/follow-turn.ts";
import type { SentInput, TurnResult } from "../../../view/turn-result.ts";
import { foldTurn, NEW_TURN, turnResult } from "../../../view/turn-result.ts";
import { OutputClosed } from "../../io/output.ts";

/** Time limit for a cancelled turn to end: longer than a tool that ignores its cancel is waited for. */
export const CANCEL_MS_MAX = 5_000;

export interface TurnOptions {
  /** After its handshake. */
  readonly connection: Connection;
  readonly session: SessionId;
  readonly content: readonly InputBlock[];
  /** Skill or agent that the input asks for. Default: none. */
  readonly wants?: Pick<CommandOf<"SendInput">, "skill" | "agent">;
  readonly clock: Clock;
  /** Cancels the turn; its end is awaited for at most `CANCEL_MS_MAX`. */
  readonly signal: AbortSignal;
  /** True if `show` needs no delta before the turn has ended. Default: false. */
  readonly deltasMayWait?: boolean;
  /** Aborts once the engine should end the turn; its end is awaited for at most `CANCEL_MS_MAX`. Default: never. */
  readonly overdue?: AbortSignal;
  /** Called with every event. If its output is closed, the turn is cancelled. */
  show(envelope: Envelope): Promise<void>;
  /** Called with the turn up to each of its events, for a report if its end is not reached. */
  onTurn?(turn: TurnResult): void;
}

/**
 * Sends one input and follows its turn to the end.
 * @throws HarnessError if the input is refused; the signal's reason if it was cancelled before it was accepted;
 * OutputClosed if standard output was closed by its reader; Cancelled if a cancelled turn did not end in time.
 */
export async function runPromptTurn(options: TurnOptions): Promise<TurnResult> {
  const { connection, session, signal, overdue, deltasMayWait = false } = options;
  const giveUp = new AbortController();
  const cancel = canceller(options, giveUp);
  // The subscription is open before anything can happen in the turn. A failure is met where the first is read.
  const followed = { signal: giveUp.signal, ...(deltasMayWait ? { deltasMayWait } : {}) };
  const events = openSubscription(followSession(connection, session, followed));
  try {
    signal.throwIfAborted();
    signal.addEventListener("abort", cancel.start, { once: true });
    overdue?.addEventListener("abort", cancel.limit, { once: true });
    if (overdue?.aborted === true) cancel.limit();
    const sent = await sendInput(options, giveUp.signal);
    return await followSent(events, sent, { ...options, cancel: cancel.start, giveUp: giveUp.signal });
  } finally {
    signal.removeEventListener("abort", cancel.start);
    overdue?.removeEventListener("abort", cancel.limit);
    giveUp.abort(new Cancelled("client", "the turn is over for this client"));
    await cancel.end();
  }
}

/** Sends the input. One that was withdrawn before it was accepted throws the signal's reason. */
async function sendInput(options: TurnOptions, giveUp: AbortSignal): Promise<SentInput> {
  const { connection, session: sessionId, content, wants, signal } = options;
  try {
    const input = {
      kind: "SendInput" as const,
      sessionId,
      content: [...content],
      ...wants,
    } satisfies Command;
    const { inputId } = await whileAlive(connection.send(input), giveUp);
    return { by: connection.clientId, inputId };
  } catch (thrown) {
    signal.throwIfAborted();
    throw thrown;
  }
}

interface Following extends TurnOptions {
  readonly cancel: () => void;
  readonly giveUp: AbortSignal;
}

async function followSent(
  events: AsyncGenerator<Envelope>,
  sent: SentInput,
  { show, cancel, giveUp, onTurn }: Following,
): Promise<TurnResult> {
  let closed: OutputClosed | undefined;
  async function* shown(): AsyncGenerator<Envelope> {
    for await (const envelope of events) {
      try {
        if (closed === undefined) await whileAlive(show(envelope), giveUp);
      } catch (thrown) {
        if (!(thrown instanceof OutputClosed)) throw thrown;
        closed = thrown;
        cancel();
      }
      yield envelope;
    }
    if (closed !== undefined) throw closed;
    giveUp.throwIfAborted();
  }
  let turn = NEW_TURN;
  const result = await followTurn(shown(), sent, (event) => {
    turn = foldTurn(turn, event);
    onTurn?.(turnResult(turn));
  });
  if (closed !== undefined) throw closed;
  if (result === "withdrawn") throw new Cancelled("client", "the prompt was withdrawn before its turn began");
  return result;
}

/** Cancels the turn once, and stops waiting for its end after the limit. */
function canceller({ connection, session, clock }: TurnOptions, giveUp: AbortController) {
  const late = new AbortController();
  let timer: Disposable | undefined;
  let sending: Promise<unknown> | undefined;
  const limit = () => {
    timer ??= clock.timer(CANCEL_MS_MAX, () => {
      late.abort(
        new Cancelled("signal", `the turn did not end within ${CANCEL_MS_MAX / 1000} s of its cancel`),
      );
      giveUp.abort(late.signal.reason);
    });
  };
  return {
    limit,
    start(): void {
      limit();
      // A refusal means that the turn has ended; its events say how. An engine that hangs answers nothing.
      sending ??= whileAlive(connection.send({ kind: "CancelTurn", sessionId: session }), late.signal).catch(
        () => undefined,
      );
    },
    async end(): Promise<void> {
      await sending;
      timer?.[Symbol.dispose]();
    },
  };
}
