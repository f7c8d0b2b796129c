import { expect, test } from "bun:test";
import { openToolRig } from "../../test/support/tool-rig.ts";
import { probe } from "../../test/support/tools.ts";
import { TOOLS } from "../app/plan/tool-list.ts";
import { builtinTools } from "../app/session/chains/builtins.ts";
import { BackgroundRuns } from "./bash/background-runs.ts";
import { ToolRegistry } from "./registry.ts";
import { PACK_NAMES, selectPacks } from "./select-packs.ts";
import type { Tool, ToolSource } from "./tool.ts";

function source(name: string, ...tools: readonly Tool[]): ToolSource {
  return { name, tools: () => tools };
}

function builtins(): ToolSource {
  const noRipgrep = () => Promise.reject(new Error("nothing is searched here"));
  return builtinTools({ runs: new BackgroundRuns(() => undefined), ripgrep: noRipgrep });
}

function registry(...sources: readonly ToolSource[]): ToolRegistry {
  const made = new ToolRegistry();
  for (const each of sources) made.add(each);
  return made;
}

function messageOf(act: () => unknown): string {
  try {
    act();
    return "nothing was thrown";
  } catch (thrown) {
    return thrown instanceof Error ? thrown.message : String(thrown);
  }
}

const forecast = probe({
  name: "weather_forecast",
  description: "Tells tomorrow's rain for a city.",
  inputSchema: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
  lazy: true,
  run: () => ({ content: [{ type: "text", text: "rain" }] }),
});

test("[TOOL-06] a name that two sources use is refused, both named, and nothing of the second is taken", () => {
  const tools = registry(source("builtin", probe({ name: "Read" })));
  const add = () => tools.add(source("mcp:files", probe({ name: "Other" }), probe({ name: "Read" })));
  expect(messageOf(add)).toBe(
    "The tool name 'Read' is used by both builtin and mcp:files. Rename one of them, or leave one source out.",
  );
  expect(tools.declared().map((tool) => tool.name)).toEqual(["Read"]);
  expect(messageOf(() => registry(source("plugin:x", probe(), probe())))).toContain("plugin:x and plugin:x");
  expect(messageOf(() => registry(source("plugin:x", probe({ name: "CallTool" }))))).toContain(
    "used by both cinch itself and plugin:x",
  );
});

test("[TOOL-08] a tool is refused whose name, description or schema cannot be sent to a model", () => {
  const refusal = (parts: Partial<Tool>) => {
    const { run: _run, ...rest } = parts;
    return messageOf(() => registry(source("mcp:x", probe(rest))));
  };
  expect([
    refusal({ name: "with space" }),
    refusal({ description: " " }),
    refusal({ description: "d".repeat(251) }),
    refusal({ inputSchema: { type: "string" } }),
    refusal({ description: "d".repeat(250) }),
  ]).toEqual([
    "The tool 'with space' of mcp:x cannot be used: a name is 1 to 64 letters, digits, underscores and dashes",
    "The tool 'Probe' of mcp:x cannot be used: it has no description",
    "The tool 'Probe' of mcp:x cannot be used: its description has 251 characters, more than 250",
    `The tool 'Probe' of mcp:x cannot be used: its input schema is not of type "object"`,
    "nothing was thrown",
  ]);
});

test("[TOOL-08 LIB-07] what is declared is name, description and schema, in one order, without the lazy tools", () => {
  const [one, two] = [probe({ name: "One" }), probe({ name: "Two" })];
  const shape = ({ name, description, inputSchema }: Tool) => ({ name, description, inputSchema });
  expect(registry(source("a", one), source("b", two)).declared()).toEqual([shape(one), shape(two)]);
  const withLazy = registry(source("a", one, forecast), source("b", two));
  expect(withLazy.declared().map((tool) => tool.name)).toEqual(["One", "Two", "ToolSearch", "CallTool"]);
  expect(JSON.stringify(withLazy.declared())).toBe(JSON.stringify(withLazy.declared()));
});

