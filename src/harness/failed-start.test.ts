import { expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { serverToml } from "../../test/support/mcp-servers.ts";
import { says } from "../../test/support/mock-provider/turn.ts";
import { connect, openPlace, turn } from "../../test/support/place.ts";

const SERVER = { cmd: "/usr/bin/true", args: [] };

test("[LIFE-01 SES-11] a run that cannot be composed lets go of its log, which can be gone on with once that is mended", async () => {
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
