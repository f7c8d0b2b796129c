import { expect, test } from "bun:test";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Explained } from "../src/app/explain/explain.ts";
import { openExplainer } from "../src/app/explain/explain.ts";
import { TOOLS } from "../src/app/plan/tool-list.ts";
import type { Plugin } from "../src/session/plugins/plugin.ts";
import { acknowledgeAll } from "./support/acknowledge.ts";
import type { CallOutcome, TriedCall } from "./support/call-outcomes.ts";
import { outcomesOf, recordRuns, scriptOf } from "./support/call-outcomes.ts";
import { officialServer, serverToml } from "./support/mcp-servers.ts";
import { says } from "./support/mock-provider/turn.ts";
import type { PlaceOptions } from "./support/place.ts";
import { connect, openPlace, openPlaceWith, turn } from "./support/place.ts";
import { requireSandbox } from "./support/sandbox-place.ts";
import { RELAY } from "./support/sandbox-rig.ts";
import { TOOL_INPUTS } from "./support/tool-inputs.ts";

const SLOW_MS = 120_000;
const { signal } = new AbortController();

/** A plugin with one tool that changes something. */
const PLUGIN: Plugin = {
  name: "probe",
  apiVersion: 1,
  register(harness) {
    harness.tool({
      name: "ProbeChange",
      description: "changes something",
      inputSchema: { type: "object" },
      level: "WorkspaceWrite",
      mutating: true,
      run: () => "changed",
    });
  },
};

test("[CTL-15 TOOL-06] the tools listed for the engine contain those of each of its sessions, with the same facts", async () => {
  await using place = openPlace(says("done"));
  const own = readFileSync(join(place.root, "config/config.toml"), "utf8");
  const server = serverToml("every", officialServer("everything"));
  place.config(`${own}\n[delegate]\nmodel = "mock:cheap"\n\n[tasks]\nschedule = true\n\n${server}`);
  await using harness = await place.open({ plugins: [PLUGIN] });
  await turn(harness, "go");
  const connection = await connect(harness);
  const { tools: all } = await connection.query({ kind: "ListTools" });
  const { tools } = await connection.query({ kind: "ListTools", sessionId: harness.session });
  const names = tools.map(({ name }) => name);
  for (const name of ["Read", "MemoryWrite", "Skill", "ScheduleTask", "ProbeChange", "mcp__every__echo"])
    expect(names).toContain(name);
  for (const tool of tools) expect(all.find(({ name }) => name === tool.name)).toEqual(tool);
  // Beyond them, there are only tools that a session can have.
  const others = all.filter(({ name }) => !names.includes(name));
  for (const { name } of others) expect(TOOLS.of(name)).toBeDefined();
}, 120_000);

/** Calls that the workspace, a rule, the level, the tool itself or the sandbox decides about. */
const MORE: readonly TriedCall[] = [
  { tool: "Read", input: {} },
  { tool: "Read", input: { file_path: "/etc/hostname" } },
  { tool: "Read", input: { file_path: "secret/a.txt" } },
  { tool: "Read", input: { file_path: ".env" } },
  { tool: "Write", input: { file_path: "b.txt", content: "x" } },
  { tool: "Write", input: { file_path: "../outside.txt", content: "x" } },
  { tool: "Write", input: { file_path: ".git/hooks/pre-commit", content: "x" } },
  { tool: "Edit", input: { file_path: "secret/a.txt", old_string: "a", new_string: "b" } },
  { tool: "Grep", input: { pattern: "a", path: "secret" } },
  { tool: "Glob", input: { pattern: "*", path: "/etc" } },
  { tool: "ToolSearch", input: { query: "memory" } },
  { tool: "CallTool", input: { name: "MemoryRead", input: {} } },
  { tool: "CallTool", input: { name: "MemoryWrite", input: TOOL_INPUTS["MemoryWrite"] } },
  { tool: "ProbeChange", input: {} },
  ...[
    "cat a.txt",
    "touch made.txt",
    "ls && touch made.txt",
    "cat a.txt | sort > sorted.txt",
    "cat secret/a.txt",
    "cat .env",
    "cat secr*/a.txt",
    "touch ../outside.txt",
    "cp a.txt .git/hooks/pre-commit",
    "$(cat a.txt) made.txt",
    "curl -sS http://allowed.invalid/",
    "curl -sS http://other.invalid/",
    "npm install",
    "a".repeat(60_000),
  ].map((command) => ({ tool: "Bash", input: { command } })),
  { tool: "Bash", input: { command: "touch made.txt", outside_sandbox: true } },
];

/** Tools whose results make later calls stricter, and those that change the mode of the session: they come last. */
const LAST = [
  ...["WebFetch", "ListMcpResources", "ReadMcpResource", "Agent", "Delegate"],
  ...["EnterPlanMode", "ExitPlanMode"],
];

