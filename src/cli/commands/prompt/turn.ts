import { whileAlive } from "../../../base/async/deadline.ts";
import { Cancelled } from "../../../base/errors.ts";
import type { SessionId } from "../../../base/ids.ts";
import type { Clock } from "../../../base/world.ts";
import type { Command, CommandOf } from "../../../protocol/commands/commands.ts";
import type { Connection } from "../../../protocol/connection.ts";
import type { InputBlock } from "../../../protocol/content.ts";
import type { Envelope } from "../../../protocol/events/envelope.ts";
import { follow } from "../../../view/follow.ts";
import type { TurnRecord } from "../../../view/turn-record.ts";
import { NEW_TURN, recordTurn } from "../../../view/turn-record.ts";
import { OutputClosed } from "../../io/output.ts";

/** How long a cancelled turn may take to end: longer than the grace that tools get to end their processes. */
export const CANCEL_MS_MAX = 5_000;

export interface TurnOptions {
  /** After its handshake. */
  readonly connection: Connection;
  readonly session: SessionId;
  readonly content: readonly InputBlock[];
  /** What the input asks for beside its words; nothing where absent. */
  readonly wants?: Pick<CommandOf<"SendInput">, "skill" | "agent">;
  readonly clock: Clock;
  /** Cancels the turn; its end is still waited for, at most `CANCEL_MS_MAX`. */
  readonly signal: AbortSignal;
  /** Is shown every event. When it finds its output closed, the turn is cancelled. */
  show(envelope: Envelope): Promise<void>;
}

/**
 * Sends one input and follows its turn to the end.
 *
 * @throws HarnessError when the input is refused; the signal's reason when it was cancelled before it was accepted;
 * OutputClosed when nobody reads what is shown; Cancelled when a cancelled turn did not end in time.
 */
export async function runTurn(options: TurnOptions): Promise<TurnRecord> {
  const { connection, session, signal } = options;
  const giveUp = new AbortController();
  const cancel = canceller(options, giveUp);
  const events = follow(connection, session, { signal: giveUp.signal });
  try {
    // The subscription is open before anything can happen in the turn. A failure is met where the first is read.
    const first = events.next();
    first.catch(() => undefined);
    signal.throwIfAborted();
    signal.addEventListener("abort", cancel.start, { once: true });
    await sendInput(options, giveUp.signal);
    return await followTurn(first, events, { ...options, cancel: cancel.start, giveUp: giveUp.signal });
  } finally {
    signal.removeEventListener("abort", cancel.start);
    giveUp.abort(new Cancelled("client", "the turn is over for this client"));
    await cancel.end();
  }
}

/** An input that was taken back before it was accepted was cancelled, however that is called on the way. */
async function sendInput(options: TurnOptions, giveUp: AbortSignal): Promise<void> {
  const { connection, session: sessionId, content, wants, signal } = options;
  try {
    const input = {
      kind: "SendInput" as const,
      sessionId,
      content: [...content],
      ...wants,
    } satisfies Command;
    await whileAlive(connection.send(input), giveUp);
  } catch (thrown) {
    signal.throwIfAborted();
    throw thrown;
  }
}

interface Following extends TurnOptions {
  readonly cancel: () => void;
  readonly giveUp: AbortSignal;
}

async function followTurn(
  first: Promise<IteratorResult<Envelope>>,
  events: AsyncIterator<Envelope>,
  options: Following,
): Promise<TurnRecord> {
  let record = NEW_TURN;
  let turn: number | undefined;
  let closed: OutputClosed | undefined;
  for (let next = await first; next.done !== true; next = await events.next()) {
    const envelope = next.value;
    if (turn === undefined) turn = startOfOurs(envelope, options.connection);
    if (turn !== undefined) record = recordTurn(record, envelope);
    if (closed === undefined) {
      try {
        await whileAlive(options.show(envelope), options.giveUp);
      } catch (thrown) {
        if (!(thrown instanceof OutputClosed)) throw thrown;
        closed = thrown;
        options.cancel();
      }
    }
    if (turn !== undefined && endsTurn(envelope, turn)) break;
  }
  if (closed !== undefined) throw closed;
  if (record.ended === undefined) options.giveUp.throwIfAborted();
  return record;
}

function startOfOurs(envelope: Envelope, connection: Connection): number | undefined {
  const ours =
    envelope.kind === "TurnStarted" &&
    envelope.parentCall === undefined &&
    envelope.payload.originator === connection.clientId;
  return ours ? envelope.payload.turn : undefined;
}

function endsTurn(envelope: Envelope, turn: number): boolean {
  return envelope.kind === "TurnEnded" && envelope.parentCall === undefined && envelope.payload.turn === turn;
}

/** Cancels the turn once, and gives up on its end when that takes too long. */
function canceller({ connection, session, clock }: TurnOptions, giveUp: AbortController) {
  let timer: Disposable | undefined;
  let sending: Promise<unknown> = Promise.resolve();
  return {
    start(): void {
      if (timer !== undefined) return;
      timer = clock.timer(CANCEL_MS_MAX, () =>
        giveUp.abort(
          new Cancelled("signal", `the turn did not end within ${CANCEL_MS_MAX / 1000} s of its cancel`),
        ),
      );
      // A refusal means that no turn runs any more; the events tell how it ended.
      sending = connection.send({ kind: "CancelTurn", sessionId: session }).catch(() => undefined);
    },
    async end(): Promise<void> {
      timer?.[Symbol.dispose]();
      await sending;
    },
  };
}
