import { defined } from "../../../src/base/defined.ts";
import { HarnessError } from "../../../src/base/errors.ts";
import type { ClientId, SessionId } from "../../../src/base/ids.ts";
import { EVERY } from "../../../src/conformance/scenario.ts";
import type { Accepted, CommandOf } from "../../../src/protocol/commands/commands.ts";
import type { IdentityClass, SubscribeOptions } from "../../../src/protocol/connection.ts";
import type { Envelope, EnvelopeOf } from "../../../src/protocol/events/envelope.ts";
import type { PayloadOf } from "../../../src/protocol/events/events.ts";
import { PROTOCOL_VERSION } from "../../../src/protocol/version.ts";
import type { EnginePort } from "../../../src/session/engine-port.ts";
import type { Fault } from "../server.ts";
import type { Broken } from "./faults.ts";
import {
  commandFault,
  connectionFault,
  eachEvent,
  eventFault,
  reasonOf,
  replayFault,
  withPayload,
} from "./faults.ts";

/** Servers with a fault behind every transport: handshake, turns, questions, clients, commands. */
export const BROKEN_ENGINES: readonly Broken[] = [
  {
    scenario: "call-arguments",
    how: "a piece of arguments says something else than the call",
    fault: () =>
      eachEvent((event) => (event.kind === "ToolArgsDelta" ? withPayload(event, { text: "{}" }) : event)),
  },
  {
    scenario: "call-arguments",
    how: "everybody gets the arguments of calls",
    fault: () =>
      connectionFault({
        subscribe: (inner, session, options) => inner.subscribe(session, { ...options, args: true }),
      }),
  },
  {
    scenario: "call-arguments",
    how: "nobody gets the arguments of calls",
    fault: () =>
      connectionFault({
        subscribe: (inner, session, options) => inner.subscribe(session, { ...options, args: false }),
      }),
  },
  {
    scenario: "handshake-shape",
    how: "a version in the handshake is a text",
    wires: ["inproc", "rest", "ws"], // over MCP it stands in the capabilities
    fault: () =>
      connectionFault({
        handshake: async (version, inner) =>
          ({ ...(await inner.handshake(version)), canonical_form_version: "1" }) as never,
      }),
  },
  {
    scenario: "kinds-named",
    how: "a kind of event is not named",
    fault: () =>
      connectionFault({
        async handshake(version, inner) {
          const answer = await inner.handshake(version);
          return { ...answer, event_kinds: answer.event_kinds.filter((kind) => kind !== "HookTimeout") };
        },
      }),
  },
  {
    scenario: "features-named",
    how: "plan mode is served and not named",
    fault: () =>
      connectionFault({
        async handshake(version, inner) {
          const answer = await inner.handshake(version);
          return { ...answer, features: answer.features.filter((name) => name !== "plan_mode") };
        },
      }),
  },
  {
    scenario: "handshake-required",
    how: "commands are taken without a handshake",
    wires: ["inproc", "rest"], // a socket asks for one by itself
    fault: () =>
      commandFault(async (command, inner) => {
        await inner.handshake(PROTOCOL_VERSION);
        return await inner.send(command);
      }),
  },
  {
    scenario: "handshake-mismatch",
    how: "any version is taken",
    fault: () => connectionFault({ handshake: (_version, inner) => inner.handshake(PROTOCOL_VERSION) }),
  },
  {
    scenario: "handshake-older-minor",
    how: "only the very same version is taken",
    fault: () =>
      connectionFault({
        async handshake(version, inner) {
          if (version === PROTOCOL_VERSION) return await inner.handshake(version);
          throw new HarnessError("HandshakeVersionMismatch", {
            client_ver: version,
            server_ver: PROTOCOL_VERSION,
            client_or_server: "client",
          });
        },
      }),
  },
  {
    scenario: "turn-completes",
    how: "the prompt is not told to other clients",
    fault: () =>
      eachEvent((event) => {
        if (event.kind !== "TurnStarted") return event;
        const { content: _, ...payload } = event.payload;
        return { ...event, payload };
      }),
  },
  { scenario: "turn-order", how: "a result is told before its call", fault: resultsFirst },
  {
    scenario: "event-ids",
    how: "two events have one id",
    fault: () =>
      eachEvent((event) => (event.kind === "ThinkingDelta" ? { ...event, id: event.id - 1 } : event)),
  },
  {
    scenario: "event-envelope",
    how: "a field of the engine's own gets out",
    fault: () =>
      eachEvent((event) => (event.kind === "TurnEnded" ? withPayload(event, { _slot: 1 }) : event)),
  },
  {
    scenario: "event-envelope",
    how: "the time is a number",
    fault: () => eachEvent((event) => ({ ...event, ts: Date.parse(event.ts) })),
  },
  {
    scenario: "turn-in-progress",
    how: "a second prompt is swallowed",
    fault: () =>
      commandFault(async (command, inner) => {
        try {
          return await inner.send(command);
        } catch (thrown) {
          if (reasonOf(thrown) === "TurnInProgress") return {};
          throw thrown;
        }
      }),
  },
  {
    scenario: "next-input",
    how: "now and then a turn is over before its place is free",
    fault() {
      const prompts = new Map<SessionId, number>();
      return commandFault(async (command, inner) => {
        if (command.kind !== "SendInput") return await inner.send(command);
        const count = (prompts.get(command.sessionId) ?? 0) + 1;
        prompts.set(command.sessionId, count);
        if (count === 9) throw new HarnessError("TurnInProgress", { originator: inner.clientId, ts: "now" });
        return await inner.send(command);
      });
    },
  },
  {
    scenario: "cancel",
    how: "a turn that was cancelled counts as complete",
    fault: () =>
      eachEvent((event) =>
        event.kind === "TurnEnded" && event.payload.reason === "cancelled"
          ? withPayload(event, { reason: "complete" })
          : event,
      ),
  },
  {
    scenario: "cancel",
    how: "nobody is told who cancelled",
    fault: () => eachEvent((event) => (event.kind === "Cancelled" ? undefined : event)),
  },
  { scenario: "cancel-idle", how: "a cancel waits for the next turn", fault: lateCancel },
  {
    scenario: "turn-fails",
    how: "an error of the model is not told",
    fault: () =>
      eachEvent((event) =>
        event.kind === "Error" && event.payload.reason === "ProviderRefused" ? undefined : event,
      ),
  },
  {
    scenario: "round-limit",
    how: "a turn that was stopped counts as complete",
    fault: () =>
      eachEvent((event) =>
        event.kind === "TurnEnded" && event.payload.reason === "turn_limit"
          ? withPayload(event, { reason: "complete" })
          : event,
      ),
  },
  {
    scenario: "cost-told",
    how: "costs are not told",
    fault: () => eachEvent((event) => (event.kind === "CostIncremented" ? undefined : event)),
  },
  {
    scenario: "turn-timing",
    how: "the end of a turn has no times",
    fault: () => eachEvent((event) => (event.kind === "TurnTiming" ? undefined : event)),
  },
  {
    scenario: "turn-files",
    how: "the end of a turn names a file that it did not change",
    fault: () =>
      eachEvent((event) =>
        event.kind === "TurnEnded" ? withPayload(event, { files: ["other.txt"] }) : event,
      ),
  },
  {
    scenario: "thinking-told",
    how: "what a model thinks is not told",
    fault: () => eachEvent((event) => (event.kind === "ThinkingDelta" ? undefined : event)),
  },
  {
    scenario: "thinking-once",
    how: "what a model thinks is told again when its block is whole",
    fault: () =>
      eachEvent((event) => {
        if (event.kind !== "ThinkingDelta") return event;
        const { block } = event.payload;
        return withPayload(event, { block: { ...block, text: `${block.text}${block.text}` } });
      }),
  },
  {
    scenario: "secret-redacted",
    how: "a key gets out",
    fault: () =>
      eachEvent((event) =>
        event.kind === "TextDelta"
          ? withPayload(event, {
              text: event.payload.text.replace(/«[^»]*»/, ["ghp", "a".repeat(36)].join("_")),
            })
          : event,
      ),
  },
  {
    scenario: "permission-asked",
    how: "a question does not say what will run",
    fault: () =>
      eachEvent((event) =>
        event.kind === "PermissionRequested" ? withPayload(event, { summary: "" }) : event,
      ),
  },
  { scenario: "permission-allow", how: "a yes counts as no", fault: () => decided("allow", "deny") },
  { scenario: "permission-deny", how: "a no counts as yes", fault: () => decided("deny", "allow") },
  {
    scenario: "permission-agent",
    how: "every client that answers counts as a person's",
    fault: () => withClass({ sender: "human" }),
  },
  { scenario: "permission-first-wins", how: "the last answer counts", fault: lastWins },
  {
    scenario: "permission-unknown-call",
    how: "an answer to nothing is taken",
    fault: () =>
      commandFault(async (command, inner) => {
        try {
          return await inner.send(command);
        } catch (thrown) {
          if (command.kind === "AnswerPermission" && /no permission is asked/.test(String(thrown))) return {};
          throw thrown;
        }
      }),
  },
  { scenario: "permission-once", how: "what was allowed once is allowed for good", fault: widened },
  {
    scenario: "permission-tool",
    how: "what is allowed for a tool is allowed once",
    fault: () =>
      commandFault((command, inner) =>
        inner.send(
          command.kind === "AnswerPermission" && command.decision === "allow"
            ? { ...command, scope: "once" }
            : command,
        ),
      ),
  },
  {
    scenario: "permission-timeout",
    how: "nobody is told that a question was closed",
    fault: () =>
      eachEvent((event) =>
        event.kind === "Error" && event.payload.reason === "PermissionTimeout" ? undefined : event,
      ),
  },
  {
    scenario: "permission-stays-open",
    how: "a person who is subscribed does not count as there",
    fault: () => withClass({ reader: "agent" }),
  },
  {
    scenario: "permission-why",
    how: "the reason has no text",
    fault: () =>
      eachEvent((event) =>
        event.kind === "PermissionRequested"
          ? withPayload(event, { why: { cause: "level", text: "" } })
          : event,
      ),
  },
  {
    scenario: "permission-words",
    how: "the words of an answer are dropped",
    fault: () =>
      commandFault((command, inner) => {
        if (command.kind !== "AnswerPermission") return inner.send(command);
        const { words: _, ...rest } = command;
        return inner.send(rest);
      }),
  },
  {
    scenario: "permission-hunks",
    how: "hunks of no question are taken for a yes",
    fault: () =>
      commandFault((command, inner) => {
        if (command.kind !== "AnswerPermission") return inner.send(command);
        const { hunks: _, ...rest } = command;
        return inner.send(rest);
      }),
  },
  {
    scenario: "multi-attach",
    how: "a second client misses events",
    wires: [...EVERY, "mcp"],
    fault: () => secondMisses((before, id) => before.some((other) => other !== id)),
  },
  {
    // In the newer era of MCP all that comes with one token is one client.
    scenario: "multi-attach",
    how: "a second stream from now on misses events",
    wires: ["mcp-2026-07-28"],
    fault: () => secondMisses((before, _id, { since }) => before.length > 0 && since === undefined),
  },
  { scenario: "originator", how: "a client gets a new id on its way", fault: newOriginators },
  {
    scenario: "client-named",
    how: "the label of a client is as the client sent it",
    fault: () => eachEvent((event) => namedAs(event, { label: "\u001b[2Jx", identityClass: "human" })),
  },
  {
    scenario: "client-named",
    how: "clients have an id only",
    fault: () => eachEvent((event) => namedAs(event, undefined)),
  },
  { scenario: "disconnect", how: "a turn whose client has gone is cancelled", fault: reaped },
  {
    scenario: "detach",
    how: "to detach is to end the session",
    fault: () =>
      commandFault((command, inner) =>
        inner.send(command.kind === "DetachSession" ? { ...command, kind: "EndSession" } : command),
      ),
  },
  {
    scenario: "end-session",
    how: "a session that a user has ended counts as idle",
    fault: () =>
      eachEvent((event) => (event.kind === "SessionEnded" ? withPayload(event, { reason: "idle" }) : event)),
  },
  { scenario: "reattach-ended", how: "a session that is attached to again is a new one", fault: forgetful },
  {
    scenario: "resume-exact",
    how: "an event is lost on resume",
    fault: () => resumed((event) => (event.kind === "TextDelta" ? [] : [event])),
  },
  {
    scenario: "resume-exact",
    how: "an event is told twice on resume",
    fault: () => resumed((event) => (event.kind === "TextDelta" ? [event, event] : [event])),
  },
  {
    scenario: "resume-live",
    how: "a stream that was resumed ends with the log",
    fault: () =>
      connectionFault({
        subscribe: (inner, session, options) => {
          const events = inner.subscribe(session, options);
          return (options.since ?? 0) > 0 ? upToTurnEnd(events) : events;
        },
      }),
  },
  {
    scenario: "live-is-logged",
    how: "the log tells another time than was told before",
    fault: () =>
      replayFault((event) => [
        event.kind === "TodoChanged" ? { ...event, ts: "2001-01-01T00:00:00.000Z" } : event,
      ]),
  },
  { scenario: "queued-input", how: "what waited is answered with something else", fault: queueMixedUp },
  {
    scenario: "withdrawn-input",
    how: "what was withdrawn runs all the same",
    fault: () =>
      commandFault((command, inner) =>
        command.kind === "WithdrawInput" ? Promise.resolve<Accepted>({}) : inner.send(command),
      ),
  },
  {
    scenario: "unknown-session",
    how: "a session that does not exist is an internal error",
    fault: () =>
      commandFault(async (command, inner) => {
        try {
          return await inner.send(command);
        } catch (thrown) {
          // An agent is not told whether there is such a session.
          const isExpected = ["UnknownSession", "Forbidden"].includes(`${reasonOf(thrown)}`);
          if (command.kind !== "CancelTurn" || !isExpected) throw thrown;
          throw new HarnessError("InternalError", { what: "a map" }, { cause: thrown });
        }
      }),
  },
  {
    scenario: "model-unknown",
    how: "any model is taken",
    fault: () =>
      commandFault(async (command, inner) => {
        if (command.kind !== "SetModel") return await inner.send(command);
        return await inner.send(command).catch(() => ({}));
      }),
  },
  {
    scenario: "unsaved-text",
    how: "unsaved texts are dropped",
    fault: () =>
      commandFault(async (command, inner) => {
        if (command.kind !== "SendInput") return await inner.send(command);
        const content = command.content.filter(({ type }) => type !== "unsaved");
        return await inner.send({ ...command, content });
      }),
  },
  {
    scenario: "shell-run",
    how: "a person's command is told as a call of the model",
    fault: () =>
      eachEvent((event) =>
        event.kind === "ToolCallStarted" ? withPayload(event, { by: undefined, shell: undefined }) : event,
      ),
  },
  {
    scenario: "shell-stop",
    how: "a command that has ended is stopped again",
    fault: () =>
      commandFault(async (command, inner) => {
        if (command.kind !== "StopShell") return await inner.send(command);
        return await inner.send(command).catch(() => ({}));
      }),
  },
  {
    scenario: "shell-agent",
    how: "an agent's command is taken",
    fault: () =>
      commandFault(async (command, inner) => {
        if (command.kind !== "RunShell") return await inner.send(command);
        return await inner.send(command).catch(() => ({ result: {} }));
      }),
  },
  {
    scenario: "input-edited",
    how: "the edited input starts as it was",
    fault: () =>
      eventFault(
        (event) =>
          event.kind === "InputEdited"
            ? [withPayload(event, { ...event.payload, content: [{ type: "text", text: "cue:say before" }] })]
            : [event],
        () => undefined,
      ),
  },
  {
    scenario: "input-moved",
    how: "a move is accepted and changes nothing",
    fault: () =>
      commandFault((command, inner) =>
        inner.send(command.kind === "MoveInput" ? withoutBefore(command) : command),
      ),
  },
  {
    scenario: "level-set",
    how: "any level is taken for the lowest",
    fault: () =>
      commandFault((command, inner) =>
        inner.send(command.kind === "SetLevel" ? { ...command, level: "WorkspaceWrite" } : command),
      ),
  },
  {
    scenario: "agent-unknown",
    how: "any call is taken for one that runs a sub-agent",
    fault: () =>
      commandFault((command, inner) =>
        command.kind === "StopAgent" ? Promise.resolve<Accepted>({}) : inner.send(command),
      ),
  },
  {
    scenario: "profile-unknown",
    how: "a profile that there is not is another one",
    fault: () =>
      commandFault((command, inner) =>
        inner.send(command.kind === "CreateSession" ? { ...command, profile: "conformance" } : command),
      ),
  },
];

