import type { CallId, SessionId } from "../../../base/ids.ts";
import type { Envelope } from "../../../protocol/events/envelope.ts";
import { isShellEvent } from "../../../view/event-facts.ts";
import type { Sender } from "../../slash/sender.ts";

/** A typed line that is a command for the shell. */
export interface ShellLine {
  readonly command: string;
  /** True if the model sees the command and its output. */
  readonly toModel: boolean;
}

/** Ends that came before the answer to their command. */
const EARLY_ENDS_MAX = 64;

/**
 * Parses a line of the form `!command`, or `!!command`, which the model does not see. Returns undefined for any other
 * line: a blank in front makes a text of it.
 */
export function parseShellLine(text: string): ShellLine | undefined {
  if (!text.startsWith("!")) return undefined;
  const toModel = !text.startsWith("!!");
  return { command: text.slice(toModel ? 1 : 2).trim(), toModel };
}

/** The commands that the user of this client runs in the session. */
export class OwnShellRuns {
  readonly #dependencies: { readonly session: SessionId; readonly sender: Sender };
  readonly #running = new Set<CallId>();
  readonly #stopping = new Set<CallId>();
  readonly #endedEarly = new Set<CallId>();

  constructor(dependencies: { readonly session: SessionId; readonly sender: Sender }) {
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

  async run({ command, toModel }: ShellLine): Promise<void> {
    const { session: sessionId, sender } = this.#dependencies;
    const result = await sender.request({ kind: "RunShell", sessionId, command, toModel });
    if (result === undefined || this.#endedEarly.delete(result.callId)) return;
    this.#running.add(result.callId);
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
