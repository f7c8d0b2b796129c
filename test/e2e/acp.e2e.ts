import { expect, test } from "bun:test";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { readPlugins } from "../../src/features/plugins/plugin-files.ts";
import { TrustLedger } from "../../src/guard/trust/ledger/ledger.ts";
import { textTold } from "../support/acp-editor.ts";
import { openAcpHome } from "../support/acp-home.ts";
import { runCinch } from "../support/cinch.ts";
import { calls, says } from "../support/mock-provider/turn.ts";
import { ROOT } from "../support/source.ts";
import { until } from "../support/until.ts";
import { testWorld } from "../support/world.ts";

const WRITE = { file_path: "a.txt", content: "hello\n" };

test("[CTL-16] an editor has a file written after its person allowed it, and another one finds the session later", async () => {
  const script = [calls("Write", WRITE), says("written"), says("and again")];
  await using place = openAcpHome(script);
  let session: string;
  {
    await using first = place.edit("--model", "mock:one", "--level", "ReadOnly");
    const { editor, cinch } = first;
    session = await editor.begin(place.work);
    const turn = editor.prompt(session, "write it");
    const { request, choose } = await editor.question();
    expect(request.toolCall).toMatchObject({
      title: "Write a.txt",
      locations: [{ path: join(place.work, "a.txt") }],
    });
    expect(existsSync(join(place.work, "a.txt"))).toBe(false);
    choose("allow-once");
    expect(await turn).toMatchObject({ stopReason: "end_turn" });
    expect(readFileSync(join(place.work, "a.txt"), "utf8")).toBe("hello\n");
    expect(textTold(editor)).toBe("written");
    cinch.closeStdin();
    expect([await cinch.exited, await cinch.stderr]).toEqual([0, ""]);
  }
  await using second = place.edit("--model", "mock:one");
  const { agent } = second.editor;
  await agent.request("initialize", { protocolVersion: 1 });
  const { sessions } = await agent.request("session/list", { cwd: place.work });
  expect(sessions).toMatchObject([{ sessionId: session, title: "write it", cwd: place.work }]);
  await agent.request("session/load", { sessionId: session, cwd: place.work, mcpServers: [] });
  expect(textTold(second.editor, "user_message_chunk")).toBe("write it");
  expect(textTold(second.editor)).toBe("written");
  await second.editor.prompt(session, "more");
  expect(textTold(second.editor)).toBe("writtenand again");
}, 300_000);

test("[CTL-16 CRED-03] an editor works with a provider whose key another process keeps, and its end ends them all", async () => {
  await using place = openAcpHome([says("with a key")], { MOCK_API_KEY: "sk-mock-0123456789abcdef" });
  await using open = place.edit("--model", "mock:one");
  const { editor, cinch } = open;
  const session = await editor.begin(place.work);
  await editor.prompt(session, "hi");
  expect(textTold(editor)).toBe("with a key");
  cinch.closeStdin();
  expect(await cinch.exited).toBe(0);
}, 300_000);

