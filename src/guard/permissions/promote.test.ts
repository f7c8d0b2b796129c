import { expect, test } from "bun:test";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { until } from "../../../test/support/until.ts";
import { temporaryDirectory, testWorld } from "../../../test/support/world.ts";
import { SILENT_LOG } from "../../base/log.ts";
import { lockDatabase } from "../../platform/files/database-lock.ts";
import { hostWorld } from "../../platform/host.ts";
import { promoteSessionRule } from "./promote.ts";

test("[PERM-07] rules that several sessions and processes promote at once all stand in the file", async () => {
  await using place = openPlace();
  const rules = Array.from({ length: 12 }, (_, index) => `Bash:task ${index}`);
  const sources = { ...place.sources, world: hostWorld(SILENT_LOG), paths: place.paths };
  const program = `
    import { hostWorld } from ${JSON.stringify(join(import.meta.dir, "../../platform/host.ts"))};
    import { SILENT_LOG } from ${JSON.stringify(join(import.meta.dir, "../../base/log.ts"))};
    import { promoteSessionRule } from ${JSON.stringify(join(import.meta.dir, "promote.ts"))};
    const [sources, go, ...rules] = process.argv.slice(2);
    const { paths, ...others } = JSON.parse(sources);
    const world = hostWorld(SILENT_LOG);
    process.stdout.write("ready");
    while ((await world.files.stat(go)) === undefined);
    for (const rule of rules) await promoteSessionRule(rule, { ...others, world, paths });`;
  const file = join(place.folder, "promote.ts");
  writeFileSync(file, program);
  const go = join(place.folder, "go");
  const flags = ["--no-install", "--no-env-file", "--config=/dev/null"];
  const others = Array.from({ length: 4 }, (_, index) =>
    [1, 2, 3].map((each) => `Bash:other ${index}.${each}`),
  );
  const told = JSON.stringify({ ...place.sources, paths: place.paths });
  const children = others.map((some) =>
    Bun.spawn([process.execPath, ...flags, file, told, go, ...some], {
      stdio: ["ignore", "pipe", "inherit"],
    }),
  );
  for (const { stdout } of children) await stdout.getReader().read();
  writeFileSync(go, "");
  await Promise.all(rules.map((rule) => promoteSessionRule(rule, sources)));
  expect(await Promise.all(children.map(({ exited }) => exited))).toEqual(others.map(() => 0));
  const text = readFileSync(place.file, "utf8");
  expect([...rules, ...others.flat()].filter((rule) => !text.includes(`rule = "${rule}"`))).toEqual([]);
  expect(readdirSync(join(place.paths.config, "profiles")).sort()).toEqual([
    ".promote.lock",
    "default.rules.toml",
  ]);
}, 60_000);

test("[PERM-07] a rule that cannot be added because another process holds the lock for seconds is reported", async () => {
  await using place = openPlace();
  const world = testWorld();
  const profiles = join(place.paths.config, "profiles");
  mkdirSync(profiles, { recursive: true });
  using _held = await lockDatabase(
    join(profiles, ".promote.lock"),
    world.clock,
    new AbortController().signal,
  );
  const refused = promoteSessionRule("Edit", { ...place.sources, world, paths: place.paths }).catch(String);
  await until("it waits", () => world.clock.waiting > 0);
  await world.clock.advance(5_000);
  expect(await refused).toContain('the rule "Edit" was not added, because another process has held ');
  expect(existsSync(place.file)).toBe(false);
});

function openPlace() {
  const directory = temporaryDirectory();
  const paths = {
    config: join(directory.path, "config"),
    data: join(directory.path, "data"),
    state: join(directory.path, "state"),
  };
  const root = join(directory.path, "work");
  mkdirSync(root);
  return {
    folder: directory.path,
    paths,
    file: join(paths.config, "profiles/default.rules.toml"),
    sources: {
      profile: { name: "default", path: "embedded:default" },
      root,
      everywhere: true,
    },
    [Symbol.asyncDispose]: () => directory[Symbol.asyncDispose](),
  };
}
