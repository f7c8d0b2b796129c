import { defined } from "../../base/defined.ts";
import { HarnessError } from "../../base/errors.ts";
import type { EventSeq, TokenId } from "../../base/ids.ts";
import type { WebSocketAnswer, World } from "../../base/world.ts";
import type { Authority } from "../../session/access/authority.ts";
import type { EnginePort } from "../../session/engine-port.ts";
import { tokenOf } from "../http/gate.ts";
import type { HttpRoute, RouteRequest } from "../http/route.ts";
import { assertHappened, eventSeqIn, sessionIdIn } from "../hub/follow-request.ts";
import { sessionInfo } from "../hub/queries/session-info.ts";
import type { SocketDependencies } from "./socket.ts";
import { ClientSocket } from "./socket.ts";
import { SocketClients } from "./ws-clients.ts";

export const SUBPROTOCOL = "cinch.v1";
export const SOCKETS_PER_TOKEN_MAX = 4_096;
/** Time that a shutdown waits for sockets that still have something to send. */
export const SOCKETS_DRAIN_MS_MAX = 3_000;

export interface WebSocketsDependencies {
  readonly engine: EnginePort;
  readonly authority: Authority;
  readonly world: Pick<World, "clock" | "log" | "random">;
}

/**
 * The WebSockets of one engine. Disposing it refuses new ones. Open ones send the events of their session up to its
 * end, for at most `SOCKETS_DRAIN_MS_MAX`, then all are closed. Dispose it after the engine's sessions have ended,
 * and before the listener is closed.
 */
export interface WebSockets extends AsyncDisposable {
  readonly routes: readonly HttpRoute[];
  /** Number of open sockets. */
  readonly open: number;
}

/** Opens the transport `GET /v1/ws?session=ID&lastEventId=N` (CTL-07, AUTH-06). */
export function openWebSockets(parts: WebSocketsDependencies): WebSockets {
  const { engine, authority, world } = parts;
  const clients = new SocketClients(engine, world.clock);
  const { engineId } = engine;
  const open = new Map<ClientSocket, TokenId>();
  let onEmpty: (() => void) | undefined;
  let isClosing = false;

  async function upgrade(call: RouteRequest): Promise<WebSocketAnswer> {
    const { request, query, grant, wire } = call;
    if (grant === undefined) throw new HarnessError("TokenMissing", {});
    const protocol = protocolOf(request.headers);
    const followed = await followedBy(query, engine, grant, call.signal);
    const count = [...open.values()].filter((jti) => jti === grant.jti).length;
    if (count >= SOCKETS_PER_TOKEN_MAX) throw new HarnessError("TooManyClients", { count: `${count}` });
    if (isClosing) throw new HarnessError("EngineStopping", {});
    const token = tokenOf(request.headers, "subprotocol");
    return {
      ...defined({ protocol }),
      webSocket(socket) {
        const made: ClientSocket = new ClientSocket(
          {
            world,
            authority,
            clients,
            engine: engineId,
            grant,
            token,
            wire,
            ...followed,
            onLeft() {
              open.delete(made);
              if (open.size === 0) onEmpty?.();
            },
          },
          socket,
        );
        open.set(made, grant.jti);
        return made;
      },
    };
  }

  return {
    routes: [{ method: "GET", path: "/v1/ws", access: "token", carrier: "subprotocol", handle: upgrade }],
    get open() {
      return open.size;
    },
    async [Symbol.asyncDispose]() {
      isClosing = true;
      for (const socket of [...open.keys()]) socket.leave();
      if (open.size > 0) {
        const { promise, resolve } = Promise.withResolvers<void>();
        onEmpty = resolve;
        using _limit = world.clock.timer(SOCKETS_DRAIN_MS_MAX, resolve);
        await promise;
      }
      for (const socket of [...open.keys()]) socket.abandon();
      await clients[Symbol.asyncDispose]();
    },
  };
}

/** Returns the protocol to agree upon: one that merely carries a token is never sent back. */
function protocolOf(headers: Headers): string | undefined {
  const header = headers.get("sec-websocket-protocol");
  if (header === null) return undefined;
  if (header.split(",").some((each) => each.trim() === SUBPROTOCOL)) return SUBPROTOCOL;
  const why = `offer ${SUBPROTOCOL}, and the token as cinch.token.TOKEN beside it`;
  throw new HarnessError("InvalidHeader", { header: "Sec-WebSocket-Protocol", why });
}

type FollowedSession = Pick<SocketDependencies, "session" | "since" | "args">;

/** @throws HarnessError InvalidPath, InvalidSessionID, Forbidden, UnknownSession. */
async function followedBy(
  query: URLSearchParams,
  engine: EnginePort,
  grant: NonNullable<RouteRequest["grant"]>,
  signal: AbortSignal,
): Promise<FollowedSession> {
  const [id, last] = [single(query, "session"), single(query, "lastEventId")];
  const args = argsOf(query);
  if (id === undefined) {
    const lone = last !== undefined ? "lastEventId" : args !== undefined ? "args" : undefined;
    if (lone === undefined) return {};
    throw new HarnessError("InvalidPath", { why: `${lone}: it counts only with session` });
  }
  const wanted = sessionIdIn(id);
  const lastSeen = last === undefined ? undefined : eventSeq(last);
  const info = await sessionInfo(engine, wanted, { ...grant, signal });
  assertHappened(lastSeen, info, "lastEventId");
  const { session, events, live, asked_since: asked } = info;
  // Sent with the handshake: a client whose socket breaks before its first event knows where to resume. Open questions
  // are seen by every new client, however long ago they were asked.
  const since = lastSeen ?? (live && session === wanted ? (asked ?? events) : undefined);
  return { session: wanted, ...defined({ since, args }) };
}

/** @throws HarnessError InvalidPath for anything but true or false. */
function argsOf(query: URLSearchParams): boolean | undefined {
  const word = single(query, "args");
  if (word === undefined) return undefined;
  if (word !== "true" && word !== "false")
    throw new HarnessError("InvalidPath", { why: "args: it takes true or false" });
  return word === "true";
}

function single(query: URLSearchParams, name: string): string | undefined {
  const [value, second] = query.getAll(name);
  if (second !== undefined) throw new HarnessError("InvalidPath", { why: `${name} is there twice` });
  return value;
}

function eventSeq(text: string): EventSeq {
  const seq = eventSeqIn(text);
  if (seq !== undefined) return seq;
  throw new HarnessError("InvalidPath", { why: "lastEventId: it takes the id of an event, a whole number" });
}
