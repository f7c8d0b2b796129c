import { afterAll, expect } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { PROTOCOL_VERSION } from "../../src/protocol/version.ts";
import { strayIds } from "../support/kept-events.ts";
import type { MockRequest } from "../support/mock-provider/mock-provider.ts";
import type { Turn } from "../support/mock-provider/turn.ts";
import { calls, says } from "../support/mock-provider/turn.ts";
import { EXPECTED, startHostile } from "../support/sdk/hostile.ts";
import type { BuiltSdk, Driver } from "../support/sdk/runtimes.ts";
import { buildSdk, RUNTIMES, startDriver } from "../support/sdk/runtimes.ts";
import type { Served } from "../support/served.ts";
import { openServed } from "../support/served.ts";

const TIMEOUT_MS = 300_000;

let built: BuiltSdk | undefined;
afterAll(() => built?.[Symbol.dispose]());
function sdk(): string {
  built ??= buildSdk();
  return built.path;
}

let toured: Promise<Served> | undefined;
afterAll(async () => await (await toured)?.[Symbol.asyncDispose]());
/** One engine for the tours of all runtimes: each has a token and a session of its own, and ends no engine. */
async function tourEngine(): Promise<Served> {
  const flags = ["--model", "mock:one", "--strict-permissions"];
  const config = 'default_profile = "self"\n'; // what its user has configured goes for clients too
  toured ??= openServed({ script: answer, listens: true, flags, config });
  return await toured;
}

/** Returns the model's answer, which the last input names. */
function answer({ body }: MockRequest): Turn {
  const asked = JSON.stringify((body["messages"] as readonly unknown[]).at(-1));
  if (asked.includes("say hello")) return says("Hello, world.", { deltaChars: 5 });
  if (asked.includes("touch it")) return calls("Bash", { command: "touch note.txt" });
  if (asked.includes("ever")) return { parts: [{ text: "and on " }], fault: { kind: "endless" } };
  if (asked.includes("time")) return says("one two three four ".repeat(2_000), { paceMs: 10 });
  return says("Done.");
}

for (const runtime of RUNTIMES) {
  const { test: needing } = runtime;
  const transports = [
    ...runtime.wires.map((wire) => ({
      over: "a port",
      wire,
      env: (served: Served) => ({ CINCH_URL: served.url }),
    })),
    {
      over: "the Unix socket",
      wire: "sse" as const,
      env: (served: Served) => ({ CINCH_SOCKET: served.socket, CINCH_LABEL: "tour" }),
    },
  ];
  for (const { over, wire, env } of transports) {
    const how = `${runtime.name}, ${wire} over ${over}`;
    needing(
      `[SDK-01 CTL-04] ${how}: handshake, sessions, turns, permissions, cancelling and refusals`,
      async () => {
        const served = await tourEngine();
        const token = await served.token("--identity-class", "human", "--can-mint");
        await using driver = startDriver(runtime, {
          sdk: sdk(),
          wire,
          args: ["tour"],
          env: { ...env(served), CINCH_TOKEN: token },
        });
        const told = await Array.fromAsync(driver.lines);
        expect(await driver.ended).toEqual({ code: 0, stderr: "" });
        expect(told).toEqual(TOUR);
      },
      TIMEOUT_MS,
    );

    needing(
      `[SDK-01 CTL-03 CTL-14 CTL-17] ${how}: events go on without gap or duplicate after the engine was killed`,
      async () => {
        await using served = await openServed({ script: answer, listens: true });
        const token = await served.token();
        const session = await served.session(token);
        await using driver = startDriver(runtime, {
          sdk: sdk(),
          wire,
          args: ["follow", session],
          env: { ...env(served), CINCH_TOKEN: token },
        });
        const content = [{ type: "text", text: "take your time" }];
        expect((await served.ask(`/v1/sessions/${session}/input`, token, { content })).status).toBe(202);
        const { events, kinds, rest } = await followed(driver, served);
        expect(await driver.ended).toEqual({ code: 0, stderr: "" });
        expect(strayIds(events)).toEqual([]);
        expect(kinds.filter((kind) => kind === "StreamGap")).toHaveLength(1);
        expect(kinds.filter((kind) => kind === "TurnEnded")).toHaveLength(2);
        expect(rest).toEqual([{ goneOn: true }]);
      },
      TIMEOUT_MS,
    );
  }

  needing(
    `[SDK-01 CTL-17] ${runtime.name}: a wait for a turn returns how it ended, also if its engine was killed`,
    async () => {
      await using served = await openServed({ script: answer });
      const token = await served.token();
      await using driver = startDriver(runtime, {
        sdk: sdk(),
        wire: "sse",
        args: ["turn", await served.session(token)],
        env: { CINCH_SOCKET: served.socket, CINCH_TOKEN: token },
      });
      const told: unknown[] = [];
      for await (const line of driver.lines) {
        told.push(line);
        if (!("watching" in line)) continue;
        await served.kill();
        await served.start();
      }
      expect(await driver.ended).toEqual({ code: 0, stderr: "" });
      expect(told).toEqual([{ watching: true }, { reason: "error" }, { text: "Hello, world." }]);
    },
    TIMEOUT_MS,
  );
}

