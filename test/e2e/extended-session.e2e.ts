import { expect } from "bun:test";
import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { readPlugins } from "../../src/features/plugins/plugin-files.ts";
import { TrustLedger } from "../../src/guard/trust/ledger/ledger.ts";
import { cinchHome, runCinch } from "../support/cinch.ts";
import { officialServer, serverToml } from "../support/mcp-servers.ts";
import { startMockProvider } from "../support/mock-provider/mock-provider.ts";
import { calls, says } from "../support/mock-provider/turn.ts";
import { noneWith, processesWith, signalIfRunning } from "../support/processes.ts";
import { requireProgram } from "../support/requires.ts";
import { ROOT } from "../support/source.ts";
import { until } from "../support/until.ts";
import { testWorld } from "../support/world.ts";

// One session with everything that extends cinch, as a team would have it, and all of it in its log.

const TIMEOUT_MS = 300_000;
const SKILLS = [
  "anthropics+skills/frontend-design",
  "openai+skills/create-plan",
  "openai+skills/gh-fix-ci",
  "NVIDIA+OpenShell/create-rfc",
  "vercel+ai/add-function-examples",
];
const DICE = join(ROOT, "examples/plugins/dice");
const GIT_ENV = {
  PATH: "/usr/local/bin:/usr/bin:/bin",
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_AUTHOR_NAME: "t",
  GIT_AUTHOR_EMAIL: "t@example.org",
  GIT_COMMITTER_NAME: "t",
  GIT_COMMITTER_EMAIL: "t@example.org",
};

interface Told {
  readonly kind: string;
  readonly parentCall?: string;
  readonly payload: Readonly<Record<string, unknown>>;
}

