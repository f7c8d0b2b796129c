import type { CompactionStatus, SessionUpdate } from "@agentclientprotocol/sdk/unstable";
import type { Envelope } from "../../../../protocol/events/envelope.ts";
import { isShellEvent } from "../../../../view/event-facts.ts";

/** Events of a conversation that continues: a compaction before them is over. */
const CONTINUES: ReadonlySet<Envelope["kind"]> = new Set<Envelope["kind"]>([
  "TurnStarted",
  "TextDelta",
  "ThinkingDelta",
  "ToolCallStarted",
  "TurnEnded",
]);

/** Shows each compaction of a session as one entity: from the start of its summary to its end. */
export class CompactionUpdates {
  #open: string | undefined;

  /** Returns the updates for one event of the session's own agent. */
  of(event: Envelope): readonly SessionUpdate[] {
    if (event.kind === "CompactionProgress" && event.payload.state === "started") {
      // A second summary of the same compaction continues it.
      if (this.#open !== undefined) return [];
      this.#open = idOf(event);
      return [update(this.#open, "in_progress")];
    }
    // Without a summary there was nothing to wait for.
    if (event.kind === "CompactionTriggered") return this.#end("completed", idOf(event));
    return CONTINUES.has(event.kind) && !isShellEvent(event) ? this.fail() : [];
  }

  /** Ends a compaction that has not made the conversation shorter. */
  fail(): readonly SessionUpdate[] {
    return this.#open === undefined ? [] : this.#end("failed", this.#open);
  }

  #end(status: CompactionStatus, fallback: string): readonly SessionUpdate[] {
    const id = this.#open ?? fallback;
    this.#open = undefined;
    return [update(id, status)];
  }
}

function idOf({ id }: Envelope): string {
  return `compaction-${id}`;
}

function update(compactionId: string, status: CompactionStatus): SessionUpdate {
  return { sessionUpdate: "compaction_update", compactionId, status };
}
