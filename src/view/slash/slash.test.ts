import { expect, test } from "bun:test";
import fc from "fast-check";
import { HarnessError } from "../../base/errors.ts";
import { refusalText } from "../texts/refusal-text.ts";
import { parseTyped } from "./slash.ts";

test("[CLI-01] a command is a slash, a name, perhaps a namespace, and words split as a shell does", () => {
  expect(parseTyped("/help")).toEqual({ kind: "command", name: "help", args: [], rest: "" });
  expect(parseTyped("/model  local:x ")).toEqual({
    kind: "command",
    name: "model",
    args: ["local:x"],
    rest: "local:x",
  });
  expect(parseTyped(`/skills:go 'a b' "c\\"d" e\\ f ''`)).toEqual({
    kind: "command",
    namespace: "skills",
    name: "go",
    args: ["a b", 'c"d', "e f", ""],
    rest: `'a b' "c\\"d" e\\ f ''`,
  });
});

test("[CLI-01] text, paths and doubled slashes are text; a nameless or unclosed command says what is wrong", () => {
  expect(parseTyped("fix it")).toEqual({ kind: "text", text: "fix it" });
  expect(parseTyped("/usr/bin is missing")).toEqual({ kind: "text", text: "/usr/bin is missing" });
  expect(parseTyped("//help")).toEqual({ kind: "text", text: "/help" });
  expect(parseTyped("/skills:../x y")).toEqual({
    kind: "invalid",
    why: '"/skills:../x" is not a command: /help lists them, and // in front sends it as a text',
  });
  expect(parseTyped("//skills:../x")).toEqual({ kind: "text", text: "/skills:../x" });
  expect(parseTyped("/prompts: review it")).toEqual({
    kind: "invalid",
    why: '"/prompts:" lacks the name behind its colon: /help lists them',
  });
  expect(parseTyped("/home/me:x is there")).toEqual({ kind: "text", text: "/home/me:x is there" });
  expect(parseTyped("/ x")).toEqual({ kind: "invalid", why: "a command has a name: /help lists them" });
});

test("[CMD-01] a refusal names no command of the protocol to a person, and keeps the one that they can type", () => {
  const of = (kind: string) =>
    refusalText(new HarnessError("InvalidCommand", { kind, why: "no\u001b[2J task" }));
  expect(of("StopTask")).toBe("That cannot be done: no task");
  expect(of("/dice:rol")).toBe("The command /dice:rol cannot be carried out: no task");
  expect(refusalText(new HarnessError("MemoryInvalid", { problem: "Too long." }))).toBe("Too long.");
});

test("[CMD-01] a namespace alone says the same as its name alone, and one of somebody else's is no command of it", () => {
  const alone = { kind: "command", args: [], rest: "" } as const;
  for (const name of ["skills", "prompts", "agents", "mcp", "profiles", "sessions", "permissions", "tasks"])
    expect(parseTyped(`/${name}: `)).toEqual({ ...alone, name });
  for (const namespace of ["dice", "mcp-prompts", "quit"])
    expect(parseTyped(`/${namespace}:`)).toEqual({ ...alone, namespace, name: "" });
});

test("[CMD-01] a text stays as it was typed, whatever quotes it holds; words with ambiguous quotes are refused with the whole command", () => {
  const rest = "it's broken: \"a b\" won't";
  for (const [namespace, name] of [
    ["skills", "pdf"],
    ["agents", "fixer"],
    ["prompts", "q"],
    ["acme", "do"],
    ["permissions", "revoke"],
  ]) {
    const typed = parseTyped(`/${namespace}:${name} ${rest} don't`);
    expect(typed).toMatchObject({ kind: "command", namespace, name, rest: `${rest} don't`, unclosed: "'" });
  }
  expect(parseTyped("/steer it's broken")).toMatchObject({ name: "steer", rest: "it's broken" });
  expect(parseTyped("/gu it's \"x y")).toMatchObject({ args: ["it's", '"x', "y"], unclosed: "'" });
  expect(parseTyped("/gu it's what's in")).toMatchObject({ args: ["its whats", "in"] });
  expect(parseTyped("/model 'x")).toEqual({
    kind: "invalid",
    why: "/model: the quote ' is not closed: close it, or write \\' for one that is part of a word",
    command: { name: "model" },
  });
  expect(parseTyped('/sessions:export "x')).toEqual({
    kind: "invalid",
    why: '/sessions:export: the quote " is not closed: close it, or write \\" for one that is part of a word',
    command: { namespace: "sessions", name: "export" },
  });
});

test("[CLI-01 REL-06] whatever is typed is read as something, and words written in quotes come back", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme" }), (typed) => {
      expect(["text", "command", "invalid"]).toContain(parseTyped(typed).kind);
      expect(["text", "command", "invalid"]).toContain(parseTyped(`/${typed}`).kind);
    }),
  );
  const quoted = fc.string().map((word) => ({ word, quoted: `'${word.replaceAll("'", `'\\''`)}'` }));
  fc.assert(
    fc.property(fc.array(quoted), (words) => {
      const typed = parseTyped(`/x ${words.map((word) => word.quoted).join(" ")}`);
      expect(typed).toMatchObject({ kind: "command", args: words.map((word) => word.word) });
    }),
  );
});
