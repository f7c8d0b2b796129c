import { expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { filesUnder, readSource } from "../../test/support/source.ts";
import { temporaryDirectory, testWorld } from "../../test/support/world.ts";
import { SECTIONS } from "../app/plan/sections.ts";
import { byteLength } from "../base/text/text.ts";
import { contextSourcesPart } from "../features/agents-md/config.ts";
import { projectHooksPart } from "../features/hooks/config.ts";
import { mcpSection } from "../features/mcp/config.ts";
import { skillPacksPart } from "../features/skills/config.ts";
import { loadProfile, lookThroughProfile } from "./profile.ts";
import { limitsSection } from "./sections/limits.ts";
import { saidOf } from "./settings/read-section.ts";
import { settingsOf } from "./settings/settings.ts";

const world = testWorld();

test("[PROF-01 PERM-05] the default profile needs no file, and denies the programs that print stored passwords", async () => {
  const profile = await loadProfile(world, "default", "/nowhere/profiles", SECTIONS);
  expect({ ...profile, promptHeader: "", permissions: undefined }).toEqual({
    name: "default",
    path: "embedded:default",
    files: [],
    defaultModel: "zai:glm-4.6",
    promptHeader: "",
    toolPacks: ["builtin"],
    sections: expect.any(Map),
    plugins: [],
    permissions: undefined,
    toolExecution: "parallel-read-only",
    warnings: [],
  });
  expect({
    ...settingsOf(contextSourcesPart, { profile }),
    ...settingsOf(skillPacksPart, { profile }),
    ...settingsOf(projectHooksPart, { profile }),
  }).toEqual({ contextSources: ["AGENTS.md"], skillPacks: ["builtin"], allowProjectHooks: false });
  expect(profile.permissions).toMatchObject({ level: "WorkspaceWrite", strict: false, quiet: true });
  expect(profile.permissions.rules.map(({ effect, text }) => `${effect} ${text}`)).toEqual([
    "deny Bash:security *",
    "deny Bash:secret-tool *",
    "deny Bash:keyctl *",
    "deny Bash:kwalletcli *",
    "allow Write:**",
    "allow Edit:**",
    "allow MultiEdit:**",
    "allow MemoryWrite",
    "allow MemoryForget",
    "allow Agent",
  ]);
});

test("[PROF-01] the profile for work on cinch itself reads AGENTS.md and CLAUDE.md", async () => {
  const profile = await loadProfile(world, "self", "/nowhere", SECTIONS);
  expect(profile).toMatchObject({
    name: "self",
    defaultModel: "openrouter:anthropic/claude-sonnet-4",
    warnings: [],
  });
  const { contextSources } = settingsOf(contextSourcesPart, { profile });
  expect(contextSources).toEqual(["AGENTS.md", "CLAUDE.md"]);
});

test("[PROF-01] the profiles of the program hold no unknown key", async () => {
  await using directory = temporaryDirectory();
  const files = filesUnder("src", "config/profiles/*.toml");
  expect(files).toHaveLength(3);
  for (const file of files) {
    const path = join(directory.path, "p.toml");
    writeFileSync(path, readSource(file));
    const { mistakes } = await lookThroughProfile(world, path, "/nowhere", SECTIONS);
    expect(
      mistakes.flatMap(({ key, problem }) => (key === "name" ? [] : `${file}: ${key}: ${problem}`)),
    ).toEqual([]);
  }
});

test("[PROF-01 PERF-06] the words of a profile stay small", async () => {
  for (const name of ["default", "self"]) {
    const { promptHeader } = await loadProfile(world, name, "/nowhere", SECTIONS);
    expect(byteLength(promptHeader)).toBeLessThan(1_250);
    expect(byteLength(promptHeader)).toBeGreaterThan(400);
  }
});

test("[PROF-01] a third profile needs no code, and a file of the user's goes before one in the program", async () => {
  await using directory = temporaryDirectory();
  const profiles = join(directory.path, "profiles");
  mkdirSync(join(profiles, "preset"), { recursive: true });
  writeFileSync(join(profiles, "default.toml"), 'name = "default"\ndefault_model = "local:x"\n');
  writeFileSync(join(profiles, "preset/mine.toml"), 'level = "ReadOnly"\nstrict = true\ndeny = ["Bash"]\n');
  writeFileSync(
    join(profiles, "third.toml"),
    `schema_version = 1
context_sources = ["AGENTS.md", ".cursor/rules/*.mdc"]
permissions = "preset/mine.toml"
tool_execution = "parallel-read-only"
[[mcp_servers]]
name = "db"
cmd = "db-server"
args = ["mcp"]
sha256 = "${"A1".repeat(32)}"
[limits]
rounds = 5
permission_timeout = 30
`,
  );
  expect(await loadProfile(world, "default", profiles, SECTIONS)).toMatchObject({
    path: join(profiles, "default.toml"),
    defaultModel: "local:x",
    permissions: { level: "WorkspaceWrite" },
  });
  const third = await loadProfile(world, "third", profiles, SECTIONS);
  expect(settingsOf(contextSourcesPart, { profile: third }).contextSources).toEqual([
    "AGENTS.md",
    ".cursor/rules/*.mdc",
  ]);
  expect(third).toMatchObject({
    name: "third",
    permissions: { level: "ReadOnly", strict: true, rules: [{ effect: "deny", text: "Bash" }] },
    toolExecution: "parallel-read-only",
  });
  const { roundsMax, permissionTimeoutMs } = settingsOf(limitsSection, { profile: third });
  expect([roundsMax, permissionTimeoutMs]).toEqual([5, 30_000]);
  expect(saidOf(third.sections, mcpSection)).toEqual([
    {
      name: "db",
      transport: "stdio",
      cmd: "db-server",
      args: ["mcp"],
      env: {},
      passEnv: [],
      sha256: "a1".repeat(32),
      eagerToolsMax: 20,
      where: { path: expect.stringMatching(/\.toml$/), line: expect.any(Number), key: "mcp_servers.name" },
    },
  ]);
  await expect(loadProfile(world, "fourth", profiles, SECTIONS)).rejects.toThrow(
    "There is no profile 'fourth'. Known: default, self, conformance, third; a path must exist.",
  );
});

test("[PROF-01] a path to a profile must exist", async () => {
  await using directory = temporaryDirectory();
  const path = join(directory.path, "p.toml");
  await expect(loadProfile(world, path, "/nowhere", SECTIONS)).rejects.toThrow(
    `There is no profile '${path}'`,
  );
  writeFileSync(path, 'name = "p"\n[permissions]\nquiet = false\nask = ["Read"]\n');
  expect(await loadProfile(world, path, "/nowhere", SECTIONS)).toMatchObject({
    name: "p",
    path,
    permissions: { quiet: false },
  });
});

test("[PROF-01] the error about a missing path names the user's profiles too; a file without a name has the file's", async () => {
  await using directory = temporaryDirectory();
  const profiles = join(directory.path, "profiles");
  mkdirSync(profiles);
  writeFileSync(join(profiles, "mine.toml"), "[limits]\nrounds = 2\n");
  const path = join(directory.path, "elsewhere.toml");
  await expect(loadProfile(world, path, profiles, SECTIONS)).rejects.toThrow(
    `There is no profile '${path}'. Known: default, self, conformance, mine; a path must exist.`,
  );
  writeFileSync(path, "[limits]\nrounds = 3\n");
  const found = async (name: string) => {
    const profile = await loadProfile(world, name, profiles, SECTIONS);
    return [profile.name, settingsOf(limitsSection, { profile }).roundsMax];
  };
  expect(await found(path)).toEqual(["elsewhere", 3]);
  expect(await found("mine")).toEqual(["mine", 2]);
});

test("[PROF-01] unknown keys warn with the key that may have been meant; wrong values are errors", async () => {
  await using directory = temporaryDirectory();
  const path = join(directory.path, "p.toml");
  const load = async (text: string) => {
    writeFileSync(path, text);
    return await loadProfile(world, path, "/nowhere", SECTIONS);
  };
  expect((await load('name = "p"\n\ncontext_source = ["x"]\n[limits]\nround = 1\n[zzz]\n')).warnings).toEqual(
    [
      `${path}:3: context_source: unknown key; did you mean "context_sources"?`,
      `${path}:6: zzz: unknown key`,
      `${path}:5: limits.round: unknown key; did you mean "rounds"?`,
    ],
  );
  expect((await load('name = "p"\nmodel = "a:b"\n')).warnings).toEqual([
    `${path}:2: model: unknown key; did you mean "default_model"?`,
  ]);
  await expect(load("context_sources = 1\n")).rejects.toThrow(`${path}:1: context_sources: must be a list`);
  for (const name of ["", "a\\u001b[31mb", "a\\nb", "x".repeat(65)]) {
    await expect(load(`name = "${name}"\n`)).rejects.toThrow(
      `${path}:1: name: must be one line of 1 to 64 printable characters`,
    );
  }
  await expect(load('name = "p"\ncontext_sources = 1\n')).rejects.toThrow(
    `${path}:2: context_sources: must be a list of texts`,
  );
  await expect(load('name = "p"\nschema_version = 2\n')).rejects.toThrow(
    "is 2, and this cinch knows 1: upgrade cinch",
  );
  await expect(load('name = "p"\npermissions = "nope"\n')).rejects.toThrow(
    `${path}:2: permissions: there is no preset "nope" at ${directory.path}/nope; the program has preset/default.toml, preset/read-only.toml, preset/ask.toml`,
  );
  for (const folder of ["", "."])
    await expect(load(`name = "p"\npermissions = "${folder}"\n`)).rejects.toThrow(
      `${path}:2: permissions: there is no preset "${folder}" at ${directory.path}`,
    );
  await expect(load('name = "p"\n[permissions]\ndney = []\n')).rejects.toThrow(
    `${path}:3: permissions.dney: unknown key`,
  );
  await expect(load('name = "p"\n[[mcp_servers]]\nname = "x"\n')).rejects.toThrow(
    "mcp_servers.cmd: is missing",
  );
  await expect(load('name = "p"\ntool_execution = "wild"\n')).rejects.toThrow(
    `${path}:2: tool_execution: must be one of`,
  );
});
