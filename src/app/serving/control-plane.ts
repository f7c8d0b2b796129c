import { join } from "node:path";
import { version } from "../../../package.json";
import { deadline, whileAlive } from "../../base/async/deadline.ts";
import { defined } from "../../base/defined.ts";
import type { SessionId } from "../../base/ids.ts";
import type { World } from "../../base/world.ts";
import type { CodeChannel } from "../../server/auth/code-channel.ts";
import { openAuthority } from "../../server/auth/open-authority.ts";
import type { TokenFile } from "../../server/auth/tokens/token-file.ts";
import type { HttpRoute } from "../../server/http/route.ts";
import type { HttpServer, HttpTarget } from "../../server/http/server.ts";
import { serveHttp } from "../../server/http/server.ts";
import { mcpRoutes } from "../../server/mcp/http/routes.ts";
import { minimalRoutes } from "../../server/minimal/minimal.ts";
import { restRoutes } from "../../server/rest/rest.ts";
import { openWebSockets } from "../../server/ws/web-sockets.ts";
import type { Authority } from "../../session/access/authority.ts";
import type { EnginePort } from "../../session/engine-port.ts";
import { bootStep } from "../engine/boot.ts";
import type { HarnessOptions } from "../engine/options.ts";
import type { OpenEngine, OpenHarness } from "../harness.ts";
import { peopleChannel } from "./people-channel.ts";

/** Time that a shutdown waits for the sessions to end: a tool that ignores its cancel has been abandoned by then. */
export const SESSIONS_END_MS_MAX = 5_000;

/** Features that these transports add to the handshake. `ws` is the name in [A]; `sse` and `websocket` are our own. */
export const HTTP_FEATURES = ["rest", "sse", "ws", "websocket", "mcpserver_http"] as const;

export interface ControlDependencies {
  readonly world: Pick<World, "clock" | "listen" | "log" | "random">;
  readonly engine: EnginePort;
  readonly authority: Authority;
  readonly targets: readonly HttpTarget[];
  /** Origins whose pages may talk to the engine; absent: none. */
  readonly origins?: readonly string[];
  /** The session of the minimal server; absent: there is none. */
  readonly minimal?: () => SessionId;
  /** Routes of further transports. */
  readonly others?: readonly HttpRoute[];
}

/** The transports of one engine. */
export interface ControlServer extends HttpServer {
  /** Number of open WebSockets, streams and requests. */
  readonly open: number;
}

/**
 * Opens every HTTP transport on every target: REST with server-sent events, WebSockets, the minimal server, and the
 * given ones.
 */
export async function serveControl(parts: ControlDependencies): Promise<ControlServer> {
  const { world, engine, authority, minimal, others = [] } = parts;
  await using undo = new AsyncDisposableStack();
  const sockets = openWebSockets({ engine, authority, world });
  const mcp = mcpRoutes({ engine, authority, world, version });
  const more = [
    ...sockets.routes,
    ...mcp.routes,
    ...(minimal === undefined ? [] : minimalRoutes({ world, engine, session: minimal })),
    ...others,
  ];
  const server = undo.use(
    await serveHttp({ ...parts, routes: restRoutes({ engine, authority, world, others: more }) }),
  );
  // They send their remaining events before the listener is closed: side by side, so that none waits for another's
  // slow reader.
  undo.defer(async () => {
    const endings = [mcp[Symbol.asyncDispose](), sockets[Symbol.asyncDispose](), server.drain()];
    const failed = (await Promise.allSettled(endings)).find(({ status }) => status === "rejected");
    if (failed?.status === "rejected") throw failed.reason;
  });
  const opened = undo.move();
  return {
    addresses: server.addresses,
    quiesce: server.quiesce,
    drain: server.drain,
    get live() {
      return server.live;
    },
    get count() {
      return server.count;
    },
    get open() {
      return sockets.open + server.live;
    },
    [Symbol.asyncDispose]: () => opened[Symbol.asyncDispose](),
  };
}

export interface ControlPlaneOptions extends HarnessOptions {
  /** Absent: `control.sock` in the data directory alone. */
  readonly targets?: readonly HttpTarget[];
  /**
   * Returns the ways to show a code to a person, the best first, given that to attached people, or undefined without
   * one. Absent: only that one.
   */
  readonly codeChannels?: (attached: CodeChannel | undefined) => readonly CodeChannel[];
  readonly tokenFiles?: readonly TokenFile[];
  /** Returns false while something else that clients need is being opened: its health is `starting`. Absent: true. */
  readonly isReady?: () => boolean;
}