function withoutBefore({ before: _, ...command }: CommandOf<"MoveInput">): CommandOf<"MoveInput"> {
  return command;
}

/** Tells a result in the place of its call, the same way to whoever reads it and when. */
function resultsFirst() {
  const calls = new Map<string, EnvelopeOf<"ToolCallStarted">>();
  return eventFault<Envelope[]>(
    (event, held) => {
      if (event.kind === "ToolCallStarted" && event.payload.tool === "TodoWrite") {
        calls.set(event.payload.callId, event);
        held.push(event);
        return [];
      }
      const call = event.kind === "ToolResult" ? calls.get(event.payload.callId) : undefined;
      if (call === undefined) {
        if (held.length === 0) return [event];
        held.push(event);
        return [];
      }
      const [first, ...between] = held.splice(0);
      const late = { ...call, id: event.id };
      return first === undefined ? [late] : [{ ...event, id: first.id }, ...between, late];
    },
    () => [],
  );
}

function lateCancel() {
  const [prompted, cancelled] = [new Set<string>(), new Set<string>()];
  const sends = commandFault(async (command, inner) => {
    if (command.kind === "SendInput") prompted.add(command.sessionId);
    if (command.kind === "CancelTurn" && !prompted.has(command.sessionId)) cancelled.add(command.sessionId);
    return await inner.send(command);
  });
  const tells = eachEvent((event) =>
    event.kind === "TurnEnded" && cancelled.has(event.session)
      ? withPayload(event, { reason: "cancelled" })
      : event,
  );
  return { engine: (port: EnginePort) => tells.engine?.(sends.engine?.(port) ?? port) ?? port };
}

