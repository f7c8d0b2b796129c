import { expect, test } from "bun:test";
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as fc from "fast-check";
import { holds } from "../../test/support/property.ts";
import { until } from "../../test/support/until.ts";
import { temporaryDirectory, testWorld } from "../../test/support/world.ts";
import { SILENT } from "../base/log.ts";
import { hostWorld } from "../host/host.ts";
import { loadProfile } from "./profile.ts";
import { listProfiles } from "./profile-files.ts";
import type { Promotion } from "./promoted.ts";
import { promotedPath, promoteRule } from "./promoted.ts";

const world = testWorld();
const { files } = world;
const HERE = { rule: "Bash:npm test", directory: "/w/app" };
const BLOCK = '[[promoted]]\nrule = "Bash:npm test"\ndirectory = "/w/app"\n';

async function promoted(before: string | undefined, ...rules: readonly Promotion[]): Promise<string> {
  await using directory = temporaryDirectory();
  const path = join(directory.path, "mine.toml");
  if (before !== undefined) writeFileSync(path, before, { mode: 0o644 });
  for (const rule of rules) await promoteRule(world, path, rule);
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

test("[PERM-07] a new file is the user's alone, and what cannot be added to is left as it is, and told", async () => {
  await using directory = temporaryDirectory();
  const path = join(directory.path, "mine.toml");
  await promoteRule(world, path, HERE);
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
    await expect(promoteRule(world, path, HERE)).rejects.toThrow(path);
    expect(readFileSync(path, "utf8")).toBe(text);
  }
});

test("[PERM-07] rules that several sessions and processes promote at once all stand in the file", async () => {
  await using directory = temporaryDirectory();
  const path = join(directory.path, "mine.toml");
  const own = hostWorld(SILENT);
  const rules = Array.from({ length: 12 }, (_, index) => `Bash:task ${index}`);
  await Promise.all(rules.map((rule) => promoteRule(own, path, { rule })));
  const program = `
    import { hostWorld } from ${JSON.stringify(join(import.meta.dir, "../host/host.ts"))};
    import { SILENT } from ${JSON.stringify(join(import.meta.dir, "../base/log.ts"))};
    import { promoteRule } from ${JSON.stringify(join(import.meta.dir, "promoted.ts"))};
    const [path, rule] = process.argv.slice(2);
    await promoteRule(hostWorld(SILENT), path, { rule });`;
  const file = join(directory.path, "promote.ts");
  writeFileSync(file, program);
  const flags = ["--no-install", "--no-env-file", "--config=/dev/null"];
  const others = Array.from({ length: 6 }, (_, index) => `Bash:other ${index}`);
  const children = others.map((rule) =>
    Bun.spawn([process.execPath, ...flags, file, path, rule], { stderr: "inherit" }),
  );
  expect(await Promise.all(children.map(({ exited }) => exited))).toEqual(others.map(() => 0));
  const text = readFileSync(path, "utf8");
  expect([...rules, ...others].filter((rule) => !text.includes(`rule = "${rule}"`))).toEqual([]);
  expect(readdirSync(directory.path).sort()).toEqual(["mine.toml", "promote.ts"]);
}, 60_000);

test("[PERM-07] a file that another process holds for seconds is left as it is, and the rule is told", async () => {
  await using directory = temporaryDirectory();
  const path = join(directory.path, "mine.toml");
  writeFileSync(path, BLOCK);
  const { pid, processStart: start } = world.machine;
  writeFileSync(`${path}.held`, JSON.stringify({ pid, start }));
  const alive = { ...world, machine: { ...world.machine, isAlive: () => true } };
  let told: unknown;
  void promoteRule(alive, path, { rule: "Edit" }).catch((thrown: unknown) => {
    told = thrown;
  });
  await until("it has given up", async () => {
    await world.clock.advance(500);
    return told !== undefined;
  });
  expect(String(told)).toMatch(/"Edit" could not be added .* \(another cinch holds .*\.held\)/u);
  expect(readFileSync(path, "utf8")).toBe(BLOCK);
});

test("[PERM-07 PROF-01] the rules of an embedded profile stand in a file beside the user's profiles, which is none itself", async () => {
  await using directory = temporaryDirectory();
  const profiles = directory.path;
  const path = promotedPath("embedded:default", profiles);
  expect(path).toBe(join(profiles, "default.rules.toml"));
  const before = await loadProfile({ files }, "default", profiles);
  await promoteRule(world, path, HERE);
  const after = await loadProfile({ files }, "default", profiles);
  const rule = { effect: "allow", text: HERE.rule, promoted: { directory: "/w/app" } };
  expect(after.permissions.rules).toEqual([
    ...before.permissions.rules,
    expect.objectContaining({ ...rule, where: expect.anything() }),
  ]);
  expect({ ...after, permissions: 0, files: 0 }).toEqual({ ...before, permissions: 0, files: 0 });
  expect(after.files).toEqual([path]);
  expect((await loadProfile({ files }, "self", profiles)).files).toEqual([]);
  expect((await listProfiles({ files }, profiles)).map(({ name }) => name)).not.toContain("default.rules");
  writeFileSync(path, '[[promoted]]\nrul = "Edit"\n');
  await expect(loadProfile({ files }, "default", profiles)).rejects.toThrow(path);
});

test("[PERM-07] property: any rule that is promoted is read again as itself", async () => {
  await holds(
    fc.asyncProperty(fc.string({ minLength: 1, unit: "binary" }), async (text) => {
      await using directory = temporaryDirectory();
      const path = join(directory.path, "mine.toml");
      if (!text.isWellFormed()) return;
      await promoteRule(world, path, { rule: `Bash:=${text}`, directory: `/w/${text}` });
      const { permissions } = await loadProfile({ files }, path, directory.path);
      const [rule] = permissions.rules.filter(({ promoted }) => promoted !== undefined);
      expect([rule?.text, rule?.promoted]).toEqual([`Bash:=${text}`, { directory: `/w/${text}` }]);
    }),
    60,
  );
}, 300_000);
