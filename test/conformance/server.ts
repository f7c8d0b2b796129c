import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { openHarness } from "../../src/app/harness.ts";
import { PROGRAM_FEATURES } from "../../src/app/plan/feature-set.ts";
import { HTTP_FEATURES, serveControl } from "../../src/app/serving/control-plane.ts";
import { SILENT_LOG } from "../../src/base/log.ts";
import { discover } from "../../src/conformance/discover.ts";
import type { SuiteClock } from "../../src/conformance/http-access.ts";
import type { RunScenariosOptions } from "../../src/conformance/run-scenarios.ts";
import type { SuiteTokens } from "../../src/conformance/tokens.ts";
import { mintedTokens } from "../../src/conformance/tokens.ts";
import { mcpOverHttp } from "../../src/conformance/transports/mcp-http.ts";
import { mcpTransport } from "../../src/conformance/transports/mcp-transport.ts";
import { restTransport } from "../../src/conformance/transports/rest-transport.ts";
import type { SuiteTransport, TransportName } from "../../src/conformance/transports/transport.ts";
import { wsTransport } from "../../src/conformance/transports/ws-transport.ts";
import { hostClock } from "../../src/platform/clock.ts";
import { hostWorld } from "../../src/platform/host.ts";
import { openAuthority } from "../../src/server/auth/open-authority.ts";
import type { Authority } from "../../src/session/access/authority.ts";
import type { EnginePort } from "../../src/session/engine-port.ts";
import type { FakeClock } from "../support/fake-clock.ts";
import { fakeClock } from "../support/fake-clock.ts";
import type { WireFault } from "../support/memory-listen.ts";
import { memoryListener } from "../support/memory-listen.ts";
import { temporaryDirectory } from "../support/world.ts";
import { inprocTokens, inprocWire } from "./inproc-wire.ts";

/** Against hanging alone: this machine may be busy. */
const SILENCE_MS_MAX = 60_000;

/** The fault of a broken server: one small change, at one place. */
export interface Fault {
  readonly engine?: (engine: EnginePort) => EnginePort;
  readonly authority?: (authority: Authority) => Authority;
  readonly wire?: WireFault;
}

/** The real engine and its real wires, without a socket and without time. */
export interface MemoryServer extends AsyncDisposable {
  parts(wire: TransportName): Omit<RunScenariosOptions, "scenarios">;
}

const { signal: never } = new AbortController();

export async function openMemoryServer(fault: Fault = {}): Promise<MemoryServer> {
  await using undo = new AsyncDisposableStack();
  const { path } = undo.use(temporaryDirectory("cinch-conformance-"));
  const paths = { config: join(path, "config"), data: join(path, "data"), state: join(path, "state") };
  const workingDir = join(path, "work");
  for (const folder of [paths.config, workingDir]) mkdirSync(folder);
  const clock = fakeClock();
  const { listen, door } = memoryListener(fault.wire);
  const world = { ...hostWorld(SILENT_LOG), clock, listen };
  const opened = await openAuthority({ world, stateDirectory: paths.state, channels: () => [] });
  undo.use(opened);
  const authority = fault.authority?.(opened) ?? opened;
  const harness = undo.use(
    await openHarness(
      {
        world,
        paths,
        workingDir,
        profile: "conformance",
        features: PROGRAM_FEATURES,
        wishes: {
          autoApprove: false,
          strictPermissions: false,
          attended: true,
          environment: { PATH: "/usr/bin:/bin", HOME: path },
        },
      },
      never,
    ),
  );
  const port = await harness.port(HTTP_FEATURES);
  const engine = fault.engine?.(port) ?? port;
  const targets = [{ kind: "loopback", hostname: "127.0.0.1", port: 0 }] as const;
  undo.use(await serveControl({ world, engine, authority, targets, minimal: () => harness.session }));
  const main = opened.mint({ identityClass: "human", canMint: true }, "engine");
  const suite = suiteClock(clock);
  const server = await discover(door, main, never);
  const overHttp = { http: door, tokens: mintedTokens(door, main) };
  const ways: Readonly<
    Record<TransportName, { readonly wire: SuiteTransport; readonly tokens: SuiteTokens }>
  > = {
    rest: { wire: restTransport(door), ...overHttp },
    ws: { wire: wsTransport(door), ...overHttp },
    inproc: { wire: inprocWire(engine), tokens: inprocTokens },
    mcp: { wire: mcpTransport(mcpOverHttp(door), "legacy"), ...overHttp },
    "mcp-2026-07-28": { wire: mcpTransport(mcpOverHttp(door), "modern"), ...overHttp },
  };
  const kept = undo.move();
  return {
    parts(name) {
      const { wire, ...rest } = ways[name];
      const shared = { clock: suite, server, profile: "conformance", silenceMsMax: SILENCE_MS_MAX };
      return { ...rest, ...shared, wires: [wire] };
    },
    [Symbol.asyncDispose]: () => kept[Symbol.asyncDispose](),
  };
}

/** Scenarios are held to real time, against hanging alone; what they wait for passes on the server's clock. */
function suiteClock(clock: FakeClock): SuiteClock {
  return {
    isShared: true,
    monotonic: () => hostClock.monotonic(),
    timer: (ms, callback) => hostClock.timer(ms, callback),
    pass: (ms) => clock.advance(ms),
  };
}
