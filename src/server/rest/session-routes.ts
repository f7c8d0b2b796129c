import * as z from "zod";
import { defined } from "../../base/defined.ts";
import { HarnessError } from "../../base/errors.ts";
import type { Reason } from "../../base/reasons.ts";
import type { Command, CommandKind, SessionCommandKind } from "../../protocol/commands/commands.ts";
import {
  Accepted,
  Answer,
  AnswerPermission,
  Command as CommandSchema,
  CreateSession,
  EnterPlanMode,
  SendInput,
  SetModel,
} from "../../protocol/commands/commands.ts";
import {
  ArchiveSession,
  MarkRead,
  RenameSession,
  SetDraft,
} from "../../protocol/commands/session-commands.ts";
import { RunShell, StopShell } from "../../protocol/commands/shell-commands.ts";
import type { Envelope } from "../../protocol/events/envelope.ts";
import { SessionIdSchema } from "../../protocol/ids.ts";
import { readCommand } from "../../protocol/read.ts";
import { TurnAnswer } from "../../protocol/resources.ts";
import { followTurn } from "../../view/follow-turn.ts";
import { turnAnswer } from "../../view/turn-result.ts";
import { jsonAnswer } from "../http/answers.ts";
import type { HttpRoute, RouteDoc, RouteRequest } from "../http/route.ts";
import { objectOf, readWord, sessionOf } from "./parameters.ts";

/** Routes of the commands of a session, each at its own address, and any of them at one (CTL-06). */
export function sessionRoutes(): readonly HttpRoute[] {
  return [
    createRoute(),
    inputRoute(),
    commandRoute("cancel", "CancelTurn", { summary: "Stops the turn that runs." }),
    commandRoute("permission", "AnswerPermission", {
      summary:
        "Answers a PermissionRequested event. The first answer counts, which `result.counted` tells; only people's do.",
      body: AnswerPermission.omit({ kind: true, sessionId: true }),
    }),
    commandRoute("answer", "Answer", {
      summary: "Answers an Asked event, with null where nobody will. Only people's answers count.",
      body: Answer.omit({ kind: true, sessionId: true }),
    }),
    commandRoute("model", "SetModel", {
      summary: "Switches to another model.",
      body: SetModel.omit({ kind: true, sessionId: true }),
    }),
    commandRoute("shell", "RunShell", {
      summary:
        "Runs a command of a person, under the permission gate and in the sandbox. `result.callId` names its events.",
      body: RunShell.omit({ kind: true, sessionId: true }),
      refusals: ["ShellQueueFull"],
    }),
    commandRoute("shell/stop", "StopShell", {
      summary: "Stops a command of a person that runs or waits.",
      body: StopShell.omit({ kind: true, sessionId: true }),
    }),
    planModeRoute(),
    ...noteRoutes(),
    anyCommandRoute(),
    endRoute(),
  ];
}

/** Routes of what people keep beside a session, whether it runs or not. */
function noteRoutes(): readonly HttpRoute[] {
  return [
    commandRoute("rename", "RenameSession", {
      summary: "Gives a session a title; an empty one is the one made from its first prompt.",
      body: RenameSession.omit({ kind: true, sessionId: true }),
    }),
    commandRoute("archive", "ArchiveSession", {
      summary: "Leaves a session out of lists, or shows it there again.",
      body: ArchiveSession.omit({ kind: true, sessionId: true }),
    }),
    commandRoute("read", "MarkRead", {
      summary: "Marks what a reader has read.",
      body: MarkRead.omit({ kind: true, sessionId: true }),
    }),
    commandRoute("draft", "SetDraft", {
      summary: "Keeps the unsent text of a reader; an empty one is removed.",
      body: SetDraft.omit({ kind: true, sessionId: true }),
      refusals: ["DraftsFull"],
    }),
    commandRoute("delete", "DeleteSession", {
      summary: "Deletes a session that does not run, with everything that is kept of it.",
      refusals: ["LogHeld", "SessionPinned"],
    }),
  ];
}