/** An engine with its tokens and its transports. */
export interface OpenControlPlane<Engine extends OpenEngine = OpenHarness> extends AsyncDisposable {
  readonly harness: Engine;
  readonly authority: Authority;
  readonly addresses: readonly string[];
  readonly server: Pick<ControlServer, "open" | "count">;
  /**
   * Refuses new requests, then ends the sessions. It waits for them for `SESSIONS_END_MS_MAX` at most. Disposing the
   * plane does the same first.
   */
  endSessions(): Promise<void>;
}

/** Starts the engine: with a first session, or without one. */
export type StartEngine<Engine extends OpenEngine> = (
  options: HarnessOptions,
  signal: AbortSignal,
) => Promise<Engine & { readonly session?: SessionId }>;

/**
 * Starts an engine that others can attach to.
 *
 * Disposing it refuses new requests, then ends the sessions, so that every stream gets its SessionEnded. Then it
 * closes the transports, at the latest after `SESSIONS_END_MS_MAX` and their own limit. A session that has not ended
 * by then is logged, and blocks nothing else.
 * @throws as `openHarness`, `openAuthority` and the listener do; a failure undoes all of it.
 */
export async function openControlPlane<Engine extends OpenEngine>(
  options: ControlPlaneOptions,
  begin: StartEngine<Engine>,
  signal: AbortSignal,
): Promise<OpenControlPlane<Engine>> {
  const { world, paths, codeChannels = listOf, tokenFiles = [], isReady = () => true } = options;
  await using undo = new AsyncDisposableStack();
  let engine: Engine | undefined; // it begins only once tokens can be made
  const authority = undo.use(
    await bootStep(world.log, "opening the tokens", () =>
      openAuthority({
        world,
        stateDirectory: paths.state,
        channels: () => codeChannels(engine?.people.isAnybody ? peopleChannel(engine.people) : undefined),
        files: tokenFiles,
      }),
    ),
  );
  let addresses: readonly string[] = [];
  const harness = await begin({ ...options, listeners: () => addresses }, signal);
  engine = harness;
  const { session } = harness;
  const ending = undo.use(new AsyncDisposableStack());
  ending.use(harness);
  const server = await bootStep(world.log, "starting the control plane", async () =>
    serveControl({
      world,
      engine: startingUntil(isReady, await harness.port(HTTP_FEATURES)),
      authority,
      targets: options.targets ?? [{ kind: "unix", path: join(paths.data, "control.sock") }],
      ...defined({ origins: options.origins }),
      ...(session === undefined ? {} : { minimal: () => session }),
    }),
  );
  addresses = server.addresses;
  // In this order: ending the sessions comes between the two halves of closing the transports.
  ending.defer(() => server.quiesce());
  undo.use(server);
  const opened = undo.move();
  const endSessions = async () => {
    using limit = deadline(world.clock, SESSIONS_END_MS_MAX, new AbortController().signal);
    try {
      await whileAlive(ending.disposeAsync(), limit.signal);
    } catch (thrown) {
      if (!limit.reached) throw thrown;
      const seconds = SESSIONS_END_MS_MAX / 1_000;
      world.log.for("control").write("error", "a session has not ended in time", { seconds });
    }
  };
  return {
    harness,
    authority,
    addresses,
    server,
    endSessions,
    async [Symbol.asyncDispose]() {
      await using _wires = opened; // they are closed, and tokens wiped, also where a session does not end well
      if (!ending.disposed) await endSessions();
    },
  };
}

/** Returns the engine, whose health is `starting` until it is ready. */
function startingUntil(isReady: () => boolean, engine: EnginePort): EnginePort {
  return {
    ...engine,
    async query(query, asking) {
      const answer = await engine.query(query, asking);
      return query.kind === "GetHealth" && !isReady() ? { ...answer, status: "starting" } : answer;
    },
  };
}

function listOf(attached: CodeChannel | undefined): readonly CodeChannel[] {
  return attached === undefined ? [] : [attached];
}