/** An answer without a scope, taken for its contrary. */
function decided(from: "allow" | "deny", to: "allow" | "deny") {
  return commandFault((command, inner) => {
    const isMeant =
      command.kind === "AnswerPermission" && command.decision === from && command.scope === undefined;
    return inner.send(isMeant ? { ...command, decision: to } : command);
  });
}

/** A no for a tool waits for whatever is said next, which counts instead. */
function lastWins() {
  const held = new Set<string>();
  return commandFault(async (command, inner) => {
    if (command.kind !== "AnswerPermission" || held.has(command.callId)) return await inner.send(command);
    if (command.decision !== "deny" || command.scope !== "tool") return await inner.send(command);
    held.add(command.callId);
    return {};
  });
}

function widened() {
  const allowed = new Set<string>();
  return commandFault(async (command, inner) => {
    if (command.kind !== "AnswerPermission" || inner.identityClass !== "human")
      return await inner.send(command);
    const isAgain = allowed.has(command.sessionId);
    if (command.decision === "allow" && command.scope === "once") allowed.add(command.sessionId);
    return await inner.send(isAgain ? { ...command, decision: "allow" } : command);
  });
}

/** Sends all events only to the first of several subscribers. */
function secondMisses(
  isSecond: (before: readonly ClientId[], id: ClientId, options: SubscribeOptions) => boolean,
): Fault {
  const readers = new Map<string, ClientId[]>();
  return connectionFault({
    subscribe(inner, session, options) {
      const events = inner.subscribe(session, options);
      const before = readers.get(session) ?? [];
      readers.set(session, [...before, inner.clientId]);
      const left = () => {
        const [...now] = readers.get(session) ?? [];
        now.splice(now.indexOf(inner.clientId), 1);
        readers.set(session, now);
      };
      return missing(events, isSecond(before, inner.clientId, options), left);
    },
  });
}

