import { expect, test } from "bun:test";
import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as fc from "fast-check";
import { holds } from "../../test/support/property.ts";
import { temporaryDirectory, testWorld } from "../../test/support/world.ts";
import { SECTIONS } from "../app/plan/sections.ts";
import { loadProfile } from "./profile.ts";
import { listProfiles } from "./profile-files.ts";
import type { Promotion } from "./promoted.ts";
import { promotedPath, promoteRule } from "./promoted.ts";

const { files } = testWorld();
const HERE = { rule: "Bash:npm test", directory: "/w/app" };
const BLOCK = '[[promoted]]\nrule = "Bash:npm test"\ndirectory = "/w/app"\n';

async function promoted(before: string | undefined, ...rules: readonly Promotion[]): Promise<string> {
  await using directory = temporaryDirectory();
  const path = join(directory.path, "mine.toml");
  if (before !== undefined) writeFileSync(path, before, { mode: 0o644 });
  for (const rule of rules) await promoteRule(files, path, rule);
  return readFileSync(path, "utf8");
}

test("[PERM-07] a promoted rule stands at the end of a profile, which keeps all else that was written in it", async () => {
  expect(await promoted(undefined, HERE)).toBe(BLOCK);
  expect(await promoted(undefined, { rule: "Edit" })).toBe('[[promoted]]\nrule = "Edit"\n');
  const written =
    '# mine\nname = "mine" # so\n[permissions]\nallow = [\n  "Read", # to read\n]\n[limits]\nrounds = 3';
  expect(await promoted(written, HERE)).toBe(`${written}\n\n${BLOCK}`);
  expect(await promoted(BLOCK, HERE, { rule: "Edit" }, { rule: "Edit", directory: "/w/app" })).toBe(
    `${BLOCK}\n[[promoted]]\nrule = "Edit"\n`,
  );
  const other = { ...HERE, directory: "/w/other" };
  expect(await promoted(BLOCK, other)).toBe(`${BLOCK}\n${BLOCK.replace("/w/app", "/w/other")}`);
});

test("[PERM-07] a new file is readable by the user alone; a file that cannot be extended stays unchanged and is reported", async () => {
  await using directory = temporaryDirectory();
  const path = join(directory.path, "mine.toml");
  await promoteRule(files, path, HERE);
  expect(statSync(path).mode & 0o777).toBe(0o600);
  for (const text of [
    'promoted = [{ rule = "Read" }]\n',
    "promoted = []\n",
    "[promoted]\n",
    "[[promoted]]\n",
    '[[promoted]]\nrule = "Read"\nfolder = "/w"\n',
    '[[promoted]]\nrule = "Read"\ndirectory = "w"\n',
    "[permissions\n",
  ]) {
    writeFileSync(path, text);
    await expect(promoteRule(files, path, HERE)).rejects.toThrow(path);
    expect(readFileSync(path, "utf8")).toBe(text);
  }
});

test("[PERM-07 PROF-01] the rules of an embedded profile stand in a file beside the user's profiles, which is none itself", async () => {
  await using directory = temporaryDirectory();
  const profiles = directory.path;
  const path = promotedPath("embedded:default", profiles);
  expect(path).toBe(join(profiles, "default.rules.toml"));
  const before = await loadProfile({ files }, "default", profiles, SECTIONS);
  await promoteRule(files, path, HERE);
  const after = await loadProfile({ files }, "default", profiles, SECTIONS);
  const rule = { effect: "allow", text: HERE.rule, promoted: { directory: "/w/app" } };
  expect(after.permissions.rules).toEqual([
    ...before.permissions.rules,
    expect.objectContaining({ ...rule, where: expect.anything() }),
  ]);
  expect({ ...after, permissions: 0, files: 0 }).toEqual({ ...before, permissions: 0, files: 0 });
  expect(after.files).toEqual([path]);
  expect((await loadProfile({ files }, "self", profiles, SECTIONS)).files).toEqual([]);
  expect((await listProfiles({ files }, profiles)).map(({ name }) => name)).not.toContain("default.rules");
  writeFileSync(path, '[[promoted]]\nrul = "Edit"\n');
  await expect(loadProfile({ files }, "default", profiles, SECTIONS)).rejects.toThrow(path);
});

test("[PERM-07] property: any rule that is promoted is read again as itself", async () => {
  await holds(
    fc.asyncProperty(fc.string({ minLength: 1, unit: "binary" }), async (text) => {
      await using directory = temporaryDirectory();
      const path = join(directory.path, "mine.toml");
      if (!text.isWellFormed()) return;
      await promoteRule(files, path, { rule: `Bash:=${text}`, directory: `/w/${text}` });
      const { permissions } = await loadProfile({ files }, path, directory.path, SECTIONS);
      const [rule] = permissions.rules.filter(({ promoted }) => promoted !== undefined);
      expect([rule?.text, rule?.promoted]).toEqual([`Bash:=${text}`, { directory: `/w/${text}` }]);
    }),
    60,
  );
}, 300_000);
