import { describe, expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { SECTIONS } from "../src/app/plan/sections.ts";
import { TOOLS } from "../src/app/plan/tool-list.ts";
import { loadConfig } from "../src/config/config.ts";
import { loadProfile } from "../src/config/profile.ts";
import { limitsSection } from "../src/config/sections/limits.ts";
import { settingsOf } from "../src/config/settings/settings.ts";
import type { InspectionOptions } from "../src/guard/permissions/inspection/inspect-command.ts";
import { inspectCommand } from "../src/guard/permissions/inspection/inspect-command.ts";
import { judge } from "../src/guard/permissions/judge/judge.ts";
import { policyFrom } from "../src/guard/permissions/policy.ts";
import { VENDORS } from "../src/providers/vendors.ts";
import { PACK_NAMES } from "../src/tools/select-packs.ts";
import type { CallPlan } from "../src/tools/tool.ts";
import type { Level } from "../src/tools/tool-facts.ts";
import { blocksOf } from "./support/documents.ts";
import { requireProgram } from "./support/requires.ts";
import { readSource } from "./support/source.ts";
import { temporaryDirectory, testWorld } from "./support/world.ts";

const PAGES = ["configuration", "profiles", "permissions", "sandbox", "trust", "keys"].map(
  (name) => `docs/${name}.md`,
);
const RULES = readSource("docs/permissions.md");
const world = testWorld();

/** The TOML blocks of the pages by the file that their first line names. */
const BLOCKS = new Map(
  PAGES.flatMap((page) => blocksOf(page, readSource(page)))
    .filter(({ language }) => language === "toml")
    .map(({ text }) => [/^# (\S+)\n/.exec(text)?.[1] ?? "", text]),
);

async function load(name: string, text: string) {
  await using directory = temporaryDirectory();
  const path = join(directory.path, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  if (name === "config.toml") return { config: await loadConfig(world, path, SECTIONS) };
  const { path: _, warnings, ...profile } = await loadProfile(world, path, directory.path, SECTIONS);
  expect(warnings).toEqual([]);
  return { profile };
}

describe("[DOC-01] the pages about configuration", () => {
  test("[PROF-03] the config.toml that is shown loads", async () => {
    const { config } = await load("config.toml", BLOCKS.get("config.toml") ?? "");
    expect(config).toMatchObject({
      defaultModel: "anthropic:sonnet",
      providers: [{ name: "local", apiKeyEnv: "LOCAL_API_KEY" }],
      permissions: { level: "WorkspaceWrite" },
    });
    expect(config?.sections.get("limits")).toMatchObject({ roundsMax: 30, costUsd: 2.5, timeMs: 1_200_000 });
    expect(config?.permissions.rules).toHaveLength(5);
  });

  test.each(SECTIONS.map((section) => [section.name, section] as const))(
    "[PROF-03] the example of docs/configuration/%s.md loads and shows every key",
    async (name, section) => {
      const text = readSource(`docs/configuration/${name}.md`);
      const block = blocksOf(name, text).find(({ language }) => language === "toml")?.text ?? "";
      const head = name === "profile-head" ? "" : 'name = "mine"\n';
      if (section.in !== "profile" && name !== "limits") await load("config.toml", block);
      const isShared = Object.values(section.keys).every((key) => key.in === undefined);
      if (section.in !== "config" && isShared) await load("mine.toml", `${head}${block}`);
      for (const { key } of Object.values(section.keys)) expect(text).toContain(key);
    },
  );

  test("[PROF-01] the limits of a profile replace the defaults", async () => {
    const { profile } = await load(
      "mine.toml",
      'name = "mine"\n[limits]\nrounds = 50\ncost = 5.00\ntime = "20m"\noutput_tokens = 16384\n',
    );
    if (profile === undefined) throw new Error("no profile");
    expect(settingsOf(limitsSection, { profile: { ...profile, path: "" } })).toMatchObject({
      roundsMax: 50,
      costUsd: 5,
      timeMs: 1_200_000,
      outputTokens: 16_384,
      permissionTimeoutMs: 60_000,
    });
  });

  test("[PROF-01] the profile that is shown loads without a warning, and every tool pack is named", async () => {
    const { profile } = await load("review.toml", BLOCKS.get("profiles/review.toml") ?? "");
    expect(profile).toMatchObject({ name: "review", permissions: { level: "ReadOnly", strict: true } });
    for (const pack of PACK_NAMES) expect(readSource("docs/profiles.md")).toContain(`\`${pack}\``);
  });

  requireProgram("git")(
    "[PERM-02 PERM-09] every line of the permission table is the verdict of the gate",
    async () => {
      const rows = [
        ...RULES.matchAll(/^\| (?:(allow|ask|deny) `([^`]+)` )?\| `(\w+) ([^`]+)` \| (\w+) \|$/gm),
      ];
      expect(rows.length).toBeGreaterThan(15);
      const { permissions: profile } = await loadProfile(world, "default", "/nowhere", SECTIONS);
      for (const [line, effect, rule, tool = "", subject = "", verdict] of rows) {
        const rules =
          rule === undefined
            ? []
            : [
                {
                  effect: effect as "allow",
                  text: rule,
                  where: { path: "docs/permissions.md", line: 1, key: rule },
                },
              ];
        const policy = policyFrom({
          profile,
          user: { rules },
          strictPermissions: false,
          ownDirectories: [],
          tools: TOOLS,
        });
        const plan = planOf(tool, subject.replaceAll("\\|", "|"));
        const view =
          plan.target.kind === "command"
            ? { facts: await inspectCommand(plan.target, PLACE, LOOK) }
            : undefined;
        const decision = judge(
          plan,
          { ...TOOLS.of(tool), name: tool, level: levelOf(tool) },
          policy,
          PLACE,
          view,
        );
        expect(`${line} ${decision.kind}`).toBe(`${line} ${verdict}`);
      }
    },
  );

  test("every variable that may hold the key of a vendor is named", () => {
    const variables = VENDORS.flatMap(({ keyVariable }) => keyVariable ?? []);
    for (const variable of variables) expect(readSource("docs/keys.md")).toContain(`\`${variable}\``);
  });
});

const PLACE = { root: "/home/user/project", scratch: "/home/user/scratch" };
/** The workspace is none of this machine: git is asked where there is no repository. */
const LOOK: InspectionOptions = {
  files: world.files,
  world: { ...world, spawn: (options) => world.spawn({ ...options, cwd: "/" }) },
  env: { PATH: "/usr/local/bin:/usr/bin:/bin" },
  ownDirectories: [],
};

function planOf(tool: string, subject: string): CallPlan {
  if (tool === "Bash") {
    return { summary: subject, target: { kind: "command", command: subject, cwd: PLACE.root } };
  }
  const access = ["Write", "Edit"].includes(tool) ? "write" : "read";
  const path = resolve(PLACE.root, subject);
  return { summary: `${tool}:${subject}`, target: { kind: "paths", paths: [{ path, access }] } };
}

function levelOf(tool: string): Level {
  if (tool === "Bash") return "DangerFullAccess";
  return ["Write", "Edit"].includes(tool) ? "WorkspaceWrite" : "ReadOnly";
}