async function* missing(
  events: AsyncIterable<Envelope>,
  isSecond: boolean,
  left: () => void,
): AsyncGenerator<Envelope> {
  try {
    for await (const event of events) if (!isSecond || event.kind !== "CostIncremented") yield event;
  } finally {
    left();
  }
}

/** From its third turn on nobody in a session is who they were. */
function newOriginators() {
  const turns = new Map<string, number>();
  return eachEvent((event) => {
    if (event.kind === "TurnStarted") turns.set(event.session, event.payload.turn);
    const isLate = (turns.get(event.session) ?? 0) >= 3 && event.originator !== undefined;
    return isLate ? { ...event, originator: "cli_0000000000000000000000000A" as ClientId } : event;
  });
}

/** Cancels a turn for every other client that reads it from its beginning. */
function reaped() {
  const running = new Map<string, ClientId>();
  return connectionFault({
    async send(command, inner) {
      const accepted = await inner.send(command);
      if (command.kind === "SendInput") running.set(command.sessionId, inner.clientId);
      return accepted;
    },
    subscribe(inner, session, options) {
      const events = inner.subscribe(session, options);
      const by = running.get(session);
      const isReaped = options.since === 0 && by !== undefined && by !== inner.clientId;
      return watched(
        events,
        async () => {
          if (isReaped) await inner.send({ kind: "CancelTurn", sessionId: session });
        },
        () => running.delete(session),
      );
    },
  });
}

