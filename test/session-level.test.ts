import { expect, test } from "bun:test";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { OpenHarness } from "../src/app/harness.ts";
import type { CommandOf } from "../src/protocol/commands/commands.ts";
import type { Connection } from "../src/protocol/connection.ts";
import { readCommand } from "../src/protocol/read.ts";
import { PROTOCOL_VERSION } from "../src/protocol/version.ts";
import { acknowledgeAll } from "./support/acknowledge.ts";
import type { Turn } from "./support/mock-provider/turn.ts";
import { calls, says } from "./support/mock-provider/turn.ts";
import { connect, follow, openPlaceWith } from "./support/place.ts";

/** A model that writes a file named after the number of its request, then says so. */
function writingPlace(...more: readonly Turn[]) {
  let written = 0;
  const rest = [...more];
  return openPlaceWith(({ body }): Turn => {
    const said = JSON.stringify(body["messages"]);
    if (rest.length > 0) return rest.shift() ?? says("");
    if (said.lastIndexOf("tool_result") > said.lastIndexOf("go")) return says("done");
    written += 1;
    return calls("Write", { file_path: `made-${written}.txt`, content: "x" });
  });
}

async function setLevel(
  connection: Connection,
  { session: sessionId }: OpenHarness,
  level: CommandOf<"SetLevel">["level"],
) {
  return (await connection.send({ kind: "SetLevel", sessionId, level })).result;
}

test("[CTL-19 PERM-02] a level counts for the next call, also of the turn that runs, and every client learns of it", async () => {
  await using place = writingPlace();
  await using harness = await place.open({ wishes: { attended: true } });
  await using client = await follow(harness);
  await using other = await follow(harness);
  const made = (at: number) => existsSync(join(place.repo, `made-${at}.txt`));
  await client.say("go");
  await client.turns(1);
  expect(made(1)).toBe(true); // the level of the default profile lets it write
  expect(await setLevel(client.connection, harness, "ReadOnly")).toEqual({ level: "ReadOnly" });
  await client.say("go");
  const { callId } = (await client.question()).payload;
  expect(made(2)).toBe(false);
  await setLevel(other.connection, harness, "WorkspaceWrite");
  const { session: sessionId } = harness;
  await client.connection.send({ kind: "AnswerPermission", sessionId, callId, decision: "deny" });
  await client.turns(2);
  await client.say("go");
  await client.turns(3);
  expect(made(3)).toBe(true);
  const changes = other.seen.flatMap((event) => (event.kind === "LevelChanged" ? [event.payload] : []));
  expect(changes).toEqual([
    { level: "ReadOnly", by: client.connection.clientId, who: { label: "test", identityClass: "human" } },
    {
      level: "WorkspaceWrite",
      by: other.connection.clientId,
      who: { label: "test", identityClass: "human" },
    },
  ]);
  await setLevel(client.connection, harness, "WorkspaceWrite"); // no other level: nothing is emitted
  expect(other.seen.filter(({ kind }) => kind === "LevelChanged")).toHaveLength(2);
});

test("[CTL-19 PROF-03] a restriction of the repository holds against a level that a person sets", async () => {
  await using place = writingPlace();
  place.write(".cinch/config.toml", '[permissions]\nlevel = "ReadOnly"\n');
  await acknowledgeAll(place.options());
  await using harness = await place.open({ wishes: { attended: true } });
  const person = await connect(harness);
  const refused = setLevel(person, harness, "WorkspaceWrite");
  await expect(refused).rejects.toThrow("the settings of the repository allow ReadOnly at most");
  await using client = await follow(harness);
  await client.say("go");
  expect((await client.question()).payload.tool).toBe("Write"); // the refused level does not count
  expect(
    client.seen.filter((event) => event.kind === "LevelChanged" && event.payload.by !== undefined),
  ).toEqual([]);
});

test("[CTL-19 PERM-02] a strict session is lowered and brought back to the level of its start, and no further", async () => {
  await using place = writingPlace();
  mkdirSync(join(place.root, "config/profiles"));
  writeFileSync(
    join(place.root, "config/profiles/firm.toml"),
    'permissions = { level = "WorkspaceWrite", strict = true, allow = ["Write:**"] }\n',
  );
  await using harness = await place.open({ profile: "firm", wishes: { attended: true } });
  const person = await connect(harness);
  await setLevel(person, harness, "ReadOnly");
  await setLevel(person, harness, "WorkspaceWrite");
  await expect(setLevel(person, harness, "DangerFullAccess")).rejects.toThrow(
    "the session is strict, and began with WorkspaceWrite",
  );
});

test("[CTL-19 AUTH-07] an agent sets no level, not even in its own session, and an unknown level is refused", async () => {
  await using place = writingPlace();
  await using harness = await place.open({ wishes: { attended: true } });
  const agent = await harness.attach({ identityClass: "agent", label: "a model" });
  await agent.handshake(PROTOCOL_VERSION);
  await expect(setLevel(agent, harness, "DangerFullAccess")).rejects.toThrow("only a client of class human");
  const { session: sessionId } = harness;
  for (const fields of [{ level: "Root" }, {}, { level: 7 }])
    expect(() => readCommand({ kind: "SetLevel", sessionId, ...fields })).toThrow("level");
});

test("[CTL-19 PROF-02] a session that continues under another profile keeps the level that a person has set", async () => {
  await using place = writingPlace(says("hello"));
  await using harness = await place.open({ wishes: { attended: true } });
  mkdirSync(join(place.root, "config/profiles"));
  writeFileSync(join(place.root, "config/profiles/mine.toml"), 'permissions = "preset/default.toml"\n');
  await using client = await follow(harness);
  const { connection } = client;
  await client.say("hello");
  await client.turns(1);
  await setLevel(connection, harness, "ReadOnly");
  const { sessionId } = await connection.send({
    ...{ kind: "SwitchProfile", sessionId: harness.session, profile: "mine" },
  });
  if (sessionId === undefined) throw new Error("no session continues");
  const leave = new AbortController();
  const events = connection.subscribe(sessionId, { signal: leave.signal });
  await connection.send({ kind: "SendInput", sessionId, content: [{ type: "text", text: "go" }] });
  for await (const event of events) {
    expect(event.kind).not.toBe("ToolResult");
    if (event.kind === "PermissionRequested") break;
  }
  leave.abort();
  expect(existsSync(join(place.repo, "made-1.txt"))).toBe(false);
});

test("[CTL-19] --auto-approve with a level is explained: it says yes to what is above", async () => {
  await using place = writingPlace();
  await using harness = await place.open({ wishes: { attended: true, autoApprove: true } });
  const person = await connect(harness);
  expect(await setLevel(person, harness, "ReadOnly")).toMatchObject({
    level: "ReadOnly",
    notices: [expect.stringContaining("--auto-approve")],
  });
});
