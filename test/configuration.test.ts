import { describe, expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { TOOLS } from "../src/app/plan/tool-list.ts";
import { loadConfig } from "../src/config/config.ts";
import { loadProfile } from "../src/config/profile.ts";
import type { Look } from "../src/guard/permissions/inspection/command-facts.ts";
import { examine } from "../src/guard/permissions/inspection/command-facts.ts";
import { judge } from "../src/guard/permissions/judge/judge.ts";
import { policyFrom } from "../src/guard/permissions/policy.ts";
import { VENDORS } from "../src/providers/vendors.ts";
import { PACK_NAMES } from "../src/tools/pack.ts";
import type { CallPlan } from "../src/tools/tool.ts";
import type { Level } from "../src/tools/tool-facts.ts";
import { blocksOf } from "./support/documents.ts";
import { requireProgram } from "./support/requires.ts";
import { filesUnder, isTest, readSource } from "./support/source.ts";
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
  if (name === "config.toml") return { config: await loadConfig(world, path) };
  const { path: _, warnings, ...profile } = await loadProfile(world, path, directory.path);
  expect(warnings).toEqual([]);
  return { profile };
}

describe("[DOC-01] docs/configuration.md", () => {
  test("[PROF-03] config.toml as it is shown is one that is read, with every key that there is", async () => {
    const { config } = await load("config.toml", BLOCKS.get("config.toml") ?? "");
    expect(config).toMatchObject({
      defaultModel: "local:qwen3-coder",
      maxTurns: 30,
      maxCostUsd: 2.5,
      providers: [{ name: "local", headers: { "x-team": "tools" } }],
      permissions: { level: "WorkspaceWrite", strict: false, quiet: true },
    });
    expect(config?.permissions.rules).toHaveLength(5);
    expect(keysIn("config.toml")).toEqual(
      keysOf(
        "src/config/sections/agents.ts",
        "src/config/sections/checkpoint.ts",
        "src/config/sections/compaction.ts",
        "src/config/providers/thinking.ts",
        "src/config/config.ts",
        "src/config/sections/diagnostics.ts",
        "src/config/sections/hooks.ts",
        "src/config/mcp/mcp.ts",
        "src/config/sections/memory.ts",
        "src/config/sections/tasks.ts",
        "src/config/sections/permissions.ts",
        "src/config/sections/plugins.ts",
        "src/config/providers/providers.ts",
        "src/config/providers/routing.ts",
        "src/config/sections/sandbox.ts",
        "src/config/sections/session-settings.ts",
        "src/config/sections/telemetry.ts",
        "src/config/providers/vendor-settings.ts",
      ),
    );
  });

  test("[PROF-01] the profile that is shown has every key, at its default", async () => {
    const shown = BLOCKS.get("profiles/NAME.toml") ?? "";
    const empty = await load("mine.toml", 'name = "mine"\n');
    expect(withoutPlaces(await load("mine.toml", shown))).toEqual(withoutPlaces(empty));
    const all = shown.replaceAll(/^# (?=\[|\w+ = )/gm, "");
    expect((await load("mine.toml", all)).profile).toMatchObject({
      defaultModel: "anthropic:sonnet",
      limits: {
        rounds: 50,
        costUsd: 5,
        timeMs: 1_200_000,
        outputTokens: 16_384,
        permissionTimeoutMs: 60_000,
      },
    });
    const inText = keysOf("src/config/mcp/mcp.ts").filter((key) => TEXT.includes(`\`${key}\``));
    const told = new Set([...keysIn("profiles/NAME.toml"), ...inText]);
    expect([...told].sort()).toEqual([
      ...keysOf(
        "src/config/sections/agents.ts",
        "src/config/sections/checkpoint.ts",
        "src/config/sections/compaction.ts",
        "src/config/sections/diagnostics.ts",
        "src/config/providers/thinking.ts",
        "src/config/profile.ts",
        "src/config/sections/hooks.ts",
        "src/config/mcp/mcp.ts",
        "src/config/sections/memory.ts",
        "src/config/sections/plugins.ts",
        "src/config/sections/tasks.ts",
        "src/config/sections/session-settings.ts",
      ),
    ]);
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
      const { permissions: profile } = await loadProfile(world, "default", "/nowhere");
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
          plan.target.kind === "command" ? { facts: await examine(plan.target, PLACE, LOOK) } : undefined;
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
const LOOK: Look = {
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

/** The keys that the code reads. */
function keysOf(...files: readonly string[]): readonly string[] {
  expect(filesUnder("src/config", "**/*.ts").filter((file) => !isTest(file))).toEqual(
    expect.arrayContaining([...files]),
  );
  const reads =
    /\.(?:string|boolean|number|integer|oneOf|strings|tables?|isTable)\(\s*(?:table,\s*)?"(\w+)"/g;
  const found = files.flatMap((file) => [...readSource(file).matchAll(reads)].map(([, key = ""]) => key));
  // The three rule lists are read in a loop over their effects.
  const rules = files.includes("src/config/sections/permissions.ts") ? ["allow", "ask", "deny"] : [];
  return [...new Set([...found, ...rules])].sort();
}

/** Rules name the file they came from. */
function withoutPlaces(value: unknown): unknown {
  const places = ["where", "path", "files"];
  return JSON.parse(
    JSON.stringify(value, (key, inner: unknown) => (places.includes(key) ? undefined : inner)),
  );
}