async function* watched(
  events: AsyncIterable<Envelope>,
  begin: () => Promise<void>,
  ended: () => void,
): AsyncGenerator<Envelope> {
  await begin();
  for await (const event of events) {
    if (event.kind === "TurnEnded") ended();
    yield event;
  }
}

function forgetful() {
  const ended = new Set<string>();
  return commandFault(async (command, inner) => {
    if (command.kind === "EndSession") ended.add(command.sessionId);
    if (command.kind !== "AttachSession" || !ended.has(command.sessionId)) return await inner.send(command);
    return await inner.send({ kind: "CreateSession", profile: "conformance" });
  });
}

/** Does something to the first answer that a resumed stream replays. */
function resumed(change: (event: Envelope) => readonly Envelope[]) {
  return replayFault((event, state, { since = 0 }) => {
    if (since === 0 || state.isDone) return [event];
    if (event.kind === "TextDelta") state.isDone = true;
    return change(event);
  });
}

async function* upToTurnEnd(events: AsyncIterable<Envelope>): AsyncGenerator<Envelope> {
  for await (const event of events) {
    yield event;
    if (event.kind === "TurnEnded") return;
  }
}

function queueMixedUp() {
  const waited = new Set<string>();
  return eachEvent((event) => {
    if (event.kind === "TurnStarted" && event.payload.inputId !== undefined) waited.add(event.session);
    return event.kind === "TextDelta" && waited.has(event.session)
      ? withPayload(event, { text: "first" })
      : event;
  });
}

