import { expect, test } from "bun:test";
import { readSource } from "../../../test/support/source.ts";
import { COMMAND_KINDS } from "../kinds.ts";
import type { SlashCommandInfo as Info } from "../resources.ts";
import { SlashCommandInfo } from "../resources.ts";
import { SLASH_COMMANDS } from "./own-commands.ts";
import { BUILTIN_NAMESPACES, describeCommand, isBuiltinCommand } from "./slash-commands.ts";

test("[CMD-01 DOC-01] the page of slash commands names every one, as it is used, and says the same of it", () => {
  const page = readSource("docs/commands.md");
  const rows = [...page.matchAll(/^\| `(\/.*)` \| (.*) \|$/gm)].map(([, usage, help]) => [usage, help]);
  const bars = (text: string) => text.replaceAll("|", "\\|");
  expect(rows).toEqual(SLASH_COMMANDS.map(({ usage, help }) => [bars(usage), bars(help)]));
});

test("[CMD-01] each command is carried out by one that the engine serves, or by the client, and stands in the list once", () => {
  const names = SLASH_COMMANDS.map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
  for (const { command } of SLASH_COMMANDS) expect([...COMMAND_KINDS, "client"]).toContain(command);
});

test("[CMD-01 CTL-15] a listed command bears the parts that are asked for of it, beside its name as it is typed", () => {
  const [compact, list] = ["compact", "sessions:list"].map((wanted) => {
    const own = SLASH_COMMANDS.find(({ name }) => name === wanted);
    return own === undefined ? undefined : describeCommand(own);
  });
  expect(compact).toEqual({
    name: "compact",
    usage: "/compact",
    help: "replace the conversation with a summary",
    description: "replace the conversation with a summary",
    command: "CompactSession",
    args_schema: { type: "string", maxLength: 0 },
    is_builtin: true,
  });
  expect(list).toMatchObject({
    namespace: "sessions",
    name: "sessions:list",
    args_help: "[all]",
    args_schema: { type: "string", description: "[all]" },
  });
  for (const info of SLASH_COMMANDS as readonly Info[])
    expect<Info>(SlashCommandInfo.parse(describeCommand(info))).toEqual(describeCommand(info));
  const alias = { name: "gu", usage: "/gu", help: "short for it", command: "client", alias_of: "/skills:g" };
  expect(describeCommand(alias)).toMatchObject({ args_schema: { type: "string" }, is_builtin: false });
});

test("[CMD-02 PLUG-01] what is cinch's own, and what is not", () => {
  for (const own of [
    "help",
    "exit",
    "sessions",
    "skills:reload",
    "mcp:x",
    "profiles:x",
    "model:x",
    "tasks:stop",
    "engine:web",
  ])
    expect([own, isBuiltinCommand(own)]).toEqual([own, true]);
  for (const other of ["skills:x", "agents:x", "prompts:x", "mcp-prompts:s.p", "acme:do", "custom:do", "gu"])
    expect([other, isBuiltinCommand(other)]).toEqual([other, false]);
  expect(BUILTIN_NAMESPACES).toContain("sessions");
});
