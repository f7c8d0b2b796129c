import { expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { openBareSession } from "../src/app/explain/bare-session.ts";
import { FEATURES } from "../src/app/features.ts";
import { TOOLS } from "../src/app/plan/tool-list.ts";
import { SILENT_LOG } from "../src/base/log.ts";
import type { World } from "../src/base/world.ts";
import { hostWorld } from "../src/platform/host.ts";
import type { Feature } from "../src/session/feature.ts";
import { openPlace } from "./support/place.ts";
import { filesUnder, ROOT, readSource } from "./support/source.ts";
import { testWorld } from "./support/world.ts";

const { signal } = new AbortController();
const FOLDERS = readdirSync(join(ROOT, "src/features")).sort();

test("[DOC-01] every folder of features/ exports one manifest, with the folder's name, and the list has it once", async () => {
  for (const folder of FOLDERS) {
    const module: object = await import(`../src/features/${folder}/feature.ts`);
    const camel = folder.replaceAll(/-(\w)/g, (_all, letter: string) => letter.toUpperCase());
    const [manifest, ...others] = Object.values(module) as readonly Feature[];
    expect({ folder, exports: Object.keys(module), others }).toEqual({
      folder,
      exports: [`${camel}Feature`],
      others: [],
    });
    expect(manifest?.name).toBe(folder);
    expect(FEATURES.filter((feature) => feature === manifest)).toHaveLength(1);
  }
  expect(FEATURES).toHaveLength(FOLDERS.length);
});

test("[DOC-01] each setting, slash command, tool and subcommand of a feature has its row in the documents", () => {
  const [commands, tools, lines] = ["commands", "tools", "command-line"].map((page) =>
    readSource(`docs/${page}.md`),
  );
  for (const { name, config = [], commands: specs = [], tools: facts = [], cli } of FEATURES) {
    const missing = [
      ...config.flatMap((section) => {
        const page = readSource(`docs/configuration/${section.name}.md`);
        return Object.values(section.keys).flatMap(({ key }) => (page.includes(`\n| \`${key}\``) ? [] : key));
      }),
      ...specs.flatMap((spec) =>
        new RegExp(`^\\| \`/${spec.name}[\` ]`, "m").test(commands ?? "") ? [] : `/${spec.name}`,
      ),
      ...facts.flatMap((fact) => (tools?.includes(`\n| \`${fact.name}\` |`) === true ? [] : fact.name)),
      ...(cli === undefined || new RegExp(`^\\| \\[?\`cinch ${cli.name}`, "m").test(lines ?? "")
        ? []
        : [`cinch ${cli.name}`]),
    ];
    expect({ name, missing }).toEqual({ name, missing: [] });
  }
});

test("[PERM-01 PERM-02] each rule of a built-in preset or profile names a tool that there is", () => {
  const files = filesUnder("src/config", "{presets,profiles}/*.toml");
  const rules = files.flatMap((file) => {
    const { permissions = {}, ...top } = Bun.TOML.parse(readSource(file)) as Record<string, Effects>;
    return [top as Effects, permissions].flatMap(({ allow = [], ask = [], deny = [] }) => [
      ...allow,
      ...ask,
      ...deny,
    ]);
  });
  expect(rules).toContain("MemoryWrite");
  const named = rules.map((rule) => /^[A-Za-z]+/.exec(rule)?.[0] ?? "");
  expect(named.filter((name) => !TOOLS.nameable.includes(name))).toEqual([]);
});

type Effects = Readonly<Partial<Record<"allow" | "ask" | "deny", readonly string[]>>>;

/** A feature that no setting can switch on. */
const NEVER_USED: readonly string[] = ["workspace-status"];

test("[DOC-01] every feature that no setting can switch on is a feature", () => {
  expect(NEVER_USED.filter((name) => !FOLDERS.includes(name))).toEqual([]);
});

/** Settings under which every feature is used. */
const SETTINGS = `
[telemetry]
otlp = "http://127.0.0.1:9"

[notify]
url = "http://127.0.0.1:9"

[tasks]
wake = true
schedule = true

[delegate]
model = "mock:cheap"

[[hooks]]
event = "PreToolUse"
cmd = "true"

[[diagnostics]]
name = "check"
kind = "checker"
files = ["*.ts"]
command = ["true", "{files}"]

[[mcp_servers]]
name = "silent"
cmd = "cat"
`;

for (const feature of FEATURES) {
  test(`[DOC-01 ENG-01] ${feature.name} opens and closes on a bare host, and leaves no timer, file or process`, async () => {
    await using place = openPlace();
    place.config(readFileSync(join(place.root, "config/config.toml"), "utf8") + SETTINGS);
    const running = new Set<unknown>();
    const world = testWorld({ spawn: counted(hostWorld(SILENT_LOG).spawn, running) });
    const plugin = { name: "probe", apiVersion: 1, register: () => undefined } as const;
    await using bare = await openBareSession(place.options({ world, plugins: [plugin] }), signal);
    const left = () => ({
      timers: world.clock.waiting,
      processes: running.size,
      files: readdirSync(place.root, { recursive: true }).sort(),
      handles: readdirSync("/dev/fd").length,
    });
    expect(feature.isUsed(bare.host.plan())).toBe(!NEVER_USED.includes(feature.name));
    // What is loaded once and stays, such as modules, is loaded by the first round.
    for (const round of ["first", "second"] as const) {
      const before = left();
      const engine = await feature.openEngine?.(bare.host);
      const open = await feature.open(bare.host, engine);
      if (feature.startsPrograms !== true) await open?.ready?.(signal);
      await open?.settle?.();
      await open?.[Symbol.asyncDispose]?.();
      await engine?.[Symbol.asyncDispose]();
      if (round === "second") expect(left()).toEqual(before);
    }
  });
}

/** Starts programs as the machine does, and knows those that still run. */
function counted(spawn: World["spawn"], running: Set<unknown>): World["spawn"] {
  return (request) => {
    const child = spawn(request);
    running.add(child);
    child.exited.finally(() => running.delete(child)).catch(() => undefined);
    return child;
  };
}