function triedCalls(serverTools: readonly string[]): readonly TriedCall[] {
  const one = Object.entries(TOOL_INPUTS).map(([tool, input]) => ({ tool, input }));
  return [
    { tool: "MemoryForget", input: { name: "nothing" } }, // while there is no memory
    ...one.filter(({ tool }) => !LAST.includes(tool)),
    ...MORE,
    { tool: "WebFetch", input: { url: "https://allowed.invalid/page" } },
    ...serverTools.map((tool) => ({ tool, input: {} })),
    { tool: "mcp__every__echo", input: { message: "hello" } },
    { tool: "mcp__every__get_sum", input: { a: 1, b: 2 } },
    ...LAST.flatMap((last) => one.filter(({ tool }) => tool === last)),
  ];
}

/** Settings under which a session and an explanation are compared. */
interface PolicySetUp {
  readonly name: string;
  /** Text of `config.toml`, after the parts that every set-up has. */
  readonly config?: string;
  /** Text of the profile in use. */
  readonly profile?: string;
  /** Text of the acknowledged `.cinch/config.toml` of the repository. */
  readonly project?: string;
  readonly options?: PlaceOptions;
}

const POLICIES: readonly PolicySetUp[] = [
  { name: "the default" },
  { name: "known reads are asked for", options: { wishes: { strictPermissions: true } } },
  { name: "a level of the run", options: { wishes: { level: "ReadOnly" } } },
  { name: "nothing is above the level", options: { wishes: { level: "DangerFullAccess" } } },
  { name: "a strict profile", profile: 'permissions = { level = "ReadOnly", strict = true }\n' },
  {
    name: "deny rules",
    config:
      '[permissions]\ndeny = ["Write", "Read:secret/**", "MemoryWrite", "ProbeChange", "Skill", "WebFetch", "Bash:touch *", "mcp__every__echo", "TodoWrite"]\n',
  },
  {
    name: "ask rules",
    config:
      '[permissions]\nask = ["Read:secret/**", "MemoryRead", "TodoWrite", "Agent", "Bash:cat *", "Ls"]\n',
  },
  {
    name: "allow rules",
    config:
      '[permissions]\nallow = ["Write", "Edit", "ProbeChange", "ScheduleTask", "SkillWrite", "Delegate", "WebFetch", "Bash:touch *", "Bash:curl *", "Read:/etc/**", "mcp__every__echo"]\n',
  },
  {
    name: "a repository that restricts",
    project:
      '[permissions]\nlevel = "ReadOnly"\ndeny = ["Read:secret/**", "Bash:cat *"]\nask = ["MemoryRead"]\n',
  },
  { name: "a plugin's rules", options: { plugins: [ruledPlugin()] } },
  { name: "plan mode", options: { wishes: { planMode: true } } },
  { name: "hosts that nothing can enforce", config: '[sandbox]\nnetwork = ["allowed.invalid"]\n' },
];

/** The probe, with rules of its own. */
function ruledPlugin(): Plugin {
  return {
    ...PLUGIN,
    async register(harness) {
      await PLUGIN.register(harness);
      harness.permission("allow", "ProbeChange");
      harness.permission("deny", "MemoryRead");
    },
  };
}

/**
 * Compares the verdict of an explanation with the events of a session: for every tool that the session has, without a
 * sandbox; for commands, in one.
 */
