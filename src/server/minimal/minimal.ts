import * as z from "zod";
import { HarnessError } from "../../base/errors.ts";
import type { SessionId } from "../../base/ids.ts";
import { isObject, stringAt } from "../../base/json.ts";
import type { World } from "../../base/world.ts";
import type { Connection } from "../../protocol/connection.ts";
import { PROTOCOL_VERSION } from "../../protocol/version.ts";
import type { EnginePort } from "../../session/engine-port.ts";
import { jsonAnswer } from "../http/answers.ts";
import type { HttpRoute, RouteRequest } from "../http/route.ts";
import { eventStream, sseFrame } from "../http/sse.ts";
import { sessionInfo } from "../hub/queries/session-info.ts";
import { MinimalProjection } from "./projection.ts";

export const MINIMAL_HEARTBEAT_MS = 30_000;

export interface MinimalDependencies {
  readonly world: Pick<World, "clock">;
  readonly engine: Pick<EnginePort, "query">;
  /** Returns the one session that it serves. */
  readonly session: () => SessionId;
}

/**
 * Returns the routes of the minimal server ([B] § HTTP Server, LIB-06): one session, its events as a few plain kinds, a
 * prompt, a cancel. It is a view of the same engine on the same listener, with the same tokens; REST has all the rest.
 */
export function minimalRoutes({ world, engine, session }: MinimalDependencies): readonly HttpRoute[] {
  return [
    {
      method: "GET",
      path: "/events",
      access: "token",
      doc: {
        summary:
          "What happens in the session from now on: user, text, reasoning, tool_call, tool_result and status, as JSON with a " +
          "timestamp in Unix seconds. Each text is one block.",
        query: {
          deltas: {
            about: "`true`: text and reasoning in pieces, as they come.",
            schema: z.enum(["true", "false"]),
          },
        },
        answers: { 200: { about: "The events", schema: z.unknown(), type: "text/event-stream" } },
        refusals: ["Forbidden", "InvalidPath"],
      },
      async handle(call) {
        const connection = await shaken(call);
        // A stream that has started could be refused only within it.
        if (call.grant !== undefined)
          await sessionInfo(engine, session(), { ...call.grant, signal: call.signal });
        const projection = new MinimalProjection({ deltas: isTrue(call) });
        return call.stream((signal) =>
          eventStream(connection.subscribe(session(), { signal }), {
            clock: world.clock,
            signal,
            hello: ": connected\n\n",
            heartbeat: ": heartbeat\n\n",
            heartbeatMs: MINIMAL_HEARTBEAT_MS,
            frame(event) {
              const frames = projection.of(event);
              return frames.length === 0 ? undefined : frames.map((each) => sseFrame(each)).join("");
            },
          }),
        );
      },
    },
    {
      method: "POST",
      path: "/prompt",
      access: "token",
      doc: {
        summary: "Sends a prompt.",
        body: z.object({ content: z.string().min(1) }),
        answers: { 202: { about: "The turn has begun", schema: z.object({ status: z.string() }) } },
        refusals: ["InvalidBody", "TurnInProgress", "Forbidden"],
      },
      async handle(call) {
        const body = await call.json();
        const text = isObject(body) ? stringAt(body, "content") : undefined;
        if (text === undefined || text.trim() === "")
          throw new HarnessError("InvalidBody", { why: "content: it has to be a text, and not empty" });
        const connection = await shaken(call);
        await connection.send({
          kind: "SendInput",
          sessionId: session(),
          content: [{ type: "text", text }],
        });
        return jsonAnswer(202, { status: "accepted" });
      },
    },
    {
      method: "POST",
      path: "/cancel",
      access: "token",
      doc: {
        summary: "Stops the turn that runs.",
        answers: { 202: { about: "It stops", schema: z.object({ status: z.string() }) } },
        refusals: ["Forbidden"],
      },
      async handle(call) {
        await (await shaken(call)).send({ kind: "CancelTurn", sessionId: session() });
        return jsonAnswer(202, { status: "cancelled" });
      },
    },
  ];
}

/** @throws HarnessError InvalidPath. */
function isTrue({ query }: RouteRequest): boolean {
  const values = query.getAll("deltas");
  const [value = "false"] = values;
  if (values.length > 1 || (value !== "true" && value !== "false"))
    throw new HarnessError("InvalidPath", { why: "deltas: it is true or false, once" });
  return value === "true";
}

/** Its clients know of no handshake: they speak this version of the protocol. */
async function shaken(call: RouteRequest): Promise<Connection> {
  const connection = await call.connection();
  await connection.handshake(PROTOCOL_VERSION);
  return connection;
}
