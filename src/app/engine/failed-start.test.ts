import { expect, test } from "bun:test";
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { serverToml } from "../../../test/support/mcp-servers.ts";
import { says } from "../../../test/support/mock-provider/turn.ts";
import { connect, openPlace, turn } from "../../../test/support/place.ts";

const SERVER = { cmd: "/usr/bin/true", args: [] };

test("[LIFE-01 SES-11] a run that cannot be composed lets go of its log, which can be resumed once that is fixed", async () => {
  await using place = openPlace(says("hello"), says("here I am"));
  const profiles = join(place.root, "config/profiles");
  const profile = join(profiles, "twice.toml");
  mkdirSync(profiles);
  writeFileSync(profile, `name = "twice"\n`);
  const earlier = await place.open({ profile: "twice" });
  await turn(earlier, "hi");
  await earlier[Symbol.asyncDispose]();
  writeFileSync(profile, `name = "twice"\n${serverToml("db", SERVER)}${serverToml("DB", SERVER)}`);
  await using harness = await place.open();
  const connection = await connect(harness);
  const resume = { kind: "CreateSession", resume: earlier.logId } as const;
  for (const _time of [1, 2])
    await expect(connection.send(resume)).rejects.toThrow("Two MCP servers have the name 'DB'");
  writeFileSync(profile, `name = "twice"\n`);
  const { sessionId } = await connection.send(resume);
  expect(sessionId).toStartWith("sess_");
});

test("[MCP-05] a server whose record cannot be read keeps a session from starting, and none once the record is mended", async () => {
  await using place = openPlace();
  const config = join(place.root, "config");
  mkdirSync(join(config, "profiles"));
  writeFileSync(join(config, "profiles/db.toml"), `name = "db"\n${serverToml("db", SERVER)}`);
  const records = join(config, "mcp-servers");
  symlinkSync(records, records); // it leads to itself: nothing below it can be read
  await using harness = await place.open();
  const connection = await connect(harness);
  const create = { kind: "CreateSession", profile: "db" } as const;
  await expect(connection.send(create)).rejects.toThrow(records);
  rmSync(records);
  const { sessionId } = await connection.send(create);
  expect(sessionId).toStartWith("sess_");
});
