import { expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { OpenHarness } from "../src/app/harness.ts";
import type { Connection } from "../src/protocol/connection.ts";
import type { ResultOf } from "../src/protocol/queries/queries.ts";
import { readQuery } from "../src/protocol/queries/read-query.ts";
import { PROTOCOL_VERSION } from "../src/protocol/version.ts";
import type { Turn } from "./support/mock-provider/turn.ts";
import { calls, says } from "./support/mock-provider/turn.ts";
import type { Following, TestProject } from "./support/place.ts";
import { connect, follow, openPlace } from "./support/place.ts";

type Rules = ResultOf<"ListRules">["rules"];

async function unconfinedPlace(...script: Turn[]): Promise<TestProject> {
  const place = openPlace(...script);
  const config = await Bun.file(join(place.root, "config", "config.toml")).text();
  place.config(`${config}\n[permissions]\nask = ["WebFetch"]\n[sandbox]\nbackend = "none"\n`);
  return place;
}

async function rulesOf(connection: Connection, { session: sessionId }: OpenHarness): Promise<Rules> {
  return (await connection.query({ kind: "ListRules", sessionId })).rules;
}

/** Allows the question that is open, by the rule that it shows. */
async function allow(client: Following, { session: sessionId }: OpenHarness): Promise<void> {
  const { callId } = (await client.question()).payload;
  const answer = { decision: "allow", scope: "argv_glob" } as const;
  await client.connection.send({ kind: "AnswerPermission", sessionId, callId, ...answer });
}

test("[PERM-07 CTL-19] the rules of a session are listed with their place, and what can be done about each", async () => {
  await using place = await unconfinedPlace(calls("Bash", { command: "touch made.txt" }), says("done"));
  mkdirSync(join(place.root, "config/profiles"));
  writeFileSync(
    join(place.root, "config/profiles/mine.toml"),
    `[permissions]\ndeny = ["Read:secret/**"]\n\n[[promoted]]\nrule = "Bash:date"\ndirectory = "${place.repo}"\n`,
  );
  await using harness = await place.open({
    profile: "mine",
    wishes: { attended: true, allow: ["Bash:uptime"] },
  });
  await using client = await follow(harness);
  const { connection } = client;
  const before = await rulesOf(connection, harness);
  const standing = { revocable: false, promotable: false };
  expect(before.filter(({ source }) => source !== "preset")).toEqual([
    { rule: "Bash:uptime", effect: "allow", source: "flag", ...standing },
    { rule: "WebFetch", effect: "ask", source: "user", ...standing },
    { rule: "Read:secret/**", effect: "deny", source: "profile", ...standing },
    { rule: "Bash:date", effect: "allow", source: "promoted", directory: place.repo, ...standing },
  ]);
  await client.say("go");
  await allow(client, harness);
  await client.turns(1);
  const rule = "Bash:touch made.txt";
  const [first, ...rest] = await rulesOf(connection, harness);
  expect([first, rest] as unknown).toEqual([
    { rule, effect: "allow", source: "session", revocable: true, promotable: true, ts: expect.any(String) },
    before,
  ]);
  expect(new Date(first?.ts ?? "").toISOString()).toBe(first?.ts ?? "");
  await (await connect(harness)).send({ kind: "RevokeRule", sessionId: harness.session, rule });
  expect(await rulesOf(connection, harness)).toEqual(before);
});

test("[PERM-07 CTL-19] of two clients that revoke a rule at once, one is refused", async () => {
  await using place = await unconfinedPlace(calls("Bash", { command: "touch made.txt" }), says("done"));
  await using harness = await place.open({ wishes: { attended: true } });
  await using client = await follow(harness);
  const { session: sessionId } = harness;
  await client.say("go");
  await allow(client, harness);
  await client.turns(1);
  const rule = "Bash:touch made.txt";
  const others = await Promise.all([connect(harness), connect(harness)]);
  const outcomes = await Promise.allSettled(
    others.map((other) => other.send({ kind: "RevokeRule", sessionId, rule })),
  );
  expect(outcomes.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
  expect(client.seen.filter(({ kind }) => kind === "RuleRevoked")).toHaveLength(1);
  expect((await rulesOf(client.connection, harness)).filter(({ source }) => source === "session")).toEqual(
    [],
  );
});

test("[PERM-07 CTL-19] rules are listed to a client that may see the session, and a bad request is refused", async () => {
  await using place = await unconfinedPlace();
  await using harness = await place.open({ wishes: { attended: true } });
  const blind = await harness.attach({
    identityClass: "agent",
    label: "another",
    scope: { sessions: [], commands: "all" },
  });
  await blind.handshake(PROTOCOL_VERSION);
  await expect(rulesOf(blind, harness)).rejects.toMatchObject({ reason: "Forbidden" });
  const person = await connect(harness);
  expect((await rulesOf(person, harness)).map(({ source }) => source)).toContain("preset");
  expect(() => readQuery({ kind: "ListRules", sessionId: "no" })).toThrow("sessionId");
  expect(() => readQuery({ kind: "ListRules" })).toThrow("sessionId");
});
