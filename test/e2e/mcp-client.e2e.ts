import { expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { cinchHome, runCinch } from "../support/cinch.ts";
import { officialServer, serverToml } from "../support/mcp-servers.ts";
import { startMockProvider } from "../support/mock-provider/mock-provider.ts";
import type { Turn } from "../support/mock-provider/turn.ts";
import { calls, says } from "../support/mock-provider/turn.ts";
import { noneWith } from "../support/processes.ts";

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
    config: (text: string) =>
      writeFileSync(join(home.path, "config/cinch/config.toml"), `${text}\n${provider}`),
    run: (...args: readonly string[]) => runCinch([...args, "--model", "mock:one"], { home, cwd: work }),
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

test("[MCP-01 MCP-02 MCP-07] tools of real servers are declared or found, asked for like any other, and nothing of a server is left", async () => {
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
}, 60_000);
