import * as fc from "fast-check";
import type { AskId, CallId, SessionId, TaskId } from "../../src/base/ids.ts";
import type { Envelope } from "../../src/protocol/events/envelope.ts";
import type { Event, EventKind, PayloadOf } from "../../src/protocol/events/events.ts";
import { EVENT_KINDS } from "../../src/protocol/kinds.ts";
import { NEW_SESSION, runOf, sessionAfter } from "../../src/view/session/session-view.ts";
import { fakeId, SESSION } from "./fake-connection.ts";

const CLIENT = fakeId("cli", 1);
const OTHER: SessionId = fakeId("sess", 2);

const callId = fc.integer({ min: 1, max: 4 }).map((at) => fakeId("call", at) as CallId);
const turn = fc.integer({ min: 1, max: 3 });
const inputId = fc.integer({ min: 1, max: 3 }).map((at) => fakeId("inp", at));
const usd = fc.option(
  fc.integer({ min: 0, max: 9 }).map((tenths) => tenths / 10),
  { nil: null },
);

const error = fc.constantFrom("complete", "cancelled", "error") as fc.Arbitrary<
  "complete" | "cancelled" | "error"
>;
const askId = fc.integer({ min: 1, max: 3 }).map((at) => fakeId("ask", at) as AskId);
const words = fc.string({ unit: "binary", maxLength: 9 });
const shortList = fc.array(words, { maxLength: 3 });

