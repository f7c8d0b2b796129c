import type { CallId, SessionId } from "../../base/ids.ts";
import { stringAt } from "../../base/json.ts";
import type { Envelope } from "../../protocol/events/envelope.ts";
import { isShellEvent } from "../../view/event-facts.ts";
import type { BackReader } from "./read-back.ts";
import type { OpenShellRun } from "./unfinished.ts";

/**
 * Finds the commands of people that a killed process left open, from the events, the newest first.
 *
 * Done at the beginning of the log's last run: the commands of earlier runs were settled by it, or ended with them.
 */
export class OpenShellRuns implements BackReader {
  readonly #ended = new Set<CallId>();
  #open: readonly OpenShellRun[] = [];
  #session: SessionId | undefined;
  #isDone = false;

  get done(): boolean {
    return this.#isDone;
  }

  /** The open commands, the oldest first. */
  get open(): readonly OpenShellRun[] {
    return this.#open;
  }

  add(event: Envelope): void {
    this.#session ??= event.session;
    if (event.session !== this.#session || event.kind === "SessionEnded") this.#isDone = true;
    if (this.#isDone || !isShellEvent(event)) return;
    if (event.kind === "ToolResult") this.#ended.add(event.payload.callId);
    if (event.kind !== "ToolCallStarted") return;
    const { callId, args, toModel = false } = event.payload;
    if (this.#ended.has(callId)) return;
    this.#open = [{ callId, command: stringAt(args, "command") ?? "", toModel }, ...this.#open];
  }
}