/** An engine to which whoever sends commands, or whoever subscribes, is of a class of its own. */
function withClass(as: { readonly sender?: IdentityClass; readonly reader?: IdentityClass }): Fault {
  return {
    engine: (port) => ({
      ...port,
      attach(request) {
        const sender = port.attach({ ...request, ...defined({ identityClass: as.sender }) });
        const reader = port.attach({ ...request, ...defined({ identityClass: as.reader }) });
        return {
          clientId: sender.clientId,
          identityClass: sender.identityClass,
          async handshake(version) {
            await reader.handshake(version);
            return await sender.handshake(version);
          },
          send: (command) => sender.send(command),
          attach: (session, file) => sender.attach(session, file),
          holdUpload: () => sender.holdUpload(),
          query: (query, signal) => sender.query(query, signal),
          subscribe: (session, options) => reader.subscribe(session, options),
          news: (options) => reader.news(options),
          newsInBatches: (options) => reader.newsInBatches(options),
          over() {
            return this;
          },
          async [Symbol.asyncDispose]() {
            await reader[Symbol.asyncDispose]();
            await sender[Symbol.asyncDispose]();
          },
        };
      },
    }),
  };
}

/** An event with another name of the client that started its turn. */
function namedAs(event: Envelope, who: PayloadOf<"TurnStarted">["who"]): unknown {
  return event.kind === "TurnStarted" ? withPayload(event, { who }) : event;
}
