import { expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryDirectory } from "../../test/support/world.ts";
import { parseArguments } from "./arguments.ts";
import { findSecrets } from "./secrets.ts";

test("[CRED-01 CRED-03] a machine key in the keychain is a secret to keep, whether or not there is a key of a provider", async () => {
  await using home = temporaryDirectory();
  const invocation = parseArguments(["-p", "go", "--cwd", home.path]);
  if (!("settings" in invocation)) throw new Error(invocation.kind);
  const folder = join(home.path, ".config/cinch");
  mkdirSync(folder, { recursive: true });
  const kept = async (config: string) => {
    writeFileSync(join(folder, "config.toml"), config);
    return (await findSecrets({ HOME: home.path }, invocation.settings)) !== undefined;
  };
  expect(await kept("[credentials]\nkeychain = true\n")).toBe(true);
  expect(await kept("[credentials]\nkeychain = false\n")).toBe(false);
  expect(await kept("# no keychain\n")).toBe(false);
  expect(await kept("keychain = [broken\n")).toBe(false);
});
