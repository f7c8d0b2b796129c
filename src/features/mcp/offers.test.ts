import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import * as fc from "fast-check";
import { openMcpRig } from "../../../test/support/mcp-rig.ts";
import { officialServer } from "../../../test/support/mcp-servers.ts";
import { holds } from "../../../test/support/property.ts";
import { until } from "../../../test/support/until.ts";
import { messageOf } from "../../base/errors.ts";
import { ToolFailure } from "../../tools/tool.ts";
import { assignArguments, PROMPT_MS_MAX, ServerPrompts } from "./tools/prompts.ts";
import { resourceTools } from "./tools/resources.ts";

const HANG_MS_MAX = 60_000;

/** A session with the official server that has something of everything. */
function openRig() {
  const rig = openMcpRig();
  const session = rig.session(rig.spec([], { name: "everything", ...officialServer("everything") }));
  const { signal } = new AbortController();
  const tools = resourceTools(() => [session.server]);
  return {
    rig,
    server: session.server,
    signal,
    async called(name: string, input: unknown): Promise<string> {
      const tool = tools.find((each) => each.name === name);
      const context = rig.context(signal);
      try {
        const { content } = (await tool?.run(await tool.plan(input, context), context)) ?? { content: [] };
        return content.map((block) => (block.type === "text" ? block.text : block.type)).join("\n");
      } catch (thrown) {
        if (!(thrown instanceof ToolFailure)) throw thrown;
        return `failed: ${thrown.message}`;
      }
    },
    summary: async (name: string, input: unknown) =>
      (await tools.find((each) => each.name === name)?.plan(input, rig.context(signal)))?.summary,
    async [Symbol.asyncDispose]() {
      await session[Symbol.asyncDispose]();
      await rig[Symbol.asyncDispose]();
    },
  };
}

test(
  "[MCP-06] the model finds the resources of a server and reads one, by tools that ask before they send a server anything",
  async () => {
    await using rig = openRig();
    const listed = await rig.called("ListMcpResources", {});
    expect(listed).toStartWith("everything:\n- demo://resource/");
    expect(listed).toContain("(fill in what is in braces)");
    const uri = "demo://resource/static/document/features.md";
    expect(await rig.called("ReadMcpResource", { server: "everything", uri })).toStartWith(
      `[resource ${uri}, text/markdown]\n# `,
    );
    expect(await rig.called("ReadMcpResource", { server: "everything", uri: "demo://nothing" })).toStartWith(
      "failed: everything: ",
    );
    expect(await rig.summary("ReadMcpResource", { server: "everything", uri })).toBe(
      `ReadMcpResource:everything:${uri}`,
    );
    const tools = resourceTools(() => []);
    expect(tools.map(({ name, mutating, level, lazy }) => [name, mutating, level, lazy])).toEqual([
      ["ListMcpResources", false, "ReadOnly", true],
      ["ReadMcpResource", true, "WorkspaceWrite", true],
    ]);
  },
  HANG_MS_MAX,
);

test("[MCP-06] an unknown server is reported with the known ones", async () => {
  await using rig = openRig();
  expect(await rig.called("ReadMcpResource", { server: "everythin", uri: "x:y" })).toBe(
    'failed: There is no MCP server "everythin" in this session. Did you mean everything?',
  );
  expect(await rig.called("ListMcpResources", { server: "other" })).toBe(
    'failed: There is no MCP server "other" in this session. There are: everything.',
  );
});