for (const runtime of RUNTIMES) {
  for (const [wire, asks] of [
    ...runtime.wires.map((each) => [each, "asks"] as const),
    ["sse", "no"] as const,
  ])
    runtime.test(
      `[SDK-01 CTL-19] ${runtime.name}, ${wire}: the arguments of a call come while the model writes them (${asks})`,
      async () => {
        await using served = await openServed({ script: answer, listens: true });
        const token = await served.token();
        const session = await served.session(token);
        const send = async (text: string) => {
          const content = [{ type: "text", text }];
          expect((await served.ask(`/v1/sessions/${session}/input`, token, { content })).status).toBe(202);
        };
        await send("say hello");
        await using driver = startDriver(runtime, {
          sdk: sdk(),
          wire,
          args: ["written", session, asks],
          env: { CINCH_URL: served.url, CINCH_TOKEN: token },
        });
        const told: unknown[] = [];
        for await (const line of driver.lines) {
          told.push(line);
          if ("watching" in line) await send("touch it");
        }
        expect(await driver.ended).toEqual({ code: 0, stderr: "" });
        const written = asks === "asks" ? JSON.stringify({ command: "touch note.txt" }) : "";
        expect(told).toEqual([{ watching: true }, { written }]);
      },
      TIMEOUT_MS,
    );

  // Seen red: it subscribed after it had sent the input, when the call was already written.
  for (const wire of runtime.wires)
    runtime.test(
      `[SDK-01 CTL-19] ${runtime.name}, ${wire}: a turn has the arguments of its calls from the first piece, of an engine that answers at once`,
      async () => {
        await using served = await openServed({ script: answer, listens: true });
        const token = await served.token("--identity-class", "human");
        await using driver = startDriver(runtime, {
          sdk: sdk(),
          wire,
          args: ["args", await served.session(token)],
          env: { CINCH_URL: served.url, CINCH_TOKEN: token },
        });
        const told = await Array.fromAsync(driver.lines);
        expect(await driver.ended).toEqual({ code: 0, stderr: "" });
        const written = JSON.stringify({ command: "touch note.txt" });
        expect(told).toEqual([
          { written, ended: "TurnEnded" },
          { written: "", ended: "TurnEnded" },
        ]);
      },
      TIMEOUT_MS,
    );

  runtime.test(
    `[SDK-01 CTL-19] ${runtime.name}: the news begin with all sessions, bring a turn, and begin again with another engine`,
    async () => {
      await using served = await openServed({ script: answer });
      const token = await served.token("--identity-class", "human");
      const session = await served.session(token);
      await using driver = startDriver(runtime, {
        sdk: sdk(),
        wire: "sse",
        args: ["news", session],
        env: { CINCH_SOCKET: served.socket, CINCH_TOKEN: token },
      });
      const told: unknown[] = [];
      for await (const line of driver.lines) {
        told.push(line);
        if (line["ready"] === 1) {
          const content = [{ type: "text", text: "say hello" }];
          expect((await served.ask(`/v1/sessions/${session}/input`, token, { content })).status).toBe(202);
        }
        if (line["turns"] !== 1) continue;
        await served.kill();
        await served.start();
      }
      expect(await driver.ended).toEqual({ code: 0, stderr: "" });
      expect(told).toEqual([
        { ours: true, turns: 0 },
        { ready: 1 },
        { ours: true, turns: 1 },
        { ours: false, turns: 0 }, // that of the next engine
        { gone: true },
        { ready: 2 },
      ]);
    },
    TIMEOUT_MS,
  );
}

