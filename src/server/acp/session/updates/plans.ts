import type { PlanEntry, SessionUpdate } from "@agentclientprotocol/sdk/unstable";
import type { AskId } from "../../../../base/ids.ts";
import type { Envelope } from "../../../../protocol/events/envelope.ts";
import type { TodoItem } from "../../../../protocol/events/events.ts";

/** Ids of the two plans of a session. */
const TASKS = "tasks";
const PROPOSAL = "plan";
/** Answer of a person that has approved a plan. */
const APPROVE = "approve";

/** Shows the list of tasks, and the plan that plan mode proposes, for editors that keep several plans. */
export class PlanUpdates {
  /** Question about the plan that is proposed. */
  #asked: AskId | undefined;

  /** Returns the updates for one event of the session's own agent. */
  of(event: Envelope): readonly SessionUpdate[] {
    switch (event.kind) {
      case "TodoChanged": {
        const { items } = event.payload;
        if (items.length === 0) return [{ sessionUpdate: "plan_removed", planId: TASKS }];
        const plan = { type: "items", planId: TASKS, entries: items.map(planEntry) } as const;
        return [{ sessionUpdate: "plan_update", plan }];
      }
      case "Asked": {
        const { about, askId, text } = event.payload;
        if (about !== "plan" || askId === this.#asked) return [];
        this.#asked = askId;
        const plan = { type: "markdown", planId: PROPOSAL, content: text } as const;
        return [{ sessionUpdate: "plan_update", plan }];
      }
      case "Answered": {
        const { askId, answer } = event.payload;
        if (askId !== this.#asked) return [];
        this.#asked = undefined;
        // An approved plan stays: it is what the session now does.
        return answer === APPROVE ? [] : [{ sessionUpdate: "plan_removed", planId: PROPOSAL }];
      }
      default:
        return [];
    }
  }
}

export function planEntry({ content, status }: TodoItem): PlanEntry {
  return { content, status, priority: "medium" };
}
