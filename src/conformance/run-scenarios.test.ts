import { expect, test } from "bun:test";
import { fakeClock } from "../../test/support/fake-clock.ts";
import { assertSame } from "./check.ts";
import { Skipped } from "./mismatch.ts";
import type { RunScenariosOptions } from "./run-scenarios.ts";
import { isOlder, runScenarios, SCENARIO_MS_MAX, SILENCE_MS_MAX } from "./run-scenarios.ts";
import type { Scenario } from "./scenario.ts";
import type { Client, SuiteTransport } from "./transports/transport.ts";
import { EventStream } from "./transports/transport.ts";

const { signal } = new AbortController();

const MAIN = "main-token";

/** A server on which nothing ever happens. */
function silentWire(left: string[] = []): SuiteTransport {
  return {
    name: "rest",
    async attach(token, { signal: until, patience }): Promise<Client> {
      return {
        id: undefined,
        handshake: async () => ({ kind: "accepted", body: {} }),
        send: async ({ kind }) =>
          kind === "CreateSession"
            ? { kind: "accepted", body: { sessionId: "sess_1" } }
            : { kind: "accepted", body: { did: kind } },
        follow: async () => new EventStream(until, async () => void left.push("stream"), patience),
        [Symbol.asyncDispose]: async () => void left.push(`client of ${token}`),
      };
    },
  };
}

function parts(scenarios: readonly Scenario[], wire = silentWire()) {
  const clock = fakeClock();
  const suite = { monotonic: clock.monotonic, timer: clock.timer, pass: clock.sleep };
  const tokens = { main: MAIN, mint: () => Promise.reject(new Skipped("it mints none")) };
  const server = {
    protocolVersion: "0.2.0",
    commandKinds: ["SendInput"],
    eventKinds: ["TextDelta"],
    features: ["rest"],
  };
  const walked: RunScenariosOptions = {
    scenarios,
    wires: [wire],
    tokens,
    clock: suite,
    server,
    profile: "conformance",
  };
  return { clock, walked };
}

function scenario(id: string, play: Scenario["play"], more: Partial<Scenario> = {}): Scenario {
  return { id, promise: `${id} holds`, section: "docs", wires: ["rest"], play, ...more };
}

const NOTHING = async () => undefined;

const WAITS = scenario("waits", async (stage) => {
  const client = await stage.attach();
  await using stream = await client.follow(await stage.session(client));
  await stream.kind("TurnEnded");
});

test("[CTL-13] a server that says nothing for five seconds has failed what waits for it", async () => {
  const { clock, walked } = parts([WAITS]);
  const results = Array.fromAsync(runScenarios(walked, signal));
  await clock.advance(SILENCE_MS_MAX);
  expect(await results).toMatchObject([
    {
      scenario: "waits",
      outcome: "failed",
      why: "TurnEnded number 1",
      got: "nothing for 5 s after no event at all",
      ms: SILENCE_MS_MAX,
    },
  ]);
  expect(clock.waiting).toBe(0);
});

test("[CTL-13] a server may be silent for as long as the walk's patience says", async () => {
  const { clock, walked } = parts([WAITS]);
  const results = Array.fromAsync(runScenarios({ ...walked, silenceMsMax: 4 * SILENCE_MS_MAX }, signal));
  await clock.advance(4 * SILENCE_MS_MAX);
  expect(await results).toMatchObject([{ got: "nothing for 20 s after no event at all", ms: 20_000 }]);
});

test("[CTL-13] a walk that is to fail fast ends behind the first scenario that failed", async () => {
  const { walked } = parts([
    scenario("holds", NOTHING),
    scenario("breaks", () => Promise.reject(new Error("no"))),
    scenario("later", NOTHING),
  ]);
  const results = await Array.fromAsync(runScenarios({ ...walked, isFailFast: true }, signal));
  expect(results.map(({ scenario: id, outcome }) => [id, outcome])).toEqual([
    ["holds", "ok"],
    ["breaks", "failed"],
  ]);
});

test("[CTL-13] a server that never answers fails its scenario at the limit, the report names the missing answer, and the other scenarios run", async () => {
  const left: string[] = [];
  const { clock, walked } = parts([WAITS, scenario("goes-on", NOTHING)], silentWire(left));
  const results = Array.fromAsync(
    runScenarios({ ...walked, silenceMsMax: 2 * SCENARIO_MS_MAX, scenarioMsMax: SCENARIO_MS_MAX }, signal),
  );
  await clock.advance(SCENARIO_MS_MAX);
  expect(await results).toEqual([
    {
      scenario: "waits",
      promise: "waits holds",
      section: "docs",
      wire: "rest",
      outcome: "failed",
      why: `TurnEnded number 1 (no end within ${SCENARIO_MS_MAX / 1_000} s)`,
      expected: "it comes",
      got: "nothing more after no event at all",
      ms: SCENARIO_MS_MAX,
    },
    { scenario: "goes-on", promise: "goes-on holds", section: "docs", wire: "rest", outcome: "ok", ms: 0 },
  ]);
  expect(left).toEqual(["stream", "client of main-token", "client of main-token"]);
  expect(clock.waiting).toBe(0);
});

