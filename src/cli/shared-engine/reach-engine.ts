import { existsSync } from "node:fs";
import { defined } from "../../base/defined.ts";
import { HarnessError, hasReason, messageOf } from "../../base/errors.ts";
import { codeOf } from "../../base/world.ts";
import type { RemoteState } from "../../client/remote/connect-remote.ts";
import type { EnginePort } from "../../session/engine-port.ts";
import type { ProcessContext } from "../process-context.ts";
import { harnessOptions } from "../process-context.ts";
import { CLOSE_MS_MAX, within } from "../processes/within.ts";
import type { Settings } from "../settings.ts";
import type { RemotePort } from "./remote-port.ts";
import { sharesEngine } from "./sharing.ts";

/** Time limit for the running engine to answer, or to end for another one. */
const REACH_MS_MAX = 60_000;
const TRY_AGAIN_MS = 50;
/** Attempts to reach an engine that has gone before it is restarted: about two seconds. */
const REVIVE_ATTEMPTS = 5;
const REVIVALS_MAX = 3;
/** An engine that has lived so long since its restart counts as steady. */
const STEADY_MS_MIN = 600_000;

export interface ReachOptions {
  /** Settings for an engine of this process. A shared engine takes none of them: see `runSettings`. */
  readonly settings: Settings;
  readonly at: ProcessContext;
  /** False: the engine is this process's own, and no other client finds it (`--no-listen`). */
  readonly listen: boolean;
  /** Features that the caller's transport adds to the handshake. */
  readonly features?: readonly string[];
  /** Called when a shared engine goes away and comes back. */
  readonly onState?: (state: RemoteState) => void;
  /**
   * Called when a shared engine that has gone was not restarted: after the failure of a start, which is tried again, or
   * without one if it has died too often.
   */
  readonly onNotRestarted?: (failure?: unknown) => void;
  /** Called when a session is resumed in a restarted engine. */
  readonly onResumed?: () => void;
  /** Called when a new engine brings the database up to date first. */
  readonly onUpgrade?: () => void;
  readonly signal: AbortSignal;
}

/** A connected engine. Disposing it disconnects, and ends the engine if it is this process's own. */
export interface ReachedEngine extends AsyncDisposable {
  readonly port: EnginePort;
  /** True if it runs in this process and ends with it. */
  readonly owned: boolean;
}

/**
 * Connects to the engine of this user: the running one, else a new one (CTL-11, CTL-18). A new engine is a separate
 * process that outlives this client.
 *
 * Every client that attaches through the port is one more client of it. Without listening, and if engines cannot be
 * shared, the engine is in this process. Call it in the process that has the keys: a new engine gets them from it.
 * @throws HarnessError the failure of the start, HandshakeVersionMismatch, OwnerRefused for a descendant of the engine;
 * the signal's reason.
 */
export async function reachEngine(options: ReachOptions): Promise<ReachedEngine> {
  // Behind a keeper there are no keys for a new engine.
  if (!sharesEngine(options) || options.at.stop.helper !== undefined) return await ownEngine(options);
  const port = await sharedEngine(options);
  return { port, owned: false, [Symbol.asyncDispose]: () => port[Symbol.asyncDispose]() };
}

/** Returns the running engine, as `reachEngine` finds it; undefined if none runs. */
export async function runningEngine({
  at,
  onState,
  onResumed,
  signal,
}: Pick<ReachOptions, "at" | "onState" | "onResumed" | "signal">): Promise<RemotePort | undefined> {
  const { world, paths } = at;
  const { servicePaths } = await import("../../app/serving/service-paths.ts");
  // A client that has to start an engine loads the rest while that one starts.
  if (!existsSync(servicePaths(paths).ownerSocket)) return undefined;
  const { openRemotePort } = await import("./remote-port.ts");
  const { ownerTokens } = await import("./engine-tokens.ts");
  const { requestOwnerToken } = await import("../../app/serving/ask-service.ts");
  const { engineTransport } = await import("../../platform/sockets/engine-transport.ts");
  const { clock, random } = world;
  const ask = async (claims: Readonly<Record<string, unknown>>) => {
    try {
      return await requestOwnerToken(paths, claims, signal);
    } catch (thrown) {
      throw isAbsent(thrown) ? new EngineAbsent(thrown) : thrown;
    }
  };
  try {
    return await openRemotePort(
      {
        url: "http://localhost",
        wire: engineTransport({ kind: "unix", path: servicePaths(paths).control }),
        tokens: ownerTokens(ask, () => clock.monotonic()),
        clock,
        random,
        ...defined({ onState, onResumed }),
      },
      signal,
    );
  } catch (thrown) {
    if (thrown instanceof EngineAbsent || hasReason(thrown, "EngineUnreachable")) return undefined;
    throw thrown;
  }
}