test("[CTL-16 CMD-01 CMD-02 PLUG-01] an editor offers skills, agents, prompts, aliases and commands of plugins, and they do what they do elsewhere", async () => {
  await using place = openAcpHome([says("looked"), says("again"), says("skilled"), says("linked")]);
  const { home } = place;
  const config = join(home.path, "config/cinch");
  const dice = join(ROOT, "examples/plugins/dice");
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(config, path)), { recursive: true });
    writeFileSync(join(config, path), text);
  };
  const own = readFileSync(join(config, "config.toml"), "utf8");
  write("config.toml", `plugins = ${JSON.stringify([dice])}\n${own}`);
  write("prompts/look.md", "---\ndescription: looks\nargument-hint: FILE\n---\nLook at $1 with care.\n");
  write("aliases.toml", '[aliases]\nlk = "/prompts:look main.ts"\n');
  write("skills/pdf/SKILL.md", "---\nname: pdf\ndescription: forms\n---\nFill in the form.\n");
  const world = testWorld();
  const ledger = await TrustLedger.open(world, join(config, "approved.lock"));
  await ledger.approve(await readPlugins(world, [dice]));
  await runCinch(["ack", "--all"], { home });
  await using open = place.edit("--model", "mock:one");
  const { editor } = open;
  const session = await editor.begin(place.work);
  await until("what the plugin may do is told", () => textTold(editor).includes("RollDice"));
  const answerTo = async (text: string, ...rest: readonly unknown[]) => {
    const before = textTold(editor).length;
    const prompt = [{ type: "text", text }, ...rest];
    await editor.agent.request("session/prompt", { sessionId: session, prompt } as never);
    return textTold(editor).slice(before);
  };
  expect(await answerTo("/prompts:look a.ts")).toBe("looked");
  expect(place.sent()).toContain("Look at a.ts with care.");
  expect(await answerTo("/lk")).toBe("again");
  expect(place.sent()).toContain("Look at main.ts with care.");
  expect(await answerTo("/skills:pdf page 2")).toBe("skilled");
  expect(place.sent()).toContain("Fill in the form.");
  const link = { type: "resource_link", name: "b.ts", uri: "file:///w/b.ts" };
  expect(await answerTo("/prompts:look b.ts", link)).toBe("linked");
  expect(place.sent()).toContain("[b.ts](/w/b.ts)");
  expect(await answerTo("/dice:roll 1d1")).toContain("1");
  expect(await answerTo("/dcie:roll 1d1")).toBe(
    "There is no command /dcie:roll here. Did you mean /dice:roll?",
  );
  expect(await answerTo("/agents:general")).toBe(
    "/agents:general needs a text: what the sub-agent is to do.",
  );
  await expect(answerTo("/prompts:lok")).rejects.toMatchObject({
    message: "There is no prompt 'lok'. Did you mean /prompts:look?",
  });
  expect(await answerTo("/profiles:self")).toContain("on profile 'self'");
  const lists = () =>
    editor.updates.filter(({ update }) => update.sessionUpdate === "available_commands_update");
  await until("the commands of the session that goes on are offered", () => lists().length > 1);
  const offered = editor.updates.flatMap(({ update }) =>
    update.sessionUpdate === "available_commands_update" ? update.availableCommands : [],
  );
  expect(offered.map(({ name }) => name)).toEqual(
    expect.arrayContaining([
      "compact",
      "model",
      "skills:pdf",
      "prompts:look",
      "lk",
      "dice:roll",
      "agents:general",
    ]),
  );
  expect(offered.map(({ name }) => name)).not.toContain("prompts:NAME");
}, 300_000);

test("[CTL-16] an editor that goes away in the middle of a question leaves nothing done and nothing running", async () => {
  await using place = openAcpHome([calls("Write", WRITE), says("never")]);
  await using open = place.edit("--model", "mock:one", "--level", "ReadOnly");
  const { editor, cinch } = open;
  const turn = editor.prompt(await editor.begin(place.work), "write it");
  turn.catch(() => undefined);
  await editor.question();
  cinch.closeStdin();
  expect(await cinch.exited).toBe(0);
  expect(existsSync(join(place.work, "a.txt"))).toBe(false);
  await expect(turn).rejects.toThrow();
}, 300_000);

test("[CTL-16] without a model an editor gets the reason, and lines that are no messages end nothing", async () => {
  await using place = openAcpHome([]);
  await using open = place.edit("--model", "nobody:one");
  const { editor, cinch } = open;
  await editor.agent.request("initialize", { protocolVersion: 1 });
  cinch.write('garbage\n\u0000\n[1,2,3]\n{"jsonrpc":"2.0","method":42}\n\n');
  const asked = editor.agent.request("session/new", { cwd: place.work, mcpServers: [] });
  await expect(asked).rejects.toMatchObject({
    message: expect.stringContaining("There is no provider 'nobody'"),
    data: { reason: "UnknownProvider" },
  });
  await expect(editor.agent.request("session/new", { cwd: place.work, mcpServers: [] })).rejects.toThrow();
  cinch.kill("SIGTERM");
  expect(await cinch.exited).toBe(130);
}, 300_000);

test("[CTL-16] a message without end is refused at its limit, and reported on standard error", async () => {
  await using place = openAcpHome([]);
  await using open = place.edit("--model", "mock:one");
  const { editor, cinch } = open;
  await editor.agent.request("initialize", { protocolVersion: 1 });
  cinch.write("x".repeat(32 * 1024 * 1024 + 2));
  expect(await cinch.exited).toBe(1);
  expect(await cinch.stderr).toContain("(BodyTooLarge)");
}, 300_000);
