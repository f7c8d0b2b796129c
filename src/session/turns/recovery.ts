import { deadline, whileAlive } from "../../base/async/deadline.ts";
import { defined } from "../../base/defined.ts";
import { Cancelled, HarnessError } from "../../base/errors.ts";
import type { CallId } from "../../base/ids.ts";
import { errorPayload, Turn } from "../../engine/loop/turn.ts";
import { answerOrphans, orphanUnsettled, ResumeAborted } from "../../engine/recover.ts";
import type { ToolOutput } from "../../tools/tool.ts";
import type { AttachedClient } from "../access/client.ts";
import type { Unfinished } from "../history/unfinished.ts";
import type { Ask } from "../questions.ts";
import type { SessionDependencies } from "./session-dependencies.ts";
import { settleShellRuns } from "./shell/settle-shell-runs.ts";
import type { TurnSlot } from "./turn-slot.ts";

export interface RecoveryOptions {
  readonly parts: SessionDependencies;
  readonly slot: TurnSlot;
  /** Aborts when the session ends. */
  readonly signal: AbortSignal;
  /** Returns true if the session is being ended. */
  ending(): boolean;
  /** Ends the session, as a person answered who does not want to continue it. */
  end(): Promise<void>;
}

/** Time limit for an attached person, who may be away from the terminal. */
const ATTACHED_TIMEOUT_MS = 86_400_000;

/** The wait of one client is over; the question stays open for the others. */
class StillOpen extends Error {
  override readonly name = "StillOpen";
  readonly refusal: HarnessError;
  constructor(refusal: HarnessError) {
    super(refusal.message);
    this.refusal = refusal;
  }
}

/** Settles, once, the unfinished work of an earlier run. The first client that comes is asked (SES-03). */
export class Recovery {
  readonly #options: RecoveryOptions;
  /** Outcome of each call so far. */
  readonly #results = new Map<CallId, ToolOutput>();
  #settling: Promise<void> | undefined;
  #isDone = false;
  /** Set once a person who came to stay waits for it: the question then has their time limit. */
  #isPatient = false;

  constructor(options: RecoveryOptions) {
    this.#options = options;
  }

  /** True if nothing is open any more. */
  get done(): boolean {
    return this.#options.parts.unfinished === undefined || this.#isDone;
  }

  /**
   * Resolves once nothing is open any more.
   * @param attaches true if the client came to stay: a person is then given time.
   * @throws HarnessError OrphanUnsettled if nobody decides in time; another one if it was cancelled, or the
   * session ended.
   */
  async settled(client: AttachedClient, { attaches = false } = {}): Promise<void> {
    const { parts, ending } = this.#options;
    if (parts.unfinished === undefined) return;
    const isPatient = attaches && client.identityClass === "human";
    if (isPatient && !this.#isPatient) {
      this.#isPatient = true;
      parts.questions.prolong("orphan", ATTACHED_TIMEOUT_MS); // a client with a shorter time limit may have started it
    }
    this.#settling ??= this.#begin(parts.unfinished, client);
    const settling = this.#settling;
    try {
      await (isPatient ? settling : this.#inTime(settling, parts.unfinished));
    } catch (thrown) {
      if (thrown instanceof StillOpen) throw thrown.refusal;
      if (!(thrown instanceof Cancelled)) throw thrown;
      if (ending()) throw new HarnessError("EngineStopping", {}, { cause: thrown });
      const why = "settling what an earlier run left open was cancelled";
      throw new HarnessError("InvalidCommand", { kind: "AttachSession", why }, { cause: thrown });
    }
  }

  /** Asks again about open calls after a failure, whichever client waits. */
  #begin(unfinished: Unfinished, client: AttachedClient): Promise<void> {
    const settling = this.#settle(unfinished, client);
    settling.catch(() => {
      if (this.#settling !== settling) return;
      this.#settling = undefined;
      this.#isPatient = false;
    });
    return settling;
  }

  /**
   * Limits the wait for an answer that another client is asked for. Nobody is asked about calls that only run again, or
   * whose outcome was decided ahead: these are awaited.
   */
  async #inTime(settling: Promise<void>, { calls }: Unfinished): Promise<void> {
    const { parts, signal } = this.#options;
    const open = calls.find(({ intent }) => intent?.mutating === true);
    if (open?.intent === undefined || parts.orphans !== undefined) return await settling;
    using limit = deadline(parts.world.clock, parts.questions.timeoutMs, signal);
    try {
      await whileAlive(settling, limit.signal);
    } catch (thrown) {
      throw limit.reached ? new StillOpen(orphanUnsettled({ ...open.intent, tool: open.name })) : thrown;
    }
  }

  async #settle(unfinished: Unfinished, client: AttachedClient): Promise<void> {
    const { parts, slot: place, signal, end } = this.#options;
    const { engine, questions, lastTurn, orphans: fate } = parts;
    const turn = new Turn(engine, unfinished.turn ?? Math.max(1, lastTurn), client.id, signal);
    const slot = place.claim(turn);
    try {
      const ask: Ask = (question, stop) => {
        const patience = this.#isPatient ? { timeoutMs: ATTACHED_TIMEOUT_MS } : {};
        return questions.ask({ ...question, ...patience }, stop);
      };
      const { calls, inner = [], shell = [] } = unfinished;
      const decided = defined({ fate });
      await answerOrphans(calls, turn, { parts: engine, ask, inner, results: this.#results, ...decided });
      await settleShellRuns(shell, { parts: engine, turn: lastTurn });
    } catch (thrown) {
      slot.free();
      if (!(thrown instanceof ResumeAborted)) throw thrown;
      await end();
      throw new HarnessError("EngineStopping", {}, { cause: thrown });
    } finally {
      slot.free();
    }
    this.#isDone = true;
    if (unfinished.turn !== undefined) await this.#endTurn(unfinished.turn, unfinished, turn);
  }

  /**
   * Emits the end of the turn that broke off, with its error before it, as for every turn that fails; and before that
   * the end of its sub-agents' turns. Their rounds make a provider call that was cut off one of unknown cost.
   */
  async #endTurn(number: number, { rounds, subAgents = [] }: Unfinished, { origin }: Turn): Promise<void> {
    const { bus } = this.#options.parts;
    for (const { parentCall, turn, rounds: ofAgent } of subAgents) {
      const payload = { turn, reason: "error" as const, rounds: ofAgent, error: interrupted(turn) };
      bus.publish({ kind: "TurnEnded", payload }, { ...origin, parentCall });
    }
    const error = interrupted(number);
    const counted = defined({ rounds });
    bus.publish({ kind: "Error", payload: error }, origin);
    bus.publish({ kind: "TurnEnded", payload: { turn: number, reason: "error", ...counted, error } }, origin);
    await bus.commit("power");
  }
}

function interrupted(turn: number): ReturnType<typeof errorPayload> {
  return errorPayload(new HarnessError("TurnInterrupted", { turn: String(turn) }));
}