test("[LIB-07 PERF-02] the declarations are one list until a tool is added", () => {
  const [one, two] = [probe({ name: "One" }), probe({ name: "Two" })];
  const tools = registry(source("a", one));
  const before = tools.declared();
  expect(tools.declared()).toBe(before);
  tools.add(source("b", two));
  expect(tools.declared().map(({ name }) => name)).toEqual(["One", "Two"]);
});

test("[LIB-07] a lazy tool is found by words, with its schema, and called under its own name", async () => {
  await using rig = openToolRig();
  const tools = registry(
    source("a", probe()),
    source("mcp:w", forecast, probe({ name: "tide_table", lazy: true })),
  );
  const search = tools.resolve("ToolSearch", { query: "rain in a city?" });
  const { name, description, inputSchema } = forecast;
  expect(await rig.text(search.tool, search.input)).toBe(
    JSON.stringify({ name, description, input_schema: inputSchema }),
  );
  expect(await rig.text(search.tool, { query: "cook" })).toBe(
    'No tool fits "cook". There are: weather_forecast, tide_table.',
  );
  const input = { city: "Bern" };
  const found = { tool: forecast, name: "weather_forecast", input };
  expect(tools.resolve("CallTool", { name: "weather_forecast", input })).toEqual(found);
  expect(tools.resolve("CallTool", { name: "weather_forecast", input: '{"city":"Bern"}' })).toEqual(found);
  expect(tools.resolve("weather_forecast", input)).toEqual(found);
});

test("[LIB-07 MCP-02] a search shows how many more tools match", async () => {
  await using rig = openToolRig();
  const many = Array.from({ length: 1_012 }, (_, at) => probe({ name: `weather_${at}`, lazy: true }));
  const { tool } = registry(source("mcp:w", ...many)).resolve("ToolSearch", {});
  const lines = (await rig.text(tool, { query: "weather" })).split("\n");
  expect(lines.slice(5)).toEqual(["(1,007 more fit; to see them, search with other words of theirs)"]);
  expect((await rig.text(tool, { query: "weather_7" })).split("\n")[0]).toContain('"weather_7"');
});

test("[LIB-07 MCP-02] ToolSearch names the servers whose tools are not declared, the same for a session, shortly", async () => {
  const server = (name: string, awaited = false): ToolSource => {
    const tools = () => [probe({ name: `mcp__${name}__go`, lazy: !awaited })];
    return { name: `mcp:${name}`, tools, late: { awaited, origins: [name], ready: () => Promise.resolve() } };
  };
  const described = (tools: ToolRegistry) =>
    tools
      .declared()
      .find(({ name }) => name === "ToolSearch")
      ?.description.replace(/^.*CallTool\./, "");
  const none = registry(source("a", forecast), server("eager", true));
  expect(described(none)).toBe("");
  const tools = registry(source("a", forecast), server("eager", true), server("one"));
  await tools.ready(new AbortController().signal);
  tools.add(server("later"));
  expect(described(tools)).toBe(" Servers with more: one.");
  tools.refresh();
  expect(described(tools)).toBe(" Servers with more: one, later.");
  expect(described(tools.restrictedTo(({ name }) => name === "mcp__later__go"))).toBe(
    " Servers with more: later.",
  );
  const many = registry(...Array.from({ length: 50 }, (_, at) => server(`${"s".repeat(30)}${at}`)));
  expect(described(many)).toMatch(/^ Servers with more: (s+\d, ){2}s+2 and 47 others\.$/);
  expect(many.declared()[0]?.description.length).toBeLessThan(250);
});

