import { defined } from "../../base/defined.ts";
import type { Envelope } from "../../protocol/events/envelope.ts";
import type { Event, EventKind, PayloadOf } from "../../protocol/events/events.ts";
import type { NamedClient } from "../../protocol/events/named-client.ts";
import type { EventRange } from "./store.ts";

/** Text that replaces every expired text ([A] § Storage policy, SES-06). */
export const TTL_EXPIRED = "«ttl-expired»";

const TEXT = [{ type: "text" as const, text: TTL_EXPIRED }];

/** Payload of each kind without its content: ids, numbers, words of cinch's own, names of tools and models. */
const WITHOUT_CONTENT: {
  readonly [Kind in EventKind]: (payload: PayloadOf<Kind>) => PayloadOf<Kind>;
} = {
  TextDelta: (payload) => ({ ...payload, text: TTL_EXPIRED }),
  ThinkingDelta: (payload) => ({ ...payload, block: { type: "thinking", text: TTL_EXPIRED } }),
  ToolCallStarted: (payload) => ({ ...payload, args: TTL_EXPIRED }),
  ToolCallProgress: ({ callId }) => ({ callId, partial: TTL_EXPIRED }),
  ToolArgsDelta: (payload) => ({ ...payload, text: TTL_EXPIRED }),
  ToolResult: (payload) => ({ ...payload, content: TEXT }),
  TurnStarted: (payload) => ({ ...payload, ...(payload.content === undefined ? {} : { content: TEXT }) }),
  TurnEnded: ({ error, files: _files, ...payload }) => ({
    ...payload,
    ...(error === undefined ? {} : { error: { reason: error.reason, message: TTL_EXPIRED } }),
  }),
  TurnTiming: (payload) => payload,
  CompactionTriggered: (payload) => payload,
  CompactionProgress: (payload) => payload,
  CostIncremented: (payload) => payload,
  PermissionRequested: ({ callId, tool, originator, onceOnly, timeoutMs, onlyUnattended }) => ({
    callId,
    tool,
    originator,
    args: TTL_EXPIRED,
    summary: TTL_EXPIRED,
    ...defined({ onceOnly, timeoutMs, onlyUnattended }),
  }),
  PermissionAnswered: ({ rule: _rule, words: _words, hunks: _hunks, ...payload }) => payload,
  Cancelled: (payload) => ({ ...payload, reason: TTL_EXPIRED }),
  Error: ({ reason }) => ({ reason, message: TTL_EXPIRED }),
  StreamGap: (payload) => payload,
  TokenExpiring: (payload) => payload,
  HookTimeout: (payload) => ({ ...payload, command: TTL_EXPIRED }),
  HookError: ({ event, exit_code }) => ({ event, exit_code, command: TTL_EXPIRED }),
  MCPServerDown: (payload) => ({ ...payload, reason: TTL_EXPIRED }),
  SkillRegistryChanged: (payload) => payload,
  SessionEnded: (payload) => payload,
  CustomEvent: ({ namespace, kind }) => ({ namespace, kind, payload: TTL_EXPIRED }),
  Asked: ({ askId, about, originator, timeoutMs, onlyUnattended }) => ({
    askId,
    about,
    text: TTL_EXPIRED,
    ...defined({ originator, timeoutMs, onlyUnattended }),
  }),
  Answered: (payload) => ({ ...payload, answer: TTL_EXPIRED }),
  InputQueued: (payload) => ({ ...payload, content: TEXT }),
  InputWithdrawn: (payload) => payload,
  CheckpointMade: ({ turn, files }) => ({ turn, files }),
  TaskChanged: ({ taskId, state }) => ({ taskId, state, what: TTL_EXPIRED }),
  TodoChanged: () => ({ items: [] }),
  MemoryWritten: ({ type }) => ({ name: TTL_EXPIRED, type, description: TTL_EXPIRED }),
  ProfileSwitched: (payload) => payload,
  ModelChanged: (payload) => payload,
  RuleRevoked: (payload) => ({ ...payload, rule: TTL_EXPIRED }),
  RulePromoted: ({ profile, by }) => ({
    rule: TTL_EXPIRED,
    profile,
    path: TTL_EXPIRED,
    ...defined({ by }),
  }),
  SessionRenamed: (payload) => ({ ...payload, title: TTL_EXPIRED }),
  LevelChanged: (payload) => payload,
  InputEdited: (payload) => ({ ...payload, content: TEXT }),
  InputMoved: (payload) => payload,
};

/** Returns true if a text from a file is a kind of events. */
export function isEventKind(text: string): text is EventKind {
  return Object.hasOwn(WITHOUT_CONTENT, text);
}

/** Returns the payload of an event after its content has expired. A name that a client gave itself is content too. */
export function withoutContent({ kind, payload }: Event): Event["payload"] {
  const strip = WITHOUT_CONTENT[kind] as (payload: Event["payload"]) => Event["payload"];
  const { who: _who, ...stripped } = strip(payload) as Event["payload"] & { readonly who?: NamedClient };
  return stripped as Event["payload"];
}

/** Returns an event with «ttl-expired» for its content. */
export function expiredEvent(event: Envelope): Envelope {
  return { ...event, payload: withoutContent(event) } as Envelope;
}

/** Joins ranges that touch, in order. */
export function mergeRanges(ranges: readonly EventRange[]): readonly EventRange[] {
  const merged: EventRange[] = [];
  for (const { from, to } of ranges) {
    const last = merged.at(-1);
    if (last !== undefined && from <= last.to + 1) {
      merged[merged.length - 1] = { from: last.from, to: Math.max(last.to, to) };
    } else {
      merged.push({ from, to });
    }
  }
  return merged;
}

export function isInRanges(id: number, ranges: readonly EventRange[]): boolean {
  return ranges.some(({ from, to }) => id >= from && id <= to);
}