for (const runtime of RUNTIMES) {
  runtime.test(
    `[SDK-01 CTL-17 SES-03] ${runtime.name}: a wait for a turn that asks returns how the turn ended when its engine was killed`,
    async () => {
      const flags = ["--model", "mock:one", "--strict-permissions"];
      await using served = await openServed({ script: answer, flags });
      const token = await served.token("--identity-class", "human");
      await using driver = startDriver(runtime, {
        sdk: sdk(),
        wire: "sse",
        args: ["asked", await served.session(token)],
        env: { CINCH_SOCKET: served.socket, CINCH_TOKEN: token },
      });
      const told: unknown[] = [];
      for await (const line of driver.lines) {
        told.push(line);
        if (!("asked" in line)) continue;
        await served.kill();
        await served.start();
      }
      expect(await driver.ended).toEqual({ code: 0, stderr: "" });
      expect(told).toEqual([
        { asked: "Bash" },
        { ended: "error" },
        { late: "InvalidCommand" },
        { text: "Hello, world." },
      ]);
      expect(existsSync(join(served.work, "note.txt"))).toBe(false);
    },
    TIMEOUT_MS,
  );
}

for (const runtime of RUNTIMES) {
  // Each wire once: what goes along is the same code.
  for (const wire of runtime.wires.slice(
    runtime.name === "Bun" ? 0 : -1,
    runtime.name === "Bun" ? 1 : undefined,
  )) {
    runtime.test(
      `[SDK-01 PROF-02] ${runtime.name}, ${wire}: a subscriber of a session follows it under another profile, in place and to the next`,
      async () => {
        await using served = await openServed({
          script: answer,
          listens: true,
          flags: ["--model", "mock:one"],
        });
        const token = await served.token("--identity-class", "human");
        const first = await served.session(token);
        await using driver = startDriver(runtime, {
          sdk: sdk(),
          wire,
          args: ["onward", first],
          env: { CINCH_URL: served.url, CINCH_TOKEN: token },
        });
        const send = async (session: string, command: object) => {
          const answer = await served.ask(`/v1/sessions/${session}/command`, token, command);
          const body: unknown = await answer.json();
          expect([answer.ok, body]).toEqual([true, expect.anything()]);
          return String(Object(body)["sessionId"]);
        };
        const content = [{ type: "text", text: "say hello" }];
        const say = (session: string) => send(session, { kind: "SendInput", content });
        await say(first);
        const runs = [first];
        const told: Readonly<Record<string, unknown>>[] = [];
        for await (const line of driver.lines) {
          told.push(line);
          const run = runs.at(-1) ?? "";
          if (line["kind"] !== "TurnEnded" || line["run"] !== run) continue;
          if (runs.length === 3) await send(run, { kind: "EndSession" });
          else {
            const way = runs.length === 1 ? { profile: "self", inPlace: true } : { profile: "default" };
            runs.push(await send(run, { kind: "SwitchProfile", ...way }));
            await say(runs.at(-1) ?? "");
          }
        }
        expect(await driver.ended).toEqual({ code: 0, stderr: "" });
        const [a, b, c] = runs;
        const marks = ["ProfileSwitched", "SessionEnded", "TurnEnded"];
        expect(
          told.filter(({ kind }) => marks.includes(String(kind))).map(({ kind, run }) => [kind, run]),
        ).toEqual([
          ["TurnEnded", a],
          ["ProfileSwitched", a],
          ["SessionEnded", a],
          ["ProfileSwitched", b],
          ["TurnEnded", b],
          ["ProfileSwitched", b],
          ["SessionEnded", b],
          ["ProfileSwitched", c],
          ["TurnEnded", c],
          ["SessionEnded", c],
        ]);
        const before = told.filter(({ run }) => run === a || run === b).map(({ id }) => id);
        const after = told.filter(({ run }) => run === c).map(({ id }) => id);
        expect([before, after]).toEqual([before.map((_, at) => at + 1), after.map((_, at) => at + 1)]);
        expect(told.filter(({ id }) => id === undefined)).toEqual([
          { inPlace: "Hello, world.", gone: false },
          { after: "Hello, world.", gone: true },
        ]);
      },
      TIMEOUT_MS,
    );
  }
}

