import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { openExplainer } from "../src/app/explain/explain.ts";
import { TOOLS } from "../src/app/plan/tool-list.ts";
import type { Plugin } from "../src/features/plugins/registration/plugin.ts";
import { officialServer, serverToml } from "./support/mcp-servers.ts";
import { calls, says } from "./support/mock-provider/turn.ts";
import { connect, openPlace, turn } from "./support/place.ts";

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

/** One call of each kind of tool: built-in, memory, skill, agent, plan, task, plugin. */
const CALLS: readonly (readonly [tool: string, input: object])[] = [
  ["Read", { file_path: "a.txt" }],
  ["Read", { file_path: "/etc/shadow-not-there" }],
  ["Write", { file_path: "b.txt", content: "x" }],
  ["Write", { file_path: "../outside.txt", content: "x" }],
  ["Ls", { path: "." }],
  ["Grep", { pattern: "a", path: "." }],
  ["TodoWrite", { todos: [{ content: "x", status: "pending" }] }],
  ["MemoryRead", {}],
  ["MemoryWrite", { name: "a", type: "project", description: "d", content: "c" }],
  ["Skill", { name: "code-review" }],
  ["ScheduleTask", { name: "nightly", prompt: "look", every: "1d" }],
  ["ProbeChange", {}],
];

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

test(
  "[ENG-30 PERM-02 CLI-02] permissions explain knows every tool of a session but those of MCP servers, and gives the gate's verdict",
  async () => {
    for (const denied of [undefined, "MemoryWrite", "ProbeChange", "Write"]) {
      const script = CALLS.map(([name, input]) => calls(name, input));
      await using place = openPlace(...script, says("done"));
      place.write("a.txt", "a\n");
      const own = readFileSync(join(place.root, "config/config.toml"), "utf8");
      const rule = denied === undefined ? "" : `\n[permissions]\ndeny = ["${denied}"]\n`;
      place.config(`${own}\n[delegate]\nmodel = "mock:cheap"\n\n[tasks]\nschedule = true\n${rule}`);
      const options = { plugins: [PLUGIN] };
      await using explainer = await openExplainer(place.options(options), signal);
      await using harness = await place.open(options);
      const seen = await turn(harness, "go");
      const connection = await connect(harness);
      const { tools } = await connection.query({ kind: "ListTools", sessionId: harness.session });
      const unknown = tools.filter(({ name }) => !explainer.hasTool(name)).map(({ name }) => name);
      expect(unknown).toEqual([]);

      const results = seen.flatMap((event) => (event.kind === "ToolResult" ? [event.payload] : []));
      for (const [index, [name, input]] of CALLS.entries()) {
        const text = JSON.stringify(results[index]?.content);
        const refused = /not allowed|denied|needs approval|nobody/i.test(text);
        const { decision, why } = await explainer.explain(name, input);
        expect({ denied, name, input, why, allowed: decision === "allow" }).toEqual({
          denied,
          name,
          input,
          why,
          allowed: !refused,
        });
      }
    }
  },
  SLOW_MS,
);