async function compare(setUp: PolicySetUp, where: "unconfined" | "sandboxed"): Promise<void> {
  const sandbox = where === "sandboxed" ? "" : '[sandbox]\nbackend = "none"\n';
  let tried: readonly TriedCall[] = [];
  await using place = openPlaceWith((request) => scriptOf(tried)(request));
  for (const path of ["a.txt", "secret/a.txt", ".env"]) place.write(path, "a\n");
  place.write(".git/HEAD", "ref: refs/heads/main\n");
  const own = readFileSync(join(place.root, "config/config.toml"), "utf8");
  const server = where === "sandboxed" ? "" : serverToml("every", officialServer("everything"));
  const said = `${sandbox}${setUp.config ?? ""}`.replace(/(\[sandbox\]\n[^[]*)\[sandbox\]\n/u, "$1");
  place.config(`${own}\n[delegate]\nmodel = "mock:cheap"\n\n[tasks]\nschedule = true\n\n${said}\n${server}`);
  if (setUp.profile !== undefined) {
    mkdirSync(join(place.root, "config/profiles"), { recursive: true });
    writeFileSync(join(place.root, "config/profiles/here.toml"), setUp.profile);
  }
  const more: PlaceOptions = {
    ...{ plugins: [PLUGIN], ...setUp.options, wishes: { attended: true, ...setUp.options?.wishes } },
    ...(setUp.profile === undefined ? {} : { profile: "here" }),
  };
  if (setUp.project !== undefined) {
    place.write(".cinch/config.toml", setUp.project);
    await acknowledgeAll({ ...place.options(more), profile: "default" });
  }
  using runs = recordRuns();
  await using harness = await place.open(more);
  await turn(harness, "go"); // the tools of servers are known from now on
  const connection = await connect(harness);
  const { session } = harness;
  const { tools } = await connection.query({ kind: "ListTools", sessionId: session });
  await using explainer = await openExplainer(place.options(more), signal, async () => ({ session, tools }));
  const names = tools.map(({ name }) => name);
  const all = triedCalls(names.filter((name) => name.startsWith("mcp__")));
  expect(names.filter((name) => !explainer.hasTool(name))).toEqual([]);
  expect(names.filter((name) => !all.some(({ tool }) => tool === name))).toEqual([]);
  tried = where === "sandboxed" ? all.filter(({ tool }) => tool === "Bash") : all;

  const explained: Explained[] = [];
  for (const { tool, input } of tried) explained.push(await explainer.explain(tool, input));
  const outcomes = await outcomesOf(harness, tried, runs.ran);
  // Plan mode refuses what may change something, before the gate judges it. The explanation says so, too.
  const isBeforeGate = ({ text }: CallOutcome) => text.startsWith("PlanMode: ");
  expect(outcomes.some(isBeforeGate)).toBe(setUp.options?.wishes?.planMode === true);
  const rows = tried.map(({ tool, input }, index) => {
    const [verdict, outcome] = [explained[index], outcomes[index]];
    if (verdict === undefined || outcome === undefined) throw new Error(`${tool} was not tried`);
    const isInside = tool === "Bash" && verdict.here.kind === "backend";
    const { decision = verdict.decision, why } = isInside
      ? { decision: verdict.inSandbox, why: verdict.whyInSandbox }
      : verdict;
    const call = `${tool} ${JSON.stringify(input).slice(0, 80)}`;
    const row = {
      explained: { call, kind: decision, why: outcome.kind === "allow" ? "" : why },
      session: {
        call,
        kind: outcome.kind === "unplanned" || isBeforeGate(outcome) ? "deny" : outcome.kind,
        why: outcome.text.includes(why) ? why : outcome.text,
      },
    };
    return row;
  });
  expect(rows.map((row) => row.explained)).toEqual(rows.map((row) => row.session));
  // A comparison in which every verdict is the same would show nothing.
  if (setUp.options?.wishes?.planMode !== true)
    expect(new Set(rows.map((row) => row.session.kind)).size).toBeGreaterThan(1);
}

test("[ENG-21 PERM-09] permissions explain has words for a person about plan mode, and none for the model", async () => {
  await using place = openPlaceWith(() => says("done"));
  for (const attended of [true, false]) {
    const options = place.options({ wishes: { planMode: true, attended } });
    await using explainer = await openExplainer(options, signal);
    const { decision, why, remedy } = await explainer.explain("Write", { path: "a.txt", content: "" });
    expect({ decision, why, remedy }).toEqual({
      decision: "deny",
      why: "Write may change something, and the session is in plan mode, where nothing is changed",
      remedy: "approve the plan, end plan mode with /plan off, or start without --plan",
    });
  }
});

test("[ENG-30 HOOK-01 CLI-02] permissions explain names the hooks that may refuse a call, and runs none", async () => {
  await using place = openPlaceWith((request) => scriptOf(tried)(request));
  const own = readFileSync(join(place.root, "config/config.toml"), "utf8");
  const ran = join(place.root, "ran");
  const hook = `[[hooks]]\nevent = "PreToolUse"\nmatcher = "Write"\ncmd = "touch ${ran}; exit 2"\n`;
  place.config(`${own}\n[permissions]\nallow = ["Write"]\n${hook}`);
  const tried: readonly TriedCall[] = [
    { tool: "Write", input: { file_path: "b.txt", content: "x" } },
    { tool: "Ls", input: {} },
  ];
  await using explainer = await openExplainer(place.options(), signal);
  const [write, ls] = [await explainer.explain("Write", tried[0]?.input), await explainer.explain("Ls", {})];
  expect(write).toMatchObject({ decision: "allow", mayRefuse: [expect.stringContaining("config.toml:")] });
  expect(ls.mayRefuse).toBeUndefined();
  expect(existsSync(ran)).toBe(false);
  using runs = recordRuns();
  await using harness = await place.open();
  const outcomes = await outcomesOf(harness, tried, runs.ran);
  expect(outcomes.map(({ kind }) => kind)).toEqual(["deny", "allow"]);
  expect(existsSync(ran)).toBe(true);
});

for (const setUp of POLICIES)
  test(
    `[ENG-30 PERM-01 PERM-02 CLI-02] permissions explain and a session without a sandbox give one verdict: ${setUp.name}`,
    () => compare(setUp, "unconfined"),
    SLOW_MS,
  );

const RELAYED: readonly PolicySetUp[] = [
  {
    name: "hosts behind a proxy",
    config: '[sandbox]\nnetwork = ["allowed.invalid"]\n',
    options: { relayCommand: RELAY },
  },
  { name: "commands are asked for in the sandbox", config: '[permissions]\nbash_in_sandbox = "ask"\n' },
];

for (const setUp of [...POLICIES, ...RELAYED])
  requireSandbox()(
    `[ENG-30 PERM-01 SBX-04 CLI-02] permissions explain and a session in a sandbox give one verdict: ${setUp.name}`,
    () => compare(setUp, "sandboxed"),
    SLOW_MS,
  );