/** Events that belong together: few ids, so that starts meet their ends. A new kind is a compile error. */
const EVENTS: { readonly [Kind in EventKind]: fc.Arbitrary<PayloadOf<Kind>> } = {
  TextDelta: words.map((text) => ({ text })),
  ThinkingDelta: words.map((text) => ({ block: { type: "thinking", text } })),
  TurnStarted: turn.map((number) => ({ turn: number, originator: CLIENT })),
  TurnEnded: fc.record({ turn, reason: error, rounds: fc.nat(3) }),
  TurnTiming: turn.map((number) => ({ turn: number, components: {} })),
  ToolCallStarted: callId.map((id) => ({ callId: id, tool: "Bash", args: {}, mutating: true })),
  ToolCallProgress: fc.record({ callId, partial: words }),
  ToolArgsDelta: fc.record({ callId, tool: words, text: words, offset: fc.nat(9) }),
  ToolResult: callId.map((id) => ({ callId: id, content: [] })),
  CompactionTriggered: fc.nat(9).map((afterTokens) => ({ beforeTokens: 10, afterTokens })),
  CompactionProgress: fc.record({
    state: fc.constantFrom("started" as const, "ended" as const),
    beforeTokens: fc.nat(9),
    trigger: fc.constant("threshold" as const),
    timeoutMs: fc.constant(1),
  }),
  CostIncremented: usd.map(costOf),
  PermissionRequested: callId.map((id) => ({
    callId: id,
    tool: "Bash",
    args: {},
    originator: CLIENT,
    summary: "x",
  })),
  PermissionAnswered: fc.record({
    callId,
    decision: fc.constantFrom("allow" as const, "deny" as const),
    scope: fc.constant("tool" as const),
    rule: fc.constantFrom("a", "b"),
    counted: fc.boolean(),
  }),
  Cancelled: turn.map((number) => ({ turn: number, by: "x", reason: "x" })),
  SessionRenamed: words.map((title) => ({ title })),
  Error: fc.record({
    reason: fc.constantFrom("PermissionDenied", "ProviderFailed"),
    message: words,
    details: callId.map((id) => ({ callId: id })),
  }),
  StreamGap: fc.nat(3).map((to) => ({ from: 1, to, reason: "ttl" })),
  TokenExpiring: fc.constant({ jti: fakeId("tok", 1), expAt: 1 } as PayloadOf<"TokenExpiring">),
  HookTimeout: words.map((command) => ({ event: "PreToolUse", command, after: 1 })),
  HookError: words.map((command) => ({ event: "PreToolUse", command, exit_code: 1 })),
  MCPServerDown: words.map((name) => ({ name, reason: "x", attempts: 1 })),
  SkillRegistryChanged: shortList.map((skills) => ({ skills })),
  SessionEnded: fc.constant({ reason: "idle" }),
  CustomEvent: fc.oneof(
    inputId.map((id) => customOf("InputDelivered", { inputId: id, turn: 1, round: 1 })),
    fc.array(inputId).map((inputIds) => customOf("InputsWaiting", { inputIds, held: inputIds.slice(1) })),
    fc.boolean().map((active) => customOf("PlanMode", { active })),
    shortList.map((names) => customOf("MemoriesGiven", { names })),
    fc
      .tuple(fc.nat(30), fc.constantFrom("files", "conversation", "both"))
      .map(([to, what]) => customOf("Rewound", { to, what, undo: to })),
  ),
  Asked: fc.record({ askId, about: fc.constantFrom("trust" as const, "plan" as const), text: words }),
  Answered: askId.map((id) => ({ askId: id, answer: null })),
  InputQueued: inputId.map((id) => ({ inputId: id, content: [], delivery: "queue", originator: CLIENT })),
  InputWithdrawn: inputId.map((id) => ({ inputId: id })),
  CheckpointMade: shortList.map((notRestorable) => ({ turn: 1, files: 0, notRestorable })),
  TaskChanged: fc.record({
    taskId: fc.nat(2).map((at) => fakeId("task", at) as TaskId),
    what: fc.constant("x"),
    state: fc.constantFrom("running" as const, "done" as const),
  }),
  TodoChanged: shortList.map((items) => ({
    items: items.map((content) => ({ content, status: "pending" as const })),
  })),
  MemoryWritten: fc
    .tuple(words, fc.boolean())
    .map(([name, removed]) => ({ name, type: "user", description: "", removed })),
  ProfileSwitched: fc.constantFrom(
    { from: "a", to: "b", next: OTHER },
    { from: "a", to: "b", previous: SESSION },
  ),
  ModelChanged: fc.constantFrom({ model: "mock:one" }, { model: "mock:two", effort: "high" as const }),
  RuleRevoked: fc.constantFrom("a", "b").map((rule) => ({ rule })),
  LevelChanged: fc.constantFrom({ level: "ReadOnly" as const }, { level: "WorkspaceWrite" as const }),
  InputEdited: inputId.map((id) => ({ inputId: id, content: [{ type: "text" as const, text: "edited" }] })),
  InputMoved: fc
    .tuple(inputId, fc.option(inputId, { nil: undefined }))
    .map(([id, before]) => ({ inputId: id, ...(before === undefined ? {} : { before }) })),
  RulePromoted: words.map((rule) => ({ rule, profile: "p", path: "/p" })),
};

/** Any event of the protocol. Few ids, so that starts meet their ends. */
export const event: fc.Arbitrary<Event> = fc.oneof(
  ...EVENT_KINDS.map((kind) =>
    (EVENTS[kind] as fc.Arbitrary<unknown>).map((payload) => ({ kind, payload }) as Event),
  ),
);

function customOf(kind: string, payload: object): PayloadOf<"CustomEvent"> {
  return { namespace: "cinch", kind, payload };
}

function costOf(price: number | null): PayloadOf<"CostIncremented"> {
  return { provider: "mock", model: "one", inputTokens: 1, outputTokens: 1, usd: price };
}

/** Returns an event of the engine that is no kind of its own. */
export function custom(kind: string, payload: object): Event {
  return { kind: "CustomEvent", payload: customOf(kind, payload) };
}

/** Returns what one provider call cost. */
export function cost(price: number | null): Event {
  return { kind: "CostIncremented", payload: costOf(price) };
}

const TRANSCRIPT_KINDS: readonly EventKind[] = [
  "TextDelta",
  "ThinkingDelta",
  "TurnStarted",
  "TurnEnded",
  "ToolCallStarted",
  "ToolCallProgress",
  "ToolResult",
  "PermissionAnswered",
  "Cancelled",
  "ModelChanged",
];