requireProgram("git")(
  "[MCP-02 MCP-03 MCP-04 SKL-02 PLUG-01 ENG-24 ENG-28 PROF-01] one profile brings servers, skills, a plugin, a sub-agent in a worktree and a task for later, and the log records each",
  async () => {
    using home = cinchHome();
    const [work, config] = [join(home.path, "work"), join(home.path, "config/cinch")];
    const kept = join(home.path, "graph.json");
    const graph = (name: string) => calls("CallTool", { name: `mcp__memory__${name}`, input: {} });
    const killed = Promise.withResolvers<void>();
    const restarted = Promise.withResolvers<void>();
    const made = { entities: [{ name: "cinch", entityType: "tool", observations: ["small"] }] };
    const later = { name: "later", prompt: "Say that it is later.", every: "1d" };
    await using mock = startMockProvider({
      models: ["one"],
      script: [
        calls("mcp__everything__echo", { message: "hello" }),
        calls("mcp__files__list_allowed_directories", {}),
        calls("ToolSearch", { query: "create entities" }),
        calls("CallTool", { name: "mcp__memory__create_entities", input: made }),
        { ...graph("read_graph"), hold: killed.promise },
        { ...graph("read_graph"), hold: restarted.promise },
        calls("Skill", { name: "create-plan" }),
        calls("RollDice", { dice: "2d1" }),
        calls("Agent", { type: "worker", prompt: "Write notes.txt." }),
        calls("Write", { file_path: "notes.txt", content: "made by the sub-agent\n" }),
        says("I wrote notes.txt."),
        calls("ToolSearch", { query: "schedule" }),
        calls("CallTool", { name: "ScheduleTask", input: later }),
        says("All done."),
        says("It is later."),
      ],
    });
    mkdirSync(join(config, "profiles"), { recursive: true });
    mkdirSync(join(config, "agents"));
    mkdirSync(join(config, "skills"));
    mkdirSync(work);
    for (const skill of SKILLS)
      cpSync(
        join(ROOT, "test/data/skills", skill),
        join(config, "skills", skill.slice(skill.indexOf("/") + 1)),
        {
          recursive: true,
        },
      );
    writeFileSync(
      join(config, "agents/worker.md"),
      "---\nname: worker\ndescription: changes files\nworktree: true\n---\nYou change files.\n",
    );
    const files = officialServer("filesystem", "{workspace}");
    const script = files.args.find((arg) => arg.endsWith(".js")) ?? "";
    const pin = new Bun.CryptoHasher("sha256");
    for (const file of [files.cmd, script]) pin.update(await Bun.file(file).bytes());
    writeFileSync(
      join(config, "profiles/team.toml"),
      [
        `plugins = ["${DICE}"]`,
        '[permissions]\nallow = ["mcp__everything__*", "mcp__files__*", "mcp__memory__*", "Write:*"]',
        "[tasks]\nschedule = true",
        serverToml("everything", officialServer("everything"), 'discovery = "eager"'),
        serverToml("files", files, `discovery = "eager"\nsha256 = "${pin.digest("hex")}"`),
        serverToml(
          "memory",
          officialServer("memory", kept),
          `discovery = "lazy"\nenv = { MEMORY_FILE_PATH = "${kept}" }`,
        ),
      ].join("\n"),
    );
    writeFileSync(
      join(config, "config.toml"),
      `default_profile = "team"\n[providers.mock]\nkind = "openai-compatible"\nbase_url = "${mock.url}/v1"\n`,
    );
    writeFileSync(join(work, "README.md"), "# work\n");
    for (const words of [
      ["init", "-q"],
      ["add", "."],
      ["commit", "-qm", "one"],
    ])
      Bun.spawnSync(["git", "-C", work, ...words], { env: GIT_ENV });
    const cinch = (args: readonly string[], stdin = "") => runCinch(args, { home, cwd: work, stdin });
    const world = testWorld();
    const ledger = await TrustLedger.open(world, join(config, "approved.lock"));
    await ledger.approve(await readPlugins(world, [DICE]));
    await cinch(["ack", "--all"]); // the user's own folder, in one decision

    const memory = () => processesWith(kept);
    const running = cinch([
      "-p",
      "go",
      "--model",
      "mock:one",
      "--auto-approve",
      "--level",
      "DangerFullAccess",
      "--output-format",
      "stream-json",
    ]);
    const over = running.then(({ code, stderr, stdout }) => {
      throw new Error(`it ended with ${code}: ${stderr}${stdout.slice(-2_000)}`);
    });
    await Promise.race([over, until("the lazy server was asked", () => mock.requests.length === 5)]);
    const before = memory();
    for (const pid of before) signalIfRunning(pid, "SIGKILL");
    killed.resolve();
    await until("the killed server was asked", () => mock.requests.length === 6);
    await until("it runs again", () => memory().some((pid) => !before.includes(pid)));
    restarted.resolve();
    const { code, stdout, stderr } = await running;
    expect([code, stderr]).toEqual([0, stderr]);

    const events = stdout
      .trim()
      .split("\n")
      .map((line): Told => JSON.parse(line));
    const resultOf = new Map<unknown, string>();
    for (const { kind, payload } of events)
      if (kind === "ToolResult") resultOf.set(payload["callId"], JSON.stringify(payload["content"]));
    const called = events.flatMap(({ kind, payload, parentCall }) =>
      kind === "ToolCallStarted"
        ? [
            {
              tool: String(payload["tool"]),
              isChild: parentCall !== undefined,
              said: resultOf.get(payload["callId"]) ?? "",
            },
          ]
        : [],
    );
    const said = (tool: string) => called.filter((call) => call.tool === tool).map((call) => call.said);
    expect(said("mcp__everything__echo").join()).toContain("Echo: hello");
    expect(said("mcp__files__list_allowed_directories").join()).toContain(work);
    expect(said("mcp__memory__create_entities").join()).toContain("small");
    expect(said("mcp__memory__read_graph").at(-1)).toContain("small");
    expect(said("Skill").join()).toContain("# Create Plan");
    expect(said("RollDice")).toEqual(['[{"type":"text","text":"2d1: 1 + 1 = 2"}]']);
    expect(called.find(({ tool }) => tool === "Write")?.isChild).toBe(true);
    expect(said("Agent").join()).toMatch(/cinch\/worker-.*notes\.txt/);
    expect(readdirSync(work).sort()).toEqual([".git", "README.md"]);

    // A day passes.
    const task = join(home.path, "data/cinch/tasks/later.toml");
    const asked = readFileSync(task, "utf8");
    writeFileSync(task, asked.replace(/^created_at = .*$/m, 'created_at = "2026-01-01T00:00:00Z"'));
    const due = await cinch(["tasks", "run-due"]);
    expect([due.code, due.stderr]).toEqual([0, due.stderr]);
    const log = await cinch(["tasks", "log", "later", "--json"]);
    expect(log.stdout).toContain("sess_");
    const sessions = await cinch(["sessions", "list", "--json"]);
    expect(sessions.stdout).toContain("Say that it is later.");
    await noneWith(home.path);
  },
  TIMEOUT_MS,
);
