import { expect, spyOn, test } from "bun:test";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { TOOLS } from "../src/app/plan/tool-list.ts";
import { ToolRegistry } from "../src/tools/registry.ts";
import type { CallTarget, Tool, ToolSource } from "../src/tools/tool.ts";
import type { AutoAllowed, ToolEffect } from "../src/tools/tool-facts.ts";
import { readsFiles } from "../src/tools/tool-facts.ts";
import { officialServer, serverToml } from "./support/mcp-servers.ts";
import { calls, says } from "./support/mock-provider/turn.ts";
import type { TestProject } from "./support/place.ts";
import { connect, openPlace, turn } from "./support/place.ts";
import { readSource } from "./support/source.ts";
import { TOOL_INPUTS, UNPLANNED_TOOLS } from "./support/tool-inputs.ts";
import { openToolRig } from "./support/tool-rig.ts";

/** For hangs. */
const SLOW_MS = 120_000;

/** A place whose sessions have every tool that there is: a model to delegate to, and an MCP server. */
function openFull(...script: Parameters<typeof openPlace>): TestProject {
  const place = openPlace(...script);
  const own = readFileSync(join(place.root, "config/config.toml"), "utf8");
  place.config(
    `${own}\n[delegate]\nmodel = "mock:cheap"\n\n[tasks]\nschedule = true\n\n${serverToml("every", officialServer("everything"))}`,
  );
  return place;
}

/** The tools that a full session has been given, apart from those that lead to others. */
async function toolsOfFullSession(): Promise<ReadonlyMap<string, Tool>> {
  const added: ToolSource[] = [];
  const add = spyOn(ToolRegistry.prototype, "add");
  try {
    await using place = openFull(says("done"));
    await using harness = await place.open();
    await turn(harness, "go");
    for (const [source] of add.mock.calls) added.push(source);
    return new Map(added.flatMap((source) => source.tools()).map((tool) => [tool.name, tool]));
  } finally {
    add.mockRestore();
  }
}

test(
  "[TOOL-06 TOOL-09] every tool of a full session carries its facts, and a full session has every tool that has facts",
  async () => {
    await using place = openFull(says("done"));
    await using harness = await place.open();
    await turn(harness, "go");
    const connection = await connect(harness);
    const { tools } = await connection.query({ kind: "ListTools", sessionId: harness.session });
    const own = tools.filter(({ source }) => !source.startsWith("mcp:"));
    expect(own.map(({ name }) => name).sort()).toEqual([...TOOLS.nameable].sort());
    for (const { name, level, mutating } of own) expect(TOOLS.of(name)).toMatchObject({ level, mutating });
    const servers = tools.filter(({ source }) => source.startsWith("mcp:"));
    expect(servers.length).toBeGreaterThan(3);

    const carried = await toolsOfFullSession();
    for (const facts of TOOLS.all)
      if (facts.isWay !== true) expect(carried.get(facts.name)).toMatchObject(facts);
    // Nobody knows what a server's tool does: it has facts as well, the strictest.
    for (const { name } of servers)
      expect(carried.get(name)).toMatchObject({ effect: "unknown", output: "foreign", autoAllowed: "never" });
  },
  SLOW_MS,
);

const TARGETS: Readonly<Record<Exclude<ToolEffect, "unknown">, CallTarget["kind"]>> = {
  session: "none",
  "reads-files": "paths",
  "searches-files": "paths",
  "writes-files": "paths",
  "runs-commands": "command",
  "reads-network": "url",
  "asks-servers": "none",
  keeps: "none",
  "starts-agents": "none",
};