function createRoute(): HttpRoute {
  return {
    method: "POST",
    path: "/v1/sessions",
    access: "token",
    doc: {
      summary: "Begins a session, or continues the log of one that has ended.",
      body: CreateSession.omit({ kind: true }),
      answers: { 201: { about: "The session's id", schema: Accepted } },
      refusals: [
        ...COMMAND_REFUSALS,
        "InvalidPath",
        "ProfileMissing",
        "UnknownModel",
        "SessionMissing",
        "LogHeld",
      ],
    },
    async handle(call) {
      const accepted = await sendCommand(call, await commandFrom(call, "CreateSession"));
      return jsonAnswer(201, accepted, { location: `/v1/sessions/${accepted.sessionId ?? ""}` });
    },
  };
}

function inputRoute(): HttpRoute {
  return {
    method: "POST",
    path: "/v1/sessions/{id}/input",
    access: "token",
    doc: sessionDoc("Sends input to the model, which begins a turn.", {
      body: SendInput.omit({ kind: true, sessionId: true }),
      query: {
        wait: {
          about:
            "`turn`: answer when the turn has ended. Leaving before that stops the waiting, not the turn.",
          schema: z.literal("turn"),
        },
        events: {
          about: "With `wait=turn`: whether the answer holds every event of the turn.",
          schema: z.enum(["true", "false"]),
        },
      },
      answers: {
        200: { about: "With `wait=turn`: how the turn ended", schema: TurnAnswer },
        202: { about: "It was accepted", schema: Accepted },
      },
      refusals: ["TurnInProgress", "InputQueueFull", "PromptRefused"],
    }),
    handle: input,
  };
}

function planModeRoute(): HttpRoute {
  return {
    method: "POST",
    path: "/v1/sessions/{id}/plan-mode",
    access: "token",
    doc: sessionDoc("Enters plan mode, or leaves it.", {
      body: z.object({
        /** Absent: true. */
        enter: z.boolean().optional(),
        /** On leaving: true if the plan was approved. */
        approve: z.boolean().optional(),
      }),
      answers: { 200: { about: "It was done", schema: Accepted } },
    }),
    async handle(call) {
      const { enter = true, ...body } = await objectOf(call);
      const kind: CommandKind = enter === true ? EnterPlanMode.shape.kind.value : "ExitPlanMode";
      return jsonAnswer(200, await sendCommand(call, read({ ...body, kind, sessionId: sessionOf(call) })));
    },
  };
}

function anyCommandRoute(): HttpRoute {
  return {
    method: "POST",
    path: "/v1/sessions/{id}/command",
    access: "token",
    doc: sessionDoc("Carries out any command of the session. Its sessionId may be left out.", {
      body: CommandSchema,
      answers: { 200: { about: "It was accepted", schema: Accepted } },
    }),
    async handle(call) {
      const body = await objectOf(call);
      const sessionId = sessionOf(call);
      if ((body["sessionId"] ?? sessionId) !== sessionId)
        throw new HarnessError("InvalidBody", { why: "sessionId: it is not the one in the address" });
      if (body["kind"] === "CreateSession")
        throw new HarnessError("InvalidBody", { why: "kind: a session is created by POST /v1/sessions" });
      if (body["kind"] === "StoreProviderKey")
        throw new HarnessError("InvalidBody", {
          why: "kind: a key is stored by POST /v1/providers/{provider}/key",
        });
      // As on transports with no other way: an unknown command is refused as one, by its name.
      return jsonAnswer(200, await sendCommand(call, readCommand({ ...innerOf(body), sessionId })));
    },
  };
}

function endRoute(): HttpRoute {
  return {
    method: "DELETE",
    path: "/v1/sessions/{id}",
    access: "token",
    doc: sessionDoc("Ends a session that runs. Its log stays.", {
      answers: { 200: { about: "It has ended", schema: Accepted } },
    }),
    handle: async (call) =>
      jsonAnswer(200, await sendCommand(call, { kind: "EndSession", sessionId: sessionOf(call) })),
  };
}

