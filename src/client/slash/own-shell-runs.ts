import { HarnessError } from "../../base/errors.ts";
import type { CallId, SessionId } from "../../base/ids.ts";
import type { Envelope } from "../../protocol/events/envelope.ts";
import { isShellEvent } from "../../view/event-facts.ts";
import type { ShellLine } from "../../view/slash/shell-line.ts";
import type { Sender } from "./sender.ts";

/** Ends that came before the answer to their command. */
const EARLY_ENDS_MAX = 64;

/** The commands that the user of this client runs in the session. */
export class OwnShellRuns {
  readonly #dependencies: {
    readonly session: SessionId;
    readonly sender: Pick<Sender, "answerTo" | "send">;
  };
  readonly #running = new Set<CallId>();
  readonly #stopping = new Set<CallId>();
  readonly #endedEarly = new Set<CallId>();

  constructor(dependencies: {
    readonly session: SessionId;
    readonly sender: Pick<Sender, "answerTo" | "send">;
  }) {
    this.#dependencies = dependencies;
  }

  /** True while one runs or waits. */
  get isBusy(): boolean {
    return this.#running.size > 0;
  }

  /** True while one runs or waits that was not stopped. */
  get mayStop(): boolean {
    return [...this.#running].some((callId) => !this.#stopping.has(callId));
  }

  /** Starts a command. Returns the refusal, if any. */
  async run({ command, toModel }: ShellLine): Promise<HarnessError | undefined> {
    const { session: sessionId, sender } = this.#dependencies;
    const answer = await sender.answerTo({ kind: "RunShell", sessionId, command, toModel });
    if (answer instanceof HarnessError) return answer;
    const { result } = answer;
    if (result !== undefined && !this.#endedEarly.delete(result.callId)) this.#running.add(result.callId);
    return undefined;
  }

  /** Stops all of them. */
  async stop(): Promise<void> {
    const { session: sessionId, sender } = this.#dependencies;
    for (const callId of this.#running) {
      this.#stopping.add(callId);
      // A refusal means that it has just ended.
      await sender.send({ kind: "StopShell", sessionId, callId });
    }
  }

  /** Reads one more event of the session. */
  add(event: Envelope): void {
    if (event.kind === "SessionEnded") this.#running.clear();
    if (event.kind !== "ToolResult" || !isShellEvent(event)) return;
    const { callId } = event.payload;
    this.#stopping.delete(callId);
    if (this.#running.delete(callId)) return;
    if (this.#endedEarly.size >= EARLY_ENDS_MAX) this.#endedEarly.clear();
    this.#endedEarly.add(callId);
  }
}