/** There is no engine, or none yet, or none any more: for a waiting client, it is unreachable. */
class EngineAbsent extends HarnessError<"EngineUnreachable"> {
  constructor(cause: unknown) {
    super("EngineUnreachable", { url: "unix", detail: "no engine runs" }, { cause });
  }
}

function isAbsent(thrown: unknown): boolean {
  const code = codeOf(thrown);
  if (code === "ENOENT" || code === "ECONNREFUSED" || code === "ECONNRESET" || code === "EPIPE") return true;
  return hasReason(thrown, "OwnerTokenStale");
}

async function sharedEngine(options: ReachOptions): Promise<RemotePort> {
  const { at, settings, signal, onResumed, onUpgrade } = options;
  const { clock } = at.world;
  const { startEngine } = await import("./start-engine.ts");
  const untilMs = clock.monotonic() + REACH_MS_MAX;
  let refusal: unknown;
  const find = async () => {
    try {
      return await runningEngine({ at, signal, onState, ...defined({ onResumed }) });
    } catch (thrown) {
      if (!hasReason(thrown, "EngineStopping")) throw thrown;
      refusal = thrown; // it gives way
      return undefined;
    }
  };
  const isRunning = async () => {
    await using found = await find();
    return found !== undefined;
  };
  const { insecureDevKey } = settings;
  const start = () => startEngine({ at, insecureDevKey, isRunning, signal, ...defined({ onUpgrade }) });
  const onState = reviving(options, start);
  while (clock.monotonic() < untilMs) {
    const running = await find();
    if (running !== undefined) return running;
    try {
      await start();
    } catch (thrown) {
      if (!hasReason(thrown, "EngineRunning")) throw thrown;
      refusal = thrown; // another one was quicker, or one that ends has not released its socket
    }
    await clock.sleep(TRY_AGAIN_MS, signal);
  }
  throw refusal ?? new EngineAbsent(undefined);
}

/**
 * Restarts an engine that has died under its clients. Another client may do that too, and is given some attempts' time.
 * One that dies again and again is left to a person. A start that fails is made again after as many attempts.
 */
export function reviving(
  { at, signal, onState, onNotRestarted }: Omit<ReachOptions, "settings" | "listen">,
  start: () => Promise<void>,
): (state: RemoteState) => void {
  const { clock, log } = at.world;
  let attempts = 0;
  let starts = 0;
  let startedAtMs = Number.NEGATIVE_INFINITY;
  return (state) => {
    onState?.(state);
    attempts = state.kind === "away" ? attempts + 1 : 0;
    if (attempts !== REVIVE_ATTEMPTS) return;
    if (clock.monotonic() - startedAtMs > STEADY_MS_MIN) starts = 0;
    if (starts === REVIVALS_MAX) {
      onNotRestarted?.();
      return;
    }
    starts += 1;
    startedAtMs = clock.monotonic();
    start().catch((thrown: unknown) => {
      log.for("cli").write("warn", "the engine was not restarted", { problem: messageOf(thrown) });
      if (signal.aborted || hasReason(thrown, "EngineRunning")) return; // another client was quicker
      starts -= 1;
      attempts = 0;
      onNotRestarted?.(thrown);
    });
  };
}

async function ownEngine({
  settings,
  at,
  features = [],
  signal,
  onUpgrade,
}: ReachOptions): Promise<ReachedEngine> {
  const { openEngine } = await import("../../app/harness.ts");
  const asksTrust = process.stdin.isTTY === true;
  const options = await harnessOptions(settings, at, { attended: true, asksTrust });
  const engine = await openEngine({ ...options, ...defined({ onUpgrade }) }, signal);
  return {
    port: await engine.port(features),
    owned: true,
    async [Symbol.asyncDispose]() {
      await within(at.world.clock, CLOSE_MS_MAX, Promise.resolve(engine[Symbol.asyncDispose]()));
    },
  };
}