test("[REL-07] scenarios that the handshake excludes are skipped, with the reason", async () => {
  const { walked } = parts([
    scenario("newer", NOTHING, { since: "0.3.0" }),
    scenario("featured", NOTHING, { features: ["rest", "delegate"] }),
    scenario("kind", NOTHING, { kinds: ["TextDelta", "SendInput", "SetModel"] }),
    scenario("elsewhere", NOTHING, { wires: ["ws"] }),
    scenario("token", async (stage) => void (await stage.mint({ identity_class: "agent" }))),
    scenario("has-it", NOTHING, { since: "0.2.0", features: ["rest"], kinds: ["TextDelta"] }),
  ]);
  const results = await Array.fromAsync(runScenarios(walked, signal));
  expect(results.map(({ scenario: id, outcome, why }) => [id, outcome, why])).toEqual([
    ["newer", "skipped", "it is promised since 0.3.0, and the server speaks 0.2.0"],
    ["featured", "skipped", "the server does not have the feature delegate"],
    ["kind", "skipped", "the server does not serve SetModel"],
    ["token", "skipped", "it mints none"],
    ["has-it", "ok", undefined],
  ]);
});

test("[CTL-13] scenarios that wait for the server's time begin first, and are reported in their order", async () => {
  const order: string[] = [];
  const slow = scenario("slow", async ({ clock, signal: until }) => {
    order.push("slow begins");
    await clock.pass(30_000, until);
    order.push("slow ends");
  });
  const quick = scenario("quick", async () => void order.push("quick"));
  const { clock, walked } = parts([quick, { ...slow, isSlow: true }]);
  const results = Array.fromAsync(runScenarios(walked, signal));
  await clock.advance(30_000);
  expect((await results).map(({ scenario: id, outcome }) => [id, outcome])).toEqual([
    ["quick", "ok"],
    ["slow", "ok"],
  ]);
  expect(order).toEqual(["slow begins", "quick", "slow ends"]);
});

test("[CTL-13] time that a scenario lets pass does not count for its limit, and what it waits for afterwards does", async () => {
  const passes = scenario("passes", async ({ clock, signal: until }) => clock.pass(SCENARIO_MS_MAX, until));
  const hangs = scenario("hangs", async (stage) => {
    await stage.clock.pass(SCENARIO_MS_MAX, stage.signal);
    await (await stage.attach()).follow("sess_1").then((stream) => stream.kind("TurnEnded"));
  });
  const slow = [passes, hangs].map((each) => ({ ...each, isSlow: true as const }));
  const { clock, walked } = parts(slow, silentWire([]));
  const results = Array.fromAsync(
    runScenarios({ ...walked, silenceMsMax: 2 * SCENARIO_MS_MAX, scenarioMsMax: SCENARIO_MS_MAX }, signal),
  );
  await clock.advance(SCENARIO_MS_MAX);
  await clock.advance(SCENARIO_MS_MAX);
  expect((await results).map(({ scenario: id, outcome, ms }) => [id, outcome, ms])).toEqual([
    ["passes", "ok", SCENARIO_MS_MAX],
    ["hangs", "failed", 2 * SCENARIO_MS_MAX],
  ]);
  expect(clock.waiting).toBe(0);
});

test("[CTL-13] who reads no further ends what was begun before its place", async () => {
  const left: string[] = [];
  const slow = scenario("slow", async (stage) => {
    await stage.attach();
    await stage.clock.pass(30_000, stage.signal);
  });
  const parted = parts([scenario("quick", NOTHING), { ...slow, isSlow: true }], silentWire(left));
  for await (const { scenario: id } of runScenarios(parted.walked, signal)) {
    expect(id).toBe("quick");
    break;
  }
  expect(left).toEqual(["client of main-token"]);
  expect(parted.clock.waiting).toBe(0);
});

test("[CTL-13] a scenario reports the expected and the actual value; one that breaks is a failure too, and the run continues", async () => {
  const { walked } = parts([
    scenario("differs", async () => assertSame("the answer", { b: 1, a: [2] }, { a: [3], b: 1 })),
    scenario("breaks", () => Promise.reject(new Error("connection reset at /?token=main-token"))),
  ]);
  const results = await Array.fromAsync(runScenarios(walked, signal));
  expect(results.map(({ outcome, why, expected, got }) => ({ outcome, why, expected, got }))).toEqual([
    { outcome: "failed", why: "the answer", expected: '{"a":[3],"b":1}', got: '{"a":[2],"b":1}' },
    {
      outcome: "failed",
      why: "the server could not be talked to: connection reset at /?token=(the token)",
      expected: undefined,
      got: undefined,
    },
  ]);
});

test("[REL-07] versions are compared by their numbers", () => {
  expect(isOlder("0.9.0", "0.10.0")).toBe(true);
  expect(isOlder("0.2.0", "0.2.0")).toBe(false);
  expect(isOlder("1.0.0", "0.2.0")).toBe(false);
  expect(isOlder("nonsense", "0.2.0")).toBe(false);
});