const COMMAND_REFUSALS: readonly Reason[] = [
  "InvalidBody",
  "InvalidCommand",
  "HandshakeRequired",
  "Forbidden",
  "UnknownSession",
];

function sessionDoc(
  summary: string,
  doc: Omit<RouteDoc, "summary" | "params">,
): RouteDoc & { readonly summary: string } {
  const refusals: readonly Reason[] = ["InvalidSessionID", ...COMMAND_REFUSALS, ...(doc.refusals ?? [])];
  return { ...doc, summary, params: { id: SessionIdSchema }, refusals };
}

interface CommandRouteDoc {
  readonly summary: string;
  readonly body?: z.ZodType;
  readonly refusals?: readonly Reason[];
}

/** Returns a route for one command whose fields are the body. */
function commandRoute(
  name: string,
  kind: SessionCommandKind,
  { summary, body, refusals }: CommandRouteDoc,
): HttpRoute {
  return {
    method: "POST",
    path: `/v1/sessions/{id}/${name}`,
    access: "token",
    doc: sessionDoc(summary, {
      ...defined({ body, refusals }),
      answers: { 200: { about: "It was done", schema: Accepted } },
    }),
    async handle(call) {
      const command =
        body === undefined ? read({ kind, sessionId: sessionOf(call) }) : await commandFrom(call, kind);
      return jsonAnswer(200, await sendCommand(call, command));
    },
  };
}

async function input(call: RouteRequest): Promise<Response> {
  const wait = readWord(call, "wait", ["turn"]);
  const withEvents = readWord(call, "events", ["true", "false"]) === "true";
  const sessionId = sessionOf(call);
  const command = await commandFrom(call, "SendInput");
  if (wait === undefined) return jsonAnswer(202, await sendCommand(call, command));
  const connection = await call.connection();
  const leave = new AbortController();
  const stop = () => leave.abort(call.signal.reason);
  if (call.signal.aborted) stop();
  call.signal.addEventListener("abort", stop, { once: true });
  call.exchange.keepOpen();
  try {
    // Before it is sent: else a turn could end before anybody reads.
    const events = connection.subscribe(sessionId, { signal: leave.signal });
    const { inputId } = await connection.send(command);
    const by = connection.clientId;
    const turnEvents: Envelope[] = [];
    const keep = withEvents ? (event: Envelope) => void turnEvents.push(event) : undefined;
    const answer = turnAnswer(await followTurn(events, { by, inputId }, keep));
    return jsonAnswer(200, withEvents ? { ...answer, events: turnEvents } : answer);
  } finally {
    call.signal.removeEventListener("abort", stop);
    leave.abort(new Error("nobody waits for the turn any more"));
  }
}

async function sendCommand(call: RouteRequest, command: Command): Promise<Accepted> {
  return await (await call.connection()).send(command);
}

async function commandFrom(call: RouteRequest, kind: SessionCommandKind | "CreateSession"): Promise<Command> {
  const sessionId = kind === "CreateSession" ? {} : { sessionId: sessionOf(call) };
  return read({ ...(await objectOf(call)), kind, ...sessionId });
}

/** Reads a command from a body: an invalid command is an invalid body. */
function read(value: Readonly<Record<string, unknown>>): Command {
  try {
    return readCommand(value);
  } catch (thrown) {
    if (!(thrown instanceof HarnessError) || thrown.reason !== "InvalidCommand") throw thrown;
    const why: unknown = Reflect.get(thrown.fields, "why");
    throw new HarnessError("InvalidBody", { why: String(why) }, { cause: thrown });
  }
}

/** Returns the fields of a command that is written as `{kind, body}`. */
function innerOf(command: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const { kind, body } = command;
  const isInner = typeof body === "object" && body !== null && !("sessionId" in command);
  return isInner ? { ...body, kind } : command;
}
