import { describe, expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { SECTIONS } from "../src/app/plan/sections.ts";
import { TOOLS } from "../src/app/plan/tool-list.ts";
import { loadConfig } from "../src/config/config.ts";
import { loadProfile } from "../src/config/profile.ts";
import { settingsOf } from "../src/config/settings/settings.ts";
import { limitsSection } from "../src/features/limits/config.ts";
import type { InspectionOptions } from "../src/guard/permissions/inspection/inspect-command.ts";
import { inspectCommand } from "../src/guard/permissions/inspection/inspect-command.ts";
import { judge } from "../src/guard/permissions/judge/judge.ts";
import { policyFrom } from "../src/guard/permissions/policy.ts";
import { VENDORS } from "../src/providers/vendors.ts";
import type { SettingsFile } from "../src/session/config-section.ts";
import { PACK_NAMES } from "../src/tools/select-packs.ts";
import type { CallPlan } from "../src/tools/tool.ts";
import type { Level } from "../src/tools/tool-facts.ts";
import { blocksOf } from "./support/documents.ts";
import { requireProgram } from "./support/requires.ts";
import { readSource } from "./support/source.ts";
import { temporaryDirectory, testWorld } from "./support/world.ts";

const PAGE = "docs/configuration.md";
const TEXT = readSource(PAGE);
const world = testWorld();

/** The TOML blocks by the file that their first line names. */
const BLOCKS = new Map(
  blocksOf(PAGE, TEXT)
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

describe("[DOC-01] docs/configuration.md", () => {
  test("[PROF-03] config.toml as it is shown is one that is read, with every key that there is", async () => {
    const { config } = await load("config.toml", BLOCKS.get("config.toml") ?? "");
    expect(config).toMatchObject({
      defaultModel: "local:qwen3-coder",
      providers: [{ name: "local", headers: { "x-team": "tools" } }],
      permissions: { level: "WorkspaceWrite", strict: false, quiet: true },
    });
    expect(config?.sections.get("limits")).toMatchObject({ roundsMax: 30, costUsd: 2.5 });
    expect(config?.permissions.rules).toHaveLength(5);
    expect(keysIn("config.toml")).toEqual(declaredKeys("config"));
  });

  test("[PROF-01] the profile that is shown has every key, at its default", async () => {
    const shown = BLOCKS.get("profiles/NAME.toml") ?? "";
    const empty = await load("mine.toml", 'name = "mine"\n');
    expect(withoutPlaces(await load("mine.toml", shown))).toEqual(withoutPlaces(empty));
    const all = shown.replaceAll(/^# (?=\[|\w+ = )/gm, "");
    const { profile } = await load("mine.toml", all);
    expect(profile?.defaultModel).toBe("anthropic:sonnet");
    if (profile === undefined) throw new Error("no profile");
    expect(settingsOf(limitsSection, { profile: { ...profile, path: "" } })).toMatchObject({
      roundsMax: 50,
      costUsd: 5,
      timeMs: 1_200_000,
      outputTokens: 16_384,
      permissionTimeoutMs: 60_000,
    });
    const named = declaredKeys("profile").filter((key) => TEXT.includes(`\`${key}\``));
    expect(declaredKeys("profile")).toEqual(
      expect.arrayContaining([...keysIn("profiles/NAME.toml"), ...named]),
    );
    for (const pack of PACK_NAMES) expect(shown).toContain(pack);
  });

  test("[PROF-01] the third profile that is shown loads without a warning", async () => {
    const { profile } = await load("review.toml", BLOCKS.get("profiles/review.toml") ?? "");
    expect(profile).toMatchObject({ name: "review", permissions: { level: "ReadOnly", strict: true } });
  });

  requireProgram("git")(
    "[PERM-02 PERM-09] every line of the permission table is the verdict of the gate",
    async () => {
      const rows = [
        ...TEXT.matchAll(/^\| (?:(allow|ask|deny) `([^`]+)` )?\| `(\w+) ([^`]+)` \| (\w+) \|$/gm),
      ];
      expect(rows.length).toBeGreaterThan(15);
      const { permissions: profile } = await loadProfile(world, "default", "/nowhere", SECTIONS);
      for (const [line, effect, rule, tool = "", subject = "", verdict] of rows) {
        const rules =
          rule === undefined
            ? []
            : [{ effect: effect as "allow", text: rule, where: { path: PAGE, line: 1, key: rule } }];
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
    for (const variable of variables) expect(TEXT).toContain(`\`${variable}\``);
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

/** The keys that a block shows, commented out or not; headers are the user's own. */
function keysIn(name: string): readonly string[] {
  const text = BLOCKS.get(name) ?? "";
  const keys = [...text.matchAll(/^(?:# )?(?:\[\[?(\w+)(?:\.[^\]]+)?\]|(\w+) = )/gm)].map(
    ([, a, b]) => a ?? b ?? "",
  );
  const lists = [...text.matchAll(/^\[\[\w+\.\w+\.(\w+)\]\]/gm)].flatMap(([, list]) => list ?? []);
  return [...new Set([...keys, ...lists])].sort();
}

/** The names that the declarations have for a file: of tables, and of keys in them. */
function declaredKeys(file: SettingsFile): readonly string[] {
  const found = SECTIONS.flatMap((section) => {
    const aliases = Object.values(section.keys).flatMap(({ configKey }) => configKey ?? []);
    if (section.in !== undefined && section.in !== file) return file === "config" ? aliases : [];
    const keys = Object.values(section.keys).filter((key) => key.in === undefined || key.in === file);
    const inner = keys.flatMap((key) => (key.kind === "tables" ? Object.values(key.keys) : []));
    const names = [...keys, ...inner].map(({ key }) => key);
    return section.shape === "top" ? names : [section.name, ...names];
  });
  return [...new Set(found)].sort();
}

/** Rules name the file they came from. */
function withoutPlaces(value: unknown): unknown {
  const places = ["where", "path", "files"];
  return JSON.parse(
    JSON.stringify(value, (key, inner: unknown) => (places.includes(key) ? undefined : inner)),
  );
}
