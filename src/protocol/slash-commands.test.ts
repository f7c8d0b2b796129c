import { expect, test } from "bun:test";
import { readSource } from "../../test/support/source.ts";
import { SERVED_COMMANDS } from "../control/multiplex/multiplexer.ts";
import { isOwnCommand, OWN_NAMESPACES, SLASH_COMMANDS } from "./slash-commands.ts";

test("[CMD-01 DOC-01] the page of slash commands names every one, as it is used, and says the same of it", () => {
  const page = readSource("docs/commands.md");
  const rows = [...page.matchAll(/^\| `(\/.*)` \| (.*) \|$/gm)].map(([, usage, help]) => [usage, help]);
  const bars = (text: string) => text.replaceAll("|", "\\|");
  expect(rows).toEqual(SLASH_COMMANDS.map(({ usage, help }) => [bars(usage), bars(help)]));
});

test("[CMD-01] each command is carried out by one that the engine serves, or by the client, and stands in the list once", () => {
  const names = SLASH_COMMANDS.map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
  for (const { command } of SLASH_COMMANDS) expect([...SERVED_COMMANDS, "client"]).toContain(command);
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
  ])
    expect([own, isOwnCommand(own)]).toEqual([own, true]);
  for (const other of ["skills:x", "agents:x", "prompts:x", "acme:do", "gu"])
    expect([other, isOwnCommand(other)]).toEqual([other, false]);
  expect(OWN_NAMESPACES).toContain("sessions");
});
