import { expect, test } from "bun:test";
import { SLASH_COMMANDS } from "../../protocol/commands/own-commands.ts";
import type { SlashCommandInfo } from "../../protocol/resources.ts";
import { completedWord } from "./completed-word.ts";
import { rankCommands } from "./rank-commands.ts";

const COMMANDS: readonly SlashCommandInfo[] = [
  ...SLASH_COMMANDS,
  { name: "skills:pdf", usage: "/skills:pdf [TEXT]", help: "read a PDF", command: "SendInput" },
  { name: "skills:evil\u001b[2J", usage: "/skills:evil", help: "no", command: "SendInput" },
];
const names = (typed: string) => rankCommands(typed, COMMANDS).map(({ name }) => name);

test("[CMD-01 TUI-06 bar Slash list] a name is matched by its letters in order, an exact one first, then the descriptions", () => {
  expect(names("cost")[0]).toBe("cost");
  expect(names("sexp")[0]).toBe("sessions:export");
  expect(names("pdf")[0]).toBe("skills:pdf");
  expect(names("clipboard")).toEqual(["copy"]);
  expect(names("mcp")[0]).toBe("mcp");
  expect(names("exit")[0]).toBe("exit");
  expect(names("zzzz")).toEqual([]);
});

test("[CMD-01 TUI-07] placeholders and names that drive a terminal are not offered, and no name stands twice", () => {
  const all = names("");
  expect(names("skills:")).not.toContain("skills:NAME");
  expect(all).toContain("skills:");
  expect(names("evil")).toEqual([]);
  expect(new Set(all).size).toBe(all.length);
});

test("[CMD-01] a command with only optional words runs alone, and one that needs a word does not", () => {
  const runsAlone = (typed: string) => rankCommands(typed, COMMANDS)[0]?.runsAlone;
  expect([runsAlone("cost"), runsAlone("model"), runsAlone("effort")]).toEqual([true, true, false]);
  expect(rankCommands("effort", COMMANDS)[0]).toMatchObject({ hint: "WORD" });
});

test("[TUI-08] the word at the cursor is a command, a word behind one, a path behind an at sign, or nothing", () => {
  const word = (marked: string) => {
    const cursor = marked.indexOf("|");
    return completedWord(marked.replace("|", ""), cursor, COMMANDS);
  };
  expect(word("/co|st")).toEqual({ kind: "command", from: 0, to: 5, typed: "co" });
  expect(word("/effort hi|")).toEqual({ kind: "argument", from: 8, to: 10, typed: "hi" });
  expect(word("see @sr|c:10-20 now")).toEqual({ kind: "mention", from: 4, to: 8, typed: "sr" });
  expect(word("/steer look at @a|")).toMatchObject({ kind: "mention", from: 15 });
  for (const none of ["//co|", "/usr/b|in", "a /co|", "mail a@b|", "/steer words|", "|", "@a.ts:1|"])
    expect(word(none), none).toBeUndefined();
});
