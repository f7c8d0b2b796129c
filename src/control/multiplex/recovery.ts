import { Cancelled, HarnessError } from "../../base/errors.ts";
import type { CallId } from "../../base/ids.ts";
import { answerOrphans, ResumeAborted } from "../../engine/recover.ts";
import { Turn } from "../../engine/turn.ts";
import type { ToolOutput } from "../../tool/tool.ts";
import type { Ask } from "../ask.ts";
import type { AttachedClient } from "./client.ts";
import type { SessionParts, Unfinished } from "./session-parts.ts";
import type { TurnSlot } from "./turn-slot.ts";

export interface RecoveryOptions {
  readonly parts: SessionParts;
  readonly slot: TurnSlot;
  /** Aborts when the session ends. */
  readonly signal: AbortSignal;
  /** Whether the session is being ended. */
  ending(): boolean;
  /** Ends the session: the answer of a person who does not want to go on with it. */
  end(): Promise<void>;
}

/** Settles, once, what an earlier run left unfinished. Whoever comes first is the one who is asked (SES-03). */
export class Recovery {
  readonly #options: RecoveryOptions;
  /** What became of each call so far. */
  readonly #results = new Map<CallId, ToolOutput>();
  #settling: Promise<void> | undefined;
  #isDone = false;

  constructor(options: RecoveryOptions) {
    this.#options = options;
  }

  /** Whether nothing is open any more. */
  get done(): boolean {
    return this.#options.parts.unfinished === undefined || this.#isDone;
  }

  /** Resolves once nothing is open any more. @throws HarnessError where it was cancelled, or the session ended. */
  async settled(client: AttachedClient): Promise<void> {
    const { parts, ending } = this.#options;
    if (parts.unfinished === undefined) return;
    this.#settling ??= this.#settle(parts.unfinished, client);
    const settling = this.#settling;
    try {
      await settling;
    } catch (thrown) {
      if (this.#settling === settling) this.#settling = undefined; // what is still open is asked again
      if (!(thrown instanceof Cancelled)) throw thrown;
      if (ending()) throw new HarnessError("EngineStopping", {}, { cause: thrown });
      const why = "settling what an earlier run left open was cancelled";
      throw new HarnessError("InvalidCommand", { kind: "AttachSession", why }, { cause: thrown });
    }
  }

  async #settle(unfinished: Unfinished, client: AttachedClient): Promise<void> {
    const { parts, slot: place, signal, end } = this.#options;
    const { engine, bus, questions, lastTurn } = parts;
    const turn = new Turn(engine, unfinished.turn ?? Math.max(1, lastTurn), client.id, signal);
    const slot = place.claim(turn);
    try {
      const ask: Ask = (question, stop) => questions.ask(question, stop);
      const { calls, inner = [] } = unfinished;
      await answerOrphans(calls, turn, { parts: engine, ask, inner, results: this.#results });
    } catch (thrown) {
      slot.free();
      if (!(thrown instanceof ResumeAborted)) throw thrown;
      await end();
      throw new HarnessError("EngineStopping", {}, { cause: thrown });
    } finally {
      slot.free();
    }
    this.#isDone = true;
    if (unfinished.turn === undefined) return;
    bus.publish({ kind: "TurnEnded", payload: { turn: unfinished.turn, reason: "error" } }, turn.origin);
    await bus.commit("power");
  }
}
