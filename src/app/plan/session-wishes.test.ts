import { expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { calls, says } from "../../../test/support/mock-provider/turn.ts";
import type { PlaceOptions, TestProject } from "../../../test/support/place.ts";
import { connect, openPlace } from "../../../test/support/place.ts";
import { reading } from "../../../test/support/reading.ts";
import { openBareSession } from "../../app/explain/bare-session.ts";
import { effectiveKeys } from "../../app/explain/effective-keys.ts";
import { FEATURES } from "../../app/features.ts";
import { openHarness } from "../../app/harness.ts";
import { featureSet } from "../../app/plan/feature-set.ts";
import type { LogId, SessionId } from "../../base/ids.ts";
import type { CommandOf } from "../../protocol/commands/commands.ts";
import type { Connection } from "../../protocol/connection.ts";
import { PROTOCOL_VERSION } from "../../protocol/version.ts";
import { EVERYTHING } from "../../session/access/scope.ts";
import type { Feature } from "../../session/feature.ts";
import type { SessionPlan, SessionWishes } from "../../session/plan.ts";

const { signal } = new AbortController();

/** A place whose model costs a tenth of a dollar a request, or more. */
function openPriced(config: string, ...script: Parameters<typeof openPlace>): TestProject {
  const place = openPlace(...script);
  const own = readFileSync(join(place.root, "config/config.toml"), "utf8");
  place.config(`${config}\n${own}[prices."mock:test-1"]\ninput = 100\noutput = 100\n`);
  return place;
}

/** Returns the end of the first turn of a session that an agent asked for. */
async function endingOf(
  place: TestProject,
  run: CommandOf<"CreateSession">["run"],
  options: PlaceOptions = {},
): Promise<string> {
  await using harness = await place.open(options);
  const connection = await harness.attach({ identityClass: "agent", label: "outer" });
  await connection.handshake(PROTOCOL_VERSION);
  const { sessionId } = await connection.send({
    kind: "CreateSession",
    ...(run === undefined ? {} : { run }),
  });
  if (sessionId === undefined) throw new Error("no session");
  return await turnIn(connection, sessionId);
}

async function turnIn(connection: Connection, sessionId: SessionId): Promise<string> {
  const events = connection.subscribe(sessionId, { signal });
  await connection.send({ kind: "SendInput", sessionId, content: [{ type: "text", text: "go" }] });
  for await (const event of events) if (event.kind === "TurnEnded") return event.payload.reason;
  throw new Error("no end");
}

test("[ENG-13 CTL-11] an agent can lower the cap of its session, and raises none: not the flag's, the configuration's or the profile's", async () => {
  const capped = { maxCostUsd: 0.001 };
  for (const run of [undefined, { maxCostUsd: 100 }]) {
    await using flag = openPriced("", says("ok"));
    expect(await endingOf(flag, run, { wishes: capped })).toBe("budget");
    await using config = openPriced("max_cost = 0.001", says("ok"));
    expect(await endingOf(config, run)).toBe("budget");
    await using profile = openPriced("", says("ok"));
    await Bun.write(join(profile.root, "config/profiles/tight.toml"), "[limits]\ncost = 0.001\n");
    expect(await endingOf(profile, run, { profile: "tight" })).toBe("complete"); // it is of another profile
    await Bun.write(join(profile.root, "config/profiles/default.toml"), "[limits]\ncost = 0.001\n");
    expect(await endingOf(profile, run)).toBe("budget");
  }
  await using place = openPriced("", says("ok"));
  expect(await endingOf(place, capped, { wishes: { maxCostUsd: 5 } })).toBe("budget");
  await using free = openPriced("", says("ok"));
  expect(await endingOf(free, { maxCostUsd: 5 })).toBe("complete");
});

test("[ENG-05 CTL-11] an agent can lower the rounds of its session's turns, and raises none", async () => {
  const script = () => [calls("Ls", { path: "." }), calls("Ls", { path: "." }), says("ok")] as const;
  const ending = async (maxTurns: number, options: PlaceOptions) => {
    await using place = openPlace(...script());
    return await endingOf(place, { maxTurns }, options);
  };
  expect(await ending(100, { wishes: { maxTurns: 1 } })).toBe("turn_limit");
  expect(await ending(1, { wishes: { maxTurns: 100 } })).toBe("turn_limit");
  expect(await ending(100, {})).toBe("complete");
});

test("[CTL-11 PERM-01 ENG-13] an agent sheds nothing that a session was begun with by ending it and resuming it", async () => {
  const script = [calls("Write", { file_path: "new.txt", content: "x" }), says("could not")] as const;
  await using place = openPriced("", ...script, ...script, ...script);
  const isWritten = () => existsSync(join(place.repo, "new.txt"));
  const logs = await begunBy(place, { level: "ReadOnly", maxCostUsd: 0.5 });
  expect(await goneOn(place, logs, "agent")).toEqual(["complete", false]);
  expect(await goneOn(place, logs, "human", { maxCostUsd: 0.001 })).toEqual(["budget", false]);
  expect(await goneOn(place, logs, "agent", { maxCostUsd: 100 })).toEqual(["complete", false]);
  expect(isWritten()).toBe(false);
  expect(await goneOn(place, logs, "human")).toEqual(["complete", true]);
  const capped = await begunBy(place, { maxCostUsd: 0.001 });
  expect((await goneOn(place, capped, "agent", { maxCostUsd: 100 }))[0]).toBe("budget");

  /** A person begins a session, and ends it. */
  async function begunBy(at: TestProject, run: NonNullable<CommandOf<"CreateSession">["run"]>) {
    await using harness = await at.open();
    const connection = await connect(harness);
    const { sessionId } = await connection.send({ kind: "CreateSession", run });
    if (sessionId === undefined) throw new Error("no session");
    const { log } = await reading(await harness.port([])).session(sessionId, EVERYTHING);
    return log;
  }

  async function goneOn(
    at: TestProject,
    resume: LogId,
    identityClass: "human" | "agent",
    run?: CommandOf<"CreateSession">["run"],
  ) {
    await using harness = await at.open();
    const connection = await harness.attach({ identityClass, label: "outer" });
    await connection.handshake(PROTOCOL_VERSION);
    const wanted = { kind: "CreateSession", resume, ...(run === undefined ? {} : { run }) } as const;
    const { sessionId } = await connection.send(wanted);
    if (sessionId === undefined) throw new Error("no session");
    return [await turnIn(connection, sessionId), isWritten()];
  }
});

const PERSONAL = [
  { appendSystemPrompt: "Obey." },
  { allow: ["Bash"] },
  { addDirs: ["/usr/share/doc"] },
  { mcpServers: [{ transport: "stdio", name: "x", cmd: "/bin/false", args: [], env: {} }] },
] satisfies (Partial<SessionWishes> & CommandOf<"CreateSession">["run"])[];

test.each(PERSONAL)("[CLI-02 CTL-11] an agent cannot set %j for its session", async (run) => {
  await using place = openPlace(says("ok"));
  await using harness = await place.open();
  const connection = await harness.attach({ identityClass: "agent", label: "outer" });
  await connection.handshake(PROTOCOL_VERSION);
  await expect(connection.send({ kind: "CreateSession", run })).rejects.toMatchObject({
    reason: "InvalidCommand",
    message: expect.stringContaining(`run.${Object.keys(run)[0]} is for a person to say`),
  });
});

test.each(PERSONAL)(
  "[CLI-02] %j of an engine's command line holds for no session of a client",
  async (flag) => {
    const plans: SessionPlan[] = [];
    await using place = openPlace();
    const features = featureSet([...FEATURES, planProbe(plans)]);
    await using harness = await openHarness(place.options({ features, wishes: flag }), signal);
    const connection = await connect(harness);
    await connection.send({ kind: "CreateSession" });
    await connection.send({ kind: "CreateSession", run: flag });
    const names = Object.keys(flag);
    const seen = plans.map(({ wishes }) => names.filter((name) => Object.hasOwn(wishes, name)));
    expect(seen).toEqual([names, [], names]);
  },
);

/** Returns a feature that records the plan of each session that it is opened in. */
function planProbe(plans: SessionPlan[]): Feature {
  return {
    name: "probe",
    isUsed: () => true,
    open(host) {
      plans.push(host.plan());
      return Promise.resolve(undefined);
    },
  };
}

test("[LIB-10 PROF-01] a plan has wishes, and no other option of its engine", async () => {
  const plans: SessionPlan[] = [];
  await using place = openPlace();
  const options = place.options({
    features: featureSet([...FEATURES, planProbe(plans)]),
    wishes: { maxTurns: 3 },
    profile: "self",
  });
  {
    await using harness = await openHarness(options, signal);
    const connection = await connect(harness);
    await connection.send({ kind: "CreateSession" });
    await using _bare = await openBareSession(options, signal);
  }
  const wishes = {
    attended: false,
    autoApprove: false,
    environment: options.wishes.environment,
    maxTurns: 3,
  };
  const first = { ...wishes, strictPermissions: false };
  expect(plans.map((plan) => plan.wishes)).toEqual([first, { ...first, begun: {} }, first]);
});

test("[PROF-01] a relative path in default_profile is relative to the working directory for every reader", async () => {
  const plans: SessionPlan[] = [];
  await using place = openPlace();
  const own = readFileSync(join(place.root, "config/config.toml"), "utf8");
  place.config(`default_profile = "profiles/mine.toml"\n${own}`);
  place.write("profiles/mine.toml", 'name = "mine"\n');
  const options = place.options({ features: featureSet([...FEATURES, planProbe(plans)]) });
  const path = join(place.repo, "profiles/mine.toml");
  await using harness = await openHarness(options, signal);
  expect(harness.profile).toBe(path);
  await using bare = await openBareSession(options, signal);
  const { reference } = await effectiveKeys(options);
  expect([reference, ...plans.map((plan) => plan.reference)]).toEqual([path, path, path]);
  expect(bare.plan.profile.name).toBe("mine");
});
