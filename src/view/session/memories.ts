import { isObject } from "../../base/json.ts";
import { shortened } from "../../base/text/text.ts";
import type { Envelope } from "../../protocol/events/envelope.ts";
import { NAME_CHARACTERS_MAX } from "./limits.ts";

/** Memories of a session that are kept; beyond that the oldest is forgotten. */
const MEMORIES_MAX = 1_000;

/** Use of a memory by a session. */
export type MemoryUse = "written" | "removed" | "given";

/** Memories that a session has used, by name, each with its uses in the order of the first of each. */
export type UsedMemories = ReadonlyMap<string, readonly MemoryUse[]>;

export const NO_MEMORIES: UsedMemories = new Map();

/** Returns the used memories after one more event; the same value if it uses none. */
export function memoriesAfter(memories: UsedMemories, envelope: Envelope): UsedMemories {
  if (envelope.kind === "MemoryWritten") {
    const { name, removed } = envelope.payload;
    return withUse(memories, name, removed === true ? "removed" : "written");
  }
  return givenMemories(envelope).reduce((uses, name) => withUse(uses, name, "given"), memories);
}

/** Returns the names of the memories that a turn was given; none for any other event. */
export function givenMemories(envelope: Envelope): readonly string[] {
  if (envelope.kind !== "CustomEvent") return [];
  const { namespace, kind, payload } = envelope.payload;
  if (namespace !== "cinch" || kind !== "MemoriesGiven" || !isObject(payload)) return [];
  const { names } = payload;
  return Array.isArray(names) ? names.filter((name) => typeof name === "string") : [];
}

function withUse(memories: UsedMemories, name: string, use: MemoryUse): UsedMemories {
  const short = shortened(name, NAME_CHARACTERS_MAX);
  const uses = memories.get(short) ?? [];
  if (uses.includes(use)) return memories;
  const next = new Map(memories).set(short, [...uses, use]);
  const [oldest] = next.keys();
  if (next.size > MEMORIES_MAX && oldest !== undefined) next.delete(oldest);
  return next;
}
