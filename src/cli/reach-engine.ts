import type { EnginePort } from "../control/engine-port.ts";
import type { Settings } from "./arguments.ts";
import { within } from "./bounded.ts";
import { CLOSE_MS_MAX } from "./prompt.ts";
import type { Surroundings } from "./surroundings.ts";
import { harnessOptions } from "./surroundings.ts";

export interface ReachOptions {
  /** What a new engine is started with. One that runs already keeps its own. */
  readonly settings: Settings;
  readonly at: Surroundings;
  /** False: the engine is this process's own, and nobody else finds it (`--no-listen`). */
  readonly listen: boolean;
  /** What the caller's own wire adds to the features of the handshake. */
  readonly features?: readonly string[];
  readonly signal: AbortSignal;
}

/** An engine that can be used. Disposing it lets go of it, and ends it where it is this process's own. */
export interface ReachedEngine extends AsyncDisposable {
  readonly port: EnginePort;
  /** Whether it runs in this process, and ends with it. */
  readonly owned: boolean;
}

/**
 * Reaches the engine of this user: every client that attaches through its port is one more client of it (CTL-11).
 * @throws BootFailure; the signal's reason.
 */
export async function reachEngine(options: ReachOptions): Promise<ReachedEngine> {
  const { settings, at, features = [], signal } = options;
  const { openHarness } = await import("../harness.ts");
  const harness = await openHarness(harnessOptions(settings, at, { attended: true }), signal);
  return {
    port: await harness.port(features),
    owned: true,
    async [Symbol.asyncDispose]() {
      await within(at.world.clock, CLOSE_MS_MAX, Promise.resolve(harness[Symbol.asyncDispose]()));
    },
  };
}