test(
  "[MCP-06] prompts of a server are commands of a person, with arguments by name or in order",
  async () => {
    await using rig = openRig();
    const prompts = new ServerPrompts(() => [rig.server], rig.rig.world.clock, rig.signal);
    expect(prompts.commands()).toEqual([]);
    expect(await prompts.expand("everything.simple_prompt", [])).toBe(
      "This is a simple prompt without arguments.",
    );
    await until("the prompts to be known", () => prompts.commands().length > 0);
    expect(prompts.commands().find(({ name }) => name.endsWith("args-prompt"))).toEqual({
      name: "mcp-prompts:everything.args-prompt",
      usage: "/mcp-prompts:everything.args-prompt city [state]",
      help: "A prompt with two arguments, one required and one optional",
      command: "CustomCommand",
    });
    expect(await prompts.expand("everything.args-prompt", ["Bern"])).toContain("weather in Bern");
    expect(await prompts.expand("everything.args_prompt", ["state=BE", "Bern"])).toContain("Bern, BE");
    const refused = async (verb: string, ...args: readonly string[]) =>
      await prompts.expand(verb, args).then(String, messageOf);
    expect(await refused("everything.args_prompt")).toContain(
      "write /mcp-prompts:everything.args_prompt city [state]",
    );
    expect(await refused("everything.args-promt", "Bern")).toBe(
      "The prompt 'everything.args-promt' of an MCP server cannot be used: there is no prompt of this name (did you mean everything.args-prompt?).",
    );
    expect(await refused("everything.args-prompt", "citi=Bern")).toBe(
      "The prompt 'everything.args-prompt' of an MCP server cannot be used: it has no argument citi (it has city). A value that holds = is written with its name: city=citi=Bern.",
    );
    expect(await prompts.expand("everything.args-prompt", ["city=citi=Bern"])).toContain(
      "weather in citi=Bern",
    );
    expect(await refused("nobody.prompt")).toContain("write SERVER.PROMPT, where SERVER is everything");
  },
  HANG_MS_MAX,
);

test(
  "[MCP-06] every prompt of a server can be typed, as the server names it where a command can be called so, in the older spelling too",
  async () => {
    await using rig = openMcpRig();
    const file = join(rig.directory, "prompts.json");
    const all = ["simple-prompt", "my prompt", "my/prompt", "my.prompt", "a b", "x-y", "x_y"];
    writeFileSync(file, JSON.stringify(all.map((name) => ({ name }))));
    await using session = rig.session(rig.spec([`prompts=${file}`]));
    await session.server.connected(new AbortController().signal);
    const prompts = new ServerPrompts(() => [session.server], rig.world.clock, new AbortController().signal);
    await until("them", () => prompts.commands().length === all.length);
    const verbs = prompts.commands().map(({ name }) => name.replace("mcp-prompts:test.", ""));
    expect(verbs.map((verb) => verb.replace(/_[0-9a-f]{8}$/, " and a hash"))).toEqual([
      "simple-prompt",
      "my_prompt and a hash",
      "my_prompt and a hash",
      "my.prompt",
      "a_b",
      "x-y",
      "x_y",
    ]);
    expect(new Set(verbs).size).toBe(all.length);
    for (const [at, verb] of verbs.entries())
      expect(await prompts.expand(`test.${verb}`, [])).toBe(all[at] ?? "");
    expect(await prompts.expand("test.simple_prompt", [])).toBe("simple-prompt");
  },
  HANG_MS_MAX,
);

test(
  "[MCP-06] prompts that a server changes are listed again, at most once a second, and after a restart",
  async () => {
    await using rig = openMcpRig();
    const file = join(rig.directory, "prompts.json");
    const offer = (...names: readonly string[]) =>
      writeFileSync(file, JSON.stringify(names.map((name) => ({ name }))));
    offer("one");
    await using session = rig.session(rig.spec([`prompts=${file}`]));
    await session.server.connected(new AbortController().signal);
    const prompts = new ServerPrompts(() => [session.server], rig.world.clock, new AbortController().signal);
    const names = () => prompts.commands().map(({ name }) => name.replace("mcp-prompts:test.", ""));
    const asked = () => rig.journal().messages.filter(({ method }) => method === "prompts/list").length;
    await until("the first", () => names().includes("one"));
    for (const _ of Array.from({ length: 20 })) names();
    expect(asked()).toBe(1);

    const before = session.server.promptsVersion;
    offer("one", "two");
    await session.call("mcp__test__echo", { text: "change-prompts" });
    await until("it was said", () => session.server.promptsVersion > before);
    expect(names()).toEqual(["one"]);
    await session.call("mcp__test__echo", { text: "what was asked before is in the journal now" });
    expect(asked()).toBe(1);
    await rig.world.clock.advance(1_000);
    await until("both", () => names().length === 2);
    await rig.world.clock.advance(10_000); // nothing has changed
    expect(names()).toEqual(["one", "two"]);
    await session.call("mcp__test__echo", { text: "what was asked before is in the journal now" });
    expect(asked()).toBe(2);

    offer("three");
    await session.server.restart(new AbortController().signal);
    await rig.world.clock.advance(1_000);
    await until("the last", () => names().includes("three"));
    expect(asked()).toBe(3);
  },
  HANG_MS_MAX,
);

