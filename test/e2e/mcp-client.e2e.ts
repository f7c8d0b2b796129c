import { expect } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { cinchHome, runCinch, startCinch } from "../support/cinch.ts";
import { officialServer, scriptServer, serverToml } from "../support/mcp-servers.ts";
import { startMockProvider } from "../support/mock-provider/mock-provider.ts";
import type { Turn } from "../support/mock-provider/turn.ts";
import { calls, says } from "../support/mock-provider/turn.ts";
import { noneWith, signalIfRunning } from "../support/processes.ts";
import { requireProgram } from "../support/requires.ts";
import { until } from "../support/until.ts";

// Servers through the command itself: a real one eager, a real one lazy, under permissions, and nothing of them left.

function openRig(script: readonly Turn[]) {
  const mock = startMockProvider({ script });
  const home = cinchHome();
  const work = join(home.path, "work");
  mkdirSync(join(home.path, "config/cinch"), { recursive: true });
  Bun.spawnSync(["git", "init", "-q", "-b", "trunk", work]);
  const provider = `[providers.mock]\nkind = "openai-compatible"\nbase_url = "${mock.url}/v1"\n`;
  return {
    mock,
    home,
    work,
    journal: join(home.path, "journal"),
    config: (text: string) =>
      writeFileSync(join(home.path, "config/cinch/config.toml"), `${text}\n${provider}`),
    run: (...args: readonly string[]) => runCinch([...args, "--model", "mock:one"], { home, cwd: work }),
    start: (...args: readonly string[]) => startCinch([...args, "--model", "mock:one"], { home, cwd: work }),
    async [Symbol.asyncDispose]() {
      await mock[Symbol.asyncDispose]();
      home[Symbol.dispose]();
    },
  };
}

function toolsOf(body: unknown): readonly string[] {
  const { tools = [] } = body as {
    readonly tools?: readonly { readonly function: { readonly name: string } }[];
  };
  return tools.map((tool) => tool.function.name);
}

requireProgram("git")(
  "[MCP-01 MCP-02 MCP-07] tools of real servers are declared or found, asked for like any other, and nothing of a server is left",
  async () => {
    await using rig = openRig([
      calls("mcp__memory__create_entities", {
        entities: [{ name: "cinch", entityType: "tool", observations: ["small"] }],
      }),
      calls("ToolSearch", { query: "list directory" }),
      calls("CallTool", { name: "mcp__files__list_allowed_directories", input: {} }),
      calls("CallTool", { name: "mcp__files__write_file", input: { path: "/tmp/never", content: "x" } }),
      says("done"),
    ]);
    const kept = join(rig.home.path, "memory.json");
    rig.config(
      [
        `[permissions]\nallow = ["mcp__memory__*", "mcp__files__list_allowed_directories"]`,
        serverToml("memory", officialServer("memory"), `env = { MEMORY_FILE_PATH = "${kept}" }`),
        serverToml("files", officialServer("filesystem", "{workspace}"), 'discovery = "lazy"'),
      ].join("\n"),
    );
    const { stdout, stderr, code } = await rig.run("-p", "go");
    expect([stdout, code, stderr]).toEqual(["done\n", 3, stderr]);
    const bodies = rig.mock.requests.map(({ body }) => body);
    expect(bodies.map((body) => toolsOf(body).filter((name) => name.startsWith("mcp__")).length)).toEqual(
      bodies.map(() => 9),
    );
    const last = JSON.stringify(bodies.at(-1));
    expect(last).toContain(rig.work);
    expect(last).toContain("PermissionDenied: mcp__files__write_file");
    expect(await Bun.file(kept).text()).toContain('"small"');
    await noneWith(rig.home.path);
  },
  60_000,
);

requireProgram("git")(
  "[MCP-01 MCP-03] a run that goes without the tools of a server says that the server did not start, and why",
  async () => {
    await using rig = openRig([says("done")]);
    rig.config('[[mcp_servers]]\nname = "broken"\ntransport = "stdio"\ncmd = "false"\ndiscovery = "eager"');
    const { stdout, stderr } = await rig.run("-p", "go");
    expect(stdout).toBe("done\n");
    expect(stderr).toContain(
      "MCP server 'broken' did not start: it ended with the exit code 1. cinch retries",
    );
    expect(stderr).toMatch(
      /\ncinch: \/mcp:broken is typed in a session at a terminal: cinch, or this one: cinch --resume sess_\w+\n/,
    );
  },
  60_000,
);

/** A server of the tests that writes down what it is told. */
function odd(rig: { readonly journal: string }, name: string, ...habits: readonly string[]): string {
  return serverToml(name, scriptServer(MISBEHAVING, rig.journal, ...habits));
}

const MISBEHAVING = join(import.meta.dirname, "../support/mcp-server-child.ts");

requireProgram("git")(
  "[MCP-05 REL-03 R18] kill -9 of cinch in the middle of a call leaves no server, whatever that ignores",
  async () => {
    await using rig = openRig([calls("mcp__odd__wait", {})]);
    rig.config(odd(rig, "odd", "ignores-signals"));
    await using cinch = rig.start("-p", "go", "--auto-approve");
    let ended: number | undefined;
    void cinch.exited.then((code) => {
      ended = code;
    });
    const isCalled = async () => (await journalOf(rig)).includes('"tools/call"');
    await until("the call is under way", async () => ended !== undefined || (await isCalled()));
    expect([ended, await isCalled()]).toEqual([undefined, true]);
    const engine = Number(/"PPid":(\d+)/.exec(await journalOf(rig))?.[1]);
    signalIfRunning(engine, "SIGKILL");
    await cinch.exited;
    await noneWith(rig.journal);
  },
  60_000,
);

async function journalOf({ journal }: { readonly journal: string }): Promise<string> {
  return (await Bun.file(journal).exists()) ? await Bun.file(journal).text() : "";
}
