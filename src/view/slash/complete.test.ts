import { expect, test } from "bun:test";
import * as fc from "fast-check";
import { holds } from "../../../test/support/property.ts";
import { SLASH_COMMANDS } from "../../protocol/commands/own-commands.ts";
import type { SlashCommandInfo } from "../../protocol/resources.ts";
import { aliasedCommand } from "./alias.ts";
import { completeSlash, likeCommands } from "./complete.ts";
import { parseTyped } from "./slash.ts";

const skill = (name: string) => ({ name: `skills:${name}`, usage: "", help: "", command: "SendInput" });
const COMMANDS = [
  ...SLASH_COMMANDS,
  skill("gofastr-ui"),
  skill("pdf-form"),
  skill("pdf-merge"),
  { name: "gu", usage: "/gu", help: "", command: "client", alias_of: "/skills:gofastr-ui --fast" },
];
const complete = (typed: string) => completeSlash(typed, COMMANDS);

test("[CMD-01] the beginning of a namespace becomes the namespace, and the beginning of a name in it the name", () => {
  expect(complete("/sk")).toEqual({ text: "/skills:", candidates: ["/skills", "/skills:"] });
  expect(complete("/skills:gofa")).toEqual({
    text: "/skills:gofastr-ui",
    candidates: ["/skills:gofastr-ui"],
  });
  expect(complete("/skills:pdf")).toEqual({
    text: "/skills:pdf-",
    candidates: ["/skills:pdf-form", "/skills:pdf-merge"],
  });
  expect(complete("/he")).toEqual({ text: "/he", candidates: ["/help", "/health"] });
});

test("[CMD-01] a slash alone lists the names that stand alone, aliases too, and the namespaces; no name stands for another", () => {
  const listed = complete("/");
  expect(listed?.text).toBe("/");
  expect(listed?.candidates).toContain("/compact");
  expect(listed?.candidates).toContain("/gu");
  expect(listed?.candidates).toContain("/sessions:");
  expect(listed?.candidates.filter((name) => /:./.test(name))).toEqual([]);
  expect(complete("/skills:")?.candidates).not.toContain("/skills:NAME");
});

test("[CMD-01 MCP-03] servers are completed behind their namespace, and behind the commands that take one", () => {
  const server = (name: string) => ({ name: `mcp:${name}`, usage: "", help: "", command: "ManageMcp" });
  const commands = [...COMMANDS, server("files"), server("DB"), server("filter\u001b[2J")];
  const completed = (typed: string) => completeSlash(typed, commands);
  const own = SLASH_COMMANDS.map(({ name }) => `/${name}`).filter((name) => /^\/mcp:[a-z]/.test(name));
  expect(own).not.toEqual([]);
  expect(completed("/mcp:")?.candidates).toEqual([...own, "/mcp:files", "/mcp:DB"]);
  expect(completed("/mcp:restart ")).toEqual({
    text: "/mcp:restart ",
    candidates: ["/mcp:restart files", "/mcp:restart DB"],
  });
  expect(completed("/mcp:approve f")).toEqual({
    text: "/mcp:approve files",
    candidates: ["/mcp:approve files"],
  });
  expect(completed("/mcp:restart zzz")).toEqual({ text: "/mcp:restart zzz", candidates: [] });
  for (const typed of ["/mcp:restart files ", "/mcp:files re", "/permissions:revoke ", "/tasks:stop 1"])
    expect(completed(typed)).toBeUndefined();
});

test("[CMD-01] a namespace that there is not is taken for the one that is spelt much like it, and keeps the name in it", () => {
  expect(complete("/sesions:list")?.candidates).toEqual(["/sessions:list"]);
  expect(complete("/Skils:pdf")?.candidates).toEqual(["/skills:pdf-form", "/skills:pdf-merge"]);
  expect(complete("/sesions:zzz")?.candidates).toEqual(["/sessions:"]);
  expect(complete("/sk:pdf")?.candidates).toEqual(["/skills:pdf-form", "/skills:pdf-merge"]);
  expect(complete("/zzzzzz:list")?.candidates).toEqual([]);
});

