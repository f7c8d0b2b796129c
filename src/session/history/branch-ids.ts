import type { Id, IdPrefix, LogId } from "../../base/ids.ts";
import { idFromBytes, isId } from "../../base/ids.ts";
import { isObject } from "../../base/json.ts";
import type { ContentBlock } from "../../protocol/content.ts";
import type { Envelope } from "../../protocol/events/envelope.ts";
import type { StoredMessage } from "../store/store.ts";

const ULID_BYTES = 16;
/** Ids that are cached: a call is named in several events and messages in a row. */
const REMEMBERED_MAX = 10_000;

/** Fields of a payload that hold an id; text elsewhere that looks like an id is kept. */
const ID_KEYS = { callId: "call", askId: "ask", inputId: "inp", taskId: "task" } as const;
/** Fields that hold lists of ids. */
const LIST_KEYS = { inputIds: "inp", held: "inp" } as const;

export interface BranchIds {
  event(event: Envelope): Envelope;
  message(stored: StoredMessage): StoredMessage;
}

/** Gives everything in a branch its own ids: `ulid_from_seed(sha256(old ‖ new log))`. Clients keep theirs. */
export function branchIds(logId: LogId): BranchIds {
  const known = new Map<string, string>();

  function rewritten<Prefix extends IdPrefix>(prefix: Prefix, old: Id<Prefix>): Id<Prefix> {
    const before = known.get(old);
    if (before !== undefined) return before as Id<Prefix>;
    const made = branchId(prefix, old, logId);
    if (known.size === REMEMBERED_MAX) known.clear();
    known.set(old, made);
    return made;
  }

  /** Replaces the ids right in an object, in its lists of ids, and in its list of calls. */
  function inObject(value: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
    const changed: Record<string, unknown> = { ...value };
    for (const [key, prefix] of Object.entries(ID_KEYS)) {
      const old = value[key];
      if (typeof old === "string" && isId(prefix, old)) changed[key] = rewritten(prefix, old);
    }
    for (const [key, prefix] of Object.entries(LIST_KEYS)) {
      const list = value[key];
      if (!Array.isArray(list)) continue;
      changed[key] = list.map((old: unknown) =>
        typeof old === "string" && isId(prefix, old) ? rewritten(prefix, old) : old,
      );
    }
    const { toolCalls } = value;
    if (Array.isArray(toolCalls)) {
      changed["toolCalls"] = toolCalls.map((call: unknown) => (isObject(call) ? inObject(call) : call));
    }
    return changed;
  }

  function payload({ kind, payload }: Envelope): unknown {
    const changed = inObject(payload);
    const nested = kind === "CustomEvent" ? "payload" : kind === "Asked" ? "details" : undefined;
    const inner = nested === undefined ? undefined : changed[nested];
    const isOurs = kind === "Asked" || (kind === "CustomEvent" && payload.namespace === "cinch");
    return nested !== undefined && isOurs && isObject(inner)
      ? { ...changed, [nested]: inObject(inner) }
      : changed;
  }

  function block(content: ContentBlock): ContentBlock {
    if (content.type === "tool_use") return { ...content, id: rewritten("call", content.id) };
    if (content.type !== "tool_result") return content;
    return { ...content, tool_use_id: rewritten("call", content.tool_use_id) };
  }

  return {
    event(event) {
      const { parentCall } = event;
      return {
        ...event,
        session: rewritten("sess", event.session),
        ...(parentCall === undefined ? {} : { parentCall: rewritten("call", parentCall) }),
        payload: payload(event),
      } as Envelope;
    },
    message: (stored) => ({
      ...stored,
      message: { ...stored.message, content: stored.message.content.map(block) },
    }),
  };
}

/** Returns the id in a branch that stands for one of its source ([A] § ID formats). */
export function branchId<Prefix extends IdPrefix>(prefix: Prefix, old: Id<Prefix>, logId: LogId): Id<Prefix> {
  const digest = new Bun.CryptoHasher("sha256").update(`${old}${logId}`).digest();
  return idFromBytes(prefix, new Uint8Array(digest.subarray(0, ULID_BYTES)));
}
