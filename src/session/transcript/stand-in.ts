import type { Envelope } from "../../protocol/events/envelope.ts";

/** What stands in the place of an event that is not there, or cannot be read. */
export function standIn(
  frame: Pick<Envelope, "id" | "session" | "ts">,
  kind: "EventMissing" | "EventUnreadable",
): Envelope {
  return { ...frame, kind: "CustomEvent", payload: { namespace: "cinch", kind, payload: {} } };
}

/** Tells whether an event stands for one that cannot be read. */
export function isUnreadable({ kind, payload }: Envelope): boolean {
  return kind === "CustomEvent" && payload.namespace === "cinch" && payload.kind === "EventUnreadable";
}
