import type { Envelope } from "../../protocol/events/envelope.ts";

/** Returns an event that replaces a missing or unreadable one. */
export function standInEvent(
  frame: Pick<Envelope, "id" | "session" | "ts">,
  kind: "EventMissing" | "EventUnreadable",
): Envelope {
  return { ...frame, kind: "CustomEvent", payload: { namespace: "cinch", kind, payload: {} } };
}

/** Returns true if an event replaces one that cannot be read. */
export function isUnreadable({ kind, payload }: Envelope): boolean {
  return kind === "CustomEvent" && payload.namespace === "cinch" && payload.kind === "EventUnreadable";
}