test("[LIB-07] a lazy tool that is called blind is answered with its schema", async () => {
  await using rig = openToolRig();
  const tools = registry(source("mcp:w", forecast));
  const call = tools.resolve("CallTool", { name: "weather_forecast" });
  expect(await rig.text(call.tool, call.input)).toBe(
    `error: The input of weather_forecast does not fit. city: expected string, found nothing.
Its input schema: {"type":"object","properties":{"city":{"type":"string"}},"required":["city"]}`,
  );
  expect(await rig.text(call.tool, { city: "Bern" })).toBe("rain");
  for (const input of [{}, { name: "CallTool", input: {} }, undefined]) {
    const empty = tools.resolve("CallTool", input);
    expect(await rig.text(empty.tool, empty.input)).toStartWith("error: ");
  }
});

test("[TOOL-12] a call of a tool that is not there is a clear error, also where there are none", async () => {
  await using rig = openToolRig();
  const tools = registry(source("a", probe({ name: "Read" }), probe({ name: "Write" })));
  const answer = async (from: ToolRegistry, name: string) => {
    const call = from.resolve(name, { a: 1 });
    expect([call.name, call.input, call.tool.mutating]).toEqual([name, { a: 1 }, true]);
    return await rig.text(call.tool, call.input);
  };
  expect(await answer(registry(), "Read")).toBe(
    `error: There is no tool "Read": this session has no tools at all.`,
  );
  expect(await answer(tools, "raed")).toBe(`error: There is no tool "raed". Did you mean Read?`);
  expect(await answer(tools, "ReadFile")).toBe(`error: There is no tool "ReadFile". Did you mean Read?`);
  expect(await answer(tools, "browse")).toBe(`error: There is no tool "browse". There are: Read, Write.`);
  expect(await answer(tools, "CallTool")).toBe(`error: There is no tool "CallTool". There are: Read, Write.`);
  expect(tools.find("Nope")).toBeUndefined();
});

test("[TOOL-07] packs choose among the built-in tools by name, and an unknown pack is refused", () => {
  const names = (...packs: readonly string[]) =>
    selectPacks(
      source(
        "builtin",
        ...["Read", "Write", "Bash", "Grep", "Glob"].map((name) => probe({ ...TOOLS.of(name), name })),
      ),
      packs,
    )
      .tools()
      .map((tool) => tool.name);
  expect(names("fs")).toEqual(["Read", "Write", "Glob"]);
  expect(names("git", "search")).toEqual(["Bash", "Grep", "Glob"]);
  expect(names("web")).toEqual([]);
  expect(names()).toEqual([]);
  expect(messageOf(() => names("gti"))).toBe(`There is no tool pack 'gti'. Known: ${PACK_NAMES.join(", ")}.`);
  const all = builtins();
  expect(selectPacks(all, PACK_NAMES).tools()).toEqual(all.tools());
});

/** MultiEdit has a list of edits; Bash says how processes outlive a call, and how a command leaves the sandbox. */
const DEAR_BYTES_MAX: Readonly<Record<string, number>> = { MultiEdit: 400, Bash: 380 };

test("[PERF-06] a built-in tool costs at most 330 bytes in every request, MultiEdit 400, Bash 380", () => {
  const costs = registry(builtins())
    .declared()
    .map((tool) => [tool.name, new TextEncoder().encode(JSON.stringify(tool)).length] as const);
  const dear = costs.filter(([name, bytes]) => bytes > (DEAR_BYTES_MAX[name] ?? 330));
  expect(dear).toEqual([]);
});

test("[TOOL-09] the file tools say whether they change anything, and what level they need", () => {
  const levels = builtins()
    .tools()
    .filter((tool) => ["Read", "Write", "Edit", "MultiEdit", "Ls"].includes(tool.name))
    .map((tool) => [tool.name, tool.mutating, tool.level]);
  expect(levels).toEqual([
    ["Read", false, "ReadOnly"],
    ["Write", true, "WorkspaceWrite"],
    ["Edit", true, "WorkspaceWrite"],
    ["MultiEdit", true, "WorkspaceWrite"],
    ["Ls", false, "ReadOnly"],
  ]);
});