for (const runtime of RUNTIMES) {
  runtime.test(
    `[SDK-01 S54] ${runtime.name}: a server that is no engine, or a bad one, is reported as that, and blocks nobody`,
    async () => {
      using server = startHostile();
      await using driver = startDriver(runtime, {
        sdk: sdk(),
        wire: "sse",
        args: ["probe", ...Object.keys(EXPECTED)],
        env: { CINCH_URL: server.url, CINCH_TOKEN: "secret" },
      });
      const told = Object.assign({}, ...(await Array.fromAsync(driver.lines)));
      expect(await driver.ended).toEqual({ code: 0, stderr: "" });
      expect(told).toEqual(EXPECTED);
      // A token goes nowhere but to the address that it was meant for.
      expect(server.asked.filter(({ path }) => path.includes("stolen"))).toEqual([]);
    },
    TIMEOUT_MS,
  );
}

/** Reads what a driver follows; kills the engine in the middle of a turn, and starts it again. */
async function followed(driver: Driver, served: Served) {
  const events: Readonly<Record<string, unknown>>[] = [];
  const rest: unknown[] = [];
  for await (const line of driver.lines) {
    if (typeof line["id"] !== "number") {
      rest.push(line);
      continue;
    }
    events.push(line);
    if (events.length !== 10) continue;
    await served.kill();
    await served.start();
  }
  return { events, kinds: events.map(({ kind }) => kind), rest };
}

const HELLO = {
  text: "Hello, world.",
  reason: "complete",
  rounds: 1,
  costUsd: null,
  usage: { calls: 1, inputTokens: 100, outputTokens: 20, cacheReadTokens: 0, cacheWriteTokens: 0 },
  tools: [],
  refused: 0,
};

const TOUR = [
  { handshake: [PROTOCOL_VERSION, true] },
  { health: "ok", tools: true },
  { created: true, got: true, profile: "self" },
  { queried: true, priced: ["mock:one", "mock:two"] },
  { turn: HELLO },
  { kinds: ["CostIncremented", "TextDelta", "TurnEnded", "TurnStarted", "TurnTiming"] },
  { asked: "Bash", answered: { result: { counted: true } } },
  { counted: true, by: "allow" },
  { isError: false },
  { asked: "Bash", answered: { result: { counted: true } } },
  { counted: true, by: "deny" },
  { isError: true },
  { cancelled: [{}, "cancelled"] },
  {
    unknownSession: "UnknownSession",
    noId: "InvalidSessionID",
    noQuestion: "InvalidCommand",
    badToken: "TokenInvalid",
  },
  { revoked: "TokenRevoked" },
  { ended: true },
  { resumed: true, turn: "Hello, world." },
];