test(
  "[PERM-01 PERM-02] what the gate judges of a call is what the facts of its tool promise",
  async () => {
    expect(Object.keys(TOOL_INPUTS).concat(UNPLANNED_TOOLS).sort()).toEqual([...TOOLS.nameable].sort());
    const tools = await toolsOfFullSession();
    await using rig = openToolRig();
    writeFileSync(join(rig.root, "a.txt"), "a\n");
    mkdirSync(join(rig.root, "sub"));
    for (const facts of TOOLS.all) {
      const input = TOOL_INPUTS[facts.name];
      const tool = tools.get(facts.name);
      if (input === undefined || facts.effect === "unknown") continue;
      if (tool === undefined) throw new Error(`no tool ${facts.name}`);
      const { target } = await tool.plan(input, rig.context);
      expect({ tool: facts.name, kind: target.kind }).toEqual({
        tool: facts.name,
        kind: TARGETS[facts.effect],
      });
      if (target.kind === "paths") {
        const writes = target.paths.some(({ access }) => access === "write");
        expect({ tool: facts.name, writes }).toEqual({
          tool: facts.name,
          writes: facts.effect === "writes-files",
        });
      }
      if (facts.subject !== undefined) expect(Object.keys(input)).toContain(facts.subject);
      if (facts.preview !== undefined) {
        const { path, each, ...fields } = facts.preview;
        const { properties } = tool.inputSchema as { readonly properties: Record<string, object> };
        const holder = each === undefined ? properties : itemsOf(properties[each]);
        expect(Object.keys(properties)).toContain(path);
        for (const field of Object.values(fields).flatMap((name) => name ?? []))
          expect(Object.keys(holder)).toContain(field);
      }
    }
  },
  SLOW_MS,
);

function itemsOf(schema: object | undefined): object {
  const { items } = schema as { readonly items: { readonly properties: object } };
  return items.properties;
}

test(
  "[PERM-02] a deny rule about one tool that reads or writes files restricts every other one of its kind",
  async () => {
    const reading = TOOLS.all.filter(({ effect }) => effect === "reads-files" || effect === "searches-files");
    const writing = TOOLS.all.filter(({ effect }) => effect === "writes-files");
    for (const [group, denied] of [
      [reading, "Read"],
      [writing, "Write"],
    ] as const) {
      const asked = group.filter(({ name }) => name !== "SkillWrite");
      const script = asked.map(({ name }) => calls(name, withPath(name)));
      await using place = openPlace(...script, says("done"));
      const own = readFileSync(join(place.root, "config/config.toml"), "utf8");
      place.config(`${own}\n[permissions]\ndeny = ["${denied}:secret/**"]\n`);
      place.write("secret/a.txt", "a\n");
      await using harness = await place.open({ wishes: { autoApprove: true } });
      const seen = await turn(harness, "go");
      const results = seen.filter((event) => event.kind === "ToolResult");
      expect(results.map(({ payload }) => JSON.stringify(payload.content))).toEqual(
        asked.map(() => expect.stringContaining("PermissionDenied")),
      );
    }
  },
  SLOW_MS,
);

function withPath(name: string): Record<string, unknown> {
  const subject = TOOLS.of(name)?.subject ?? "";
  const isFile = subject === "file_path";
  return { ...TOOL_INPUTS[name], [subject]: isFile ? "secret/a.txt" : "secret" };
}

test("[PERM-06 CTL-16] a call shows clients its kind of work, and where its arguments hold a change", async () => {
  await using place = openPlace(
    calls("Write", { file_path: "a.txt", content: "one\n" }),
    calls("Bash", { command: "ls" }),
    says("done"),
  );
  await using harness = await place.open({ wishes: { autoApprove: true } });
  const seen = await turn(harness, "go");
  const started = seen.flatMap((event) => (event.kind === "ToolCallStarted" ? [event.payload] : []));
  expect(started).toMatchObject([
    { tool: "Write", toolKind: "edit", preview: { path: "file_path", new: "content" } },
    { tool: "Bash", toolKind: "execute" },
  ]);
  expect(started[1]).not.toHaveProperty("preview");
});

test("[PERM-04] the tools that may run without a question are decided one by one: a red pin means decide", () => {
  const named = (wanted: AutoAllowed) =>
    TOOLS.all.filter(({ autoAllowed }) => autoAllowed === wanted).map(({ name }) => name);
  expect(named("known-reads").sort()).toEqual(["Bash", "Glob", "Grep", "Ls", "Read"]);
  expect(named("at-its-level").sort()).toEqual(["Agent", "Delegate"]);
  expect(named("always").sort()).toEqual([
    "BashTask",
    "EnterPlanMode",
    "ExitPlanMode",
    "MemoryRead",
    "Skill",
    "TodoWrite",
    "ToolSearch",
  ]);
});

test("[PERM-04 DOC-01] the page about permissions names the tools that read files without a question", () => {
  const [, listed = ""] =
    /tools that only read files \(([^)]*)\)/.exec(readSource("docs/permissions.md")) ?? [];
  const known = TOOLS.all.filter(
    ({ autoAllowed, effect }) => autoAllowed === "known-reads" && readsFiles(effect),
  );
  expect(listed.split(/,\s/).sort()).toEqual(known.map(({ name }) => name).sort());
});