test(
  "[MCP-06] resources are listed as they are now, however long a server said that its list would hold",
  async () => {
    await using rig = openMcpRig();
    const file = join(rig.directory, "resources.json");
    const offer = (name: string) => writeFileSync(file, JSON.stringify([{ uri: `a://${name}`, name }]));
    await using session = rig.session(rig.spec([`resources=${file}`]));
    const { signal } = new AbortController();
    const [list] = resourceTools(() => [session.server]);
    const context = rig.context(signal);
    const listed = async () => (await list?.run(await list.plan({}, context), context))?.content;
    for (const name of ["one", "two"]) {
      offer(name);
      expect(await listed()).toEqual([{ type: "text", text: `test:\n- a://${name}: ${name}` }]);
    }
  },
  HANG_MS_MAX,
);

test("[MCP-06] the words of a prompt are all used, or the answer shows its syntax", async () => {
  expect(assignArguments({ arguments: [{ name: "a" }] }, ["1", "2"])).toBeUndefined();
  expect(assignArguments({ arguments: [{ name: "a" }, { name: "b" }] }, ["b=x=y", "1"])).toEqual({
    a: "1",
    b: "x=y",
  });
  const declared = fc.uniqueArray(
    fc.record({ name: fc.stringMatching(/^[a-z]{1,4}$/), required: fc.boolean() }),
    { selector: ({ name }) => name, maxLength: 4 },
  );
  await holds(
    fc.property(declared, fc.array(fc.string(), { maxLength: 5 }), (all, words) => {
      const values = assignArguments({ arguments: all }, words);
      if (values === undefined) return;
      const names = Object.keys(values);
      expect(names.every((name) => all.some((each) => each.name === name))).toBe(true);
      expect(all.every(({ name, required }) => !required || names.includes(name))).toBe(true);
    }),
  );
});

test(
  "[MCP-06 R23] a server that never gives a prompt, or never lists them, is waited for no longer than a person waits",
  async () => {
    for (const [habit, last] of [
      ["prompts", "prompts/get"],
      ["never-lists-prompts", "prompts/list"],
    ] as const) {
      await using rig = openMcpRig();
      await using session = rig.session(rig.spec(["prompts", habit]));
      const { clock } = rig.world;
      await session.server.connected(new AbortController().signal);
      const prompts = new ServerPrompts(() => [session.server], clock, new AbortController().signal);
      let said: string | undefined;
      const expanded = prompts
        .expand("test.slow", [])
        .then(String, messageOf)
        .then((text) => {
          said = text;
        });
      await until("it is asked", () => rig.journal().messages.some(({ method }) => method === last));
      await clock.advance(PROMPT_MS_MAX);
      await until("its end", () => said !== undefined);
      await expanded;
      expect(said).toContain("it did not answer within 60 s");
      expect(prompts.commands().map(({ name }) => name)).toEqual(
        habit === "prompts" ? ["mcp-prompts:test.slow"] : [],
      );
    }
  },
  HANG_MS_MAX,
);