/** Events that make a transcript, each a second after the one before. A third are those of a sub-agent. */
export const transcriptLog: fc.Arbitrary<readonly Envelope[]> = fc
  .array(
    fc.tuple(
      fc.oneof(
        ...TRANSCRIPT_KINDS.map((kind) =>
          (EVENTS[kind] as fc.Arbitrary<unknown>).map((payload) => ({ kind, payload }) as Event),
        ),
      ),
      fc.nat(2),
      fc.boolean(),
    ),
    { maxLength: 60, size: "max" },
  )
  .map((events) =>
    events.map(([each, agent, isShell], at): Envelope => {
      const more = each.kind === "ToolCallStarted" && isShell ? { shell: true as const } : {};
      const content = [{ type: "text" as const, text: "go" }];
      const start = each.kind === "TurnStarted" ? { turn: at, content } : {};
      return {
        ...each,
        payload: { ...each.payload, ...more, ...start },
        id: at + 1,
        session: SESSION,
        ts: new Date(1_767_225_600_000 + at * 1_000).toISOString(),
        ...(agent === 0 ? { parentCall: fakeId("call", 1) as CallId } : {}),
      } as Envelope;
    }),
  );

/** A log of two runs, some of its events a sub-agent's. Events that a gap covers are missing. */
export const log = fc
  .array(fc.tuple(event, fc.boolean()), { maxLength: 60 })
  .chain((events) => fc.tuple(fc.constant(events), fc.nat(events.length)))
  .map(([events, second]) => {
    let id = 0;
    return events.map(([each, isSubAgents], at): Envelope => {
      id += 1;
      const from = id;
      if (each.kind === "StreamGap") id += each.payload.to;
      const gap = each.kind === "StreamGap" ? { payload: { ...each.payload, from, to: id } } : {};
      return {
        id: from,
        session: at < second ? SESSION : OTHER,
        ts: "2026-01-01T00:00:00.000Z",
        ...(isSubAgents ? { parentCall: fakeId("call", 1) as CallId } : {}),
        ...each,
        ...gap,
      } as Envelope;
    });
  });

/**
 * A log as an engine writes it: a turn ends before the next one starts, calls and sub-agents are those of a turn,
 * nothing follows the end of a run, and a list of the waiting inputs comes right before a turn that starts while
 * some wait.
 */
export const engineLog = log.map((events) => {
  let [view, turn] = [NEW_SESSION, 0];
  const written: Envelope[] = [];
  const write = (frame: Envelope, each: Event) => {
    const envelope = { ...frame, ...each, id: written.length + 1 } as Envelope;
    written.push(envelope);
    view = sessionAfter(view, envelope);
  };
  for (const each of events) {
    const { kind, payload, ...frame } = each;
    const isOwn = each.parentCall === undefined;
    const run = runOf(view, each.session);
    const needsTurn = !isOwn || kind === "ToolCallStarted" || kind === "PermissionRequested";
    if (kind === "StreamGap" || run.sessionEnded !== undefined) continue;
    if (run.turn === undefined && (needsTurn || (each.kind === "Asked" && each.payload.about === "plan")))
      continue;
    if (isOwn && each.kind === "TurnStarted") {
      if (run.turn !== undefined)
        write(frame as Envelope, { kind: "TurnEnded", payload: { turn, reason: "complete" } });
      turn += 1;
      const inputIds = view.waiting.map((input) => input.inputId);
      if (inputIds.length > 0)
        write(frame as Envelope, custom("InputsWaiting", { inputIds, held: inputIds.slice(1) }));
      write(frame as Envelope, { kind: "TurnStarted", payload: { ...each.payload, turn } });
    } else if (isOwn && each.kind === "TurnEnded") {
      if (run.turn !== undefined)
        write(frame as Envelope, { kind: "TurnEnded", payload: { ...each.payload, turn } });
    } else write(frame as Envelope, { kind, payload } as Event);
  }
  return written;
});
