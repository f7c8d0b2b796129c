import { expect, test } from "bun:test";
import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as fc from "fast-check";
import { holds } from "../../test/support/property.ts";
import { temporaryDirectory, testWorld } from "../../test/support/world.ts";
import { loadConfig } from "./config.ts";
import { promoteRule } from "./promote.ts";

const { files } = testWorld();

async function promoted(before: string | undefined, ...rules: readonly string[]): Promise<string> {
  await using directory = temporaryDirectory();
  const path = join(directory.path, "config.toml");
  if (before !== undefined) writeFileSync(path, before, { mode: 0o644 });
  for (const rule of rules) await promoteRule(files, path, rule);
  return readFileSync(path, "utf8");
}

test("[PERM-07] a promoted rule stands in config.toml, which keeps all else that was written in it", async () => {
  expect(await promoted(undefined, "Bash:npm test")).toBe('[permissions]\nallow = ["Bash:npm test"]\n');
  expect(await promoted("max_turns = 3 # few", "Edit")).toBe(
    'max_turns = 3 # few\n\n[permissions]\nallow = ["Edit"]\n',
  );
  const written =
    '# mine\n[permissions] # these\nlevel = "ReadOnly"\nallow = [\n  "Read", # to read\n]\n[prices."a:b"]\ninput = 1\noutput = 1\n';
  expect(await promoted(written, 'Bash:=echo "a"', "Read")).toBe(
    written.replace("allow = [", 'allow = ["Bash:=echo \\"a\\"", '),
  );
  const without = '[permissions]\nlevel = "ReadOnly"\n\n[prices."a:b"]\ninput = 1\noutput = 1\n';
  expect(await promoted(without, "Edit")).toBe(
    without.replace("[permissions]\n", '[permissions]\nallow = ["Edit"]\n'),
  );
  expect(await promoted("[permissions]\nallow = []\n", "Edit")).toBe('[permissions]\nallow = ["Edit"]\n');
});

test("[PERM-07] a new file is the user's alone, and what cannot be added to is left as it is, and told", async () => {
  await using directory = temporaryDirectory();
  const path = join(directory.path, "config.toml");
  await promoteRule(files, path, "Edit");
  expect(statSync(path).mode & 0o777).toBe(0o600);
  for (const text of [
    'permissions = { allow = ["Read"] }\n',
    'permissions.allow = ["Read"]\n',
    "[permissions\n",
    '[permissions]\nallow = "Read"\n',
  ]) {
    writeFileSync(path, text);
    await expect(promoteRule(files, path, "Edit")).rejects.toThrow(path);
    expect(readFileSync(path, "utf8")).toBe(text);
  }
});

test("[PERM-07] property: any rule that is promoted is read again as itself", async () => {
  await holds(
    fc.asyncProperty(fc.string({ minLength: 1, unit: "binary" }), async (text) => {
      await using directory = temporaryDirectory();
      const path = join(directory.path, "config.toml");
      if (!text.isWellFormed()) return;
      await promoteRule(files, path, `Bash:=${text}`);
      const { permissions } = await loadConfig({ files }, path);
      expect(permissions.rules.map((rule) => rule.text)).toEqual([`Bash:=${text}`]);
    }),
    60,
  );
}, 300_000);