test("[CMD-01 CTX-03] a namespace in which there is nothing yet is found too where it was mistyped", () => {
  for (const typed of ["/promts:look", "/prompt:look", "/Prompts:look"])
    expect([typed, complete(typed)?.candidates]).toEqual([typed, ["/prompts:"]]);
  expect(complete("/agnets:x")?.candidates).toEqual(["/agents:"]);
  expect(complete("/profils:x")?.candidates).toEqual(["/profiles:"]);
  expect(complete("/prompts:look")?.candidates).toEqual([]);
});

test("[CMD-01] a suggested correction can be carried out: names, and never a namespace with nothing behind it", () => {
  const like = (typed: string, commands: readonly SlashCommandInfo[] = [...COMMANDS, roll]) => {
    const command = parseTyped(typed);
    return command.kind === "command" ? likeCommands(command, commands) : [];
  };
  const roll = { name: "dice:roll", usage: "", help: "", command: "CustomCommand" };
  expect(like("/dice")).toEqual(["/dice:roll"]);
  expect(like("/dice:")).toEqual(["/dice:roll"]);
  expect(like("/Skils:zzz")).toEqual(["/skills:gofastr-ui", "/skills:pdf-form", "/skills:pdf-merge"]);
  expect(like("/promts:look")).toEqual(["/prompts"]);
  expect(like("/sesions:zzz")).toEqual(["/sessions"]);
  expect(like("/zzzzzz:")).toEqual([]);
});

test("[CMD-01] what begins no name lists those that are like it; a name that is over, a path and a text are left alone", () => {
  expect(complete("/skills:merge")).toEqual({ text: "/skills:pdf-merge", candidates: ["/skills:pdf-merge"] });
  expect(complete("/compcat")).toEqual({ text: "/compact", candidates: ["/compact"] });
  expect(complete("/zzzzzz")).toEqual({ text: "/zzzzzz", candidates: [] });
  for (const typed of ["", "text", "/model ", "/usr/bin", " /x"]) expect(complete(typed)).toBeUndefined();
});

test("[CMD-01 REL-06] whatever is typed, what comes back begins a candidate or is what was typed", async () => {
  await holds(
    fc.property(fc.string(), (typed) => {
      const found = complete(`/${typed}`);
      if (found === undefined || found.candidates.length === 0) return;
      const starts = found.candidates.some((name) => name.toLowerCase().startsWith(found.text.toLowerCase()));
      expect(starts || found.text === `/${typed}`).toBe(true);
    }),
  );
});

test("[CMD-02] an alias becomes the command that it stands for, with the words that follow, once", () => {
  const typed = (text: string) => {
    const command = parseTyped(text);
    return command.kind === "command" ? aliasedCommand(command, COMMANDS) : undefined;
  };
  expect(typed("/gu a 'b c'")).toMatchObject({
    namespace: "skills",
    name: "gofastr-ui",
    args: ["--fast", "a", "b c"],
  });
  expect(typed("/gu")).toMatchObject({ namespace: "skills", name: "gofastr-ui", args: ["--fast"] });
  expect(typed("/help")).toBeUndefined();
  expect(typed("/skills:gu")).toBeUndefined();
});

test("[CMD-01 S61] a name that would do something to a line or a terminal is never completed to", () => {
  const command = (name: string) => ({ name, usage: name, help: "x", command: "client" });
  const names = [
    "zoo",
    "zo\u001b]52;c;AAAA\u0007",
    "zo\n/quit",
    "zo\u202eo",
    "z\u0000:a",
    "zo o",
    "zo:\u009b1m",
    "zö:ä.b-c_1",
  ];
  expect(completeSlash("/z", names.map(command))).toEqual({ text: "/z", candidates: ["/zoo", "/zö:"] });
  expect(completeSlash("/zo:", names.map(command))?.candidates).toEqual(["/zö:"]);
  expect(completeSlash(`/${"z".repeat(9)}`, [command("z".repeat(1_000))])?.candidates).toEqual([]);
});
