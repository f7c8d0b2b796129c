import { expect, test } from "bun:test";
import { join } from "node:path";
import { openToolRig } from "../../test/support/tool-rig.ts";
import { probe } from "../../test/support/tools.ts";
import { builtinTools } from "../app/session/chains/builtins.ts";
import { hostRipgrep } from "../platform/ripgrep.ts";
import type { InputOf } from "./arguments.ts";
import { readArguments } from "./arguments.ts";
import { BackgroundRuns } from "./bash/background-runs.ts";
import { prepareCall } from "./chain/validate.ts";

const tool = probe({
  inputSchema: {
    type: "object",
    properties: { file_path: { type: "string" }, timeout_ms: { type: "integer" } },
  },
  aliases: { path: "file_path", timeout: { argument: "timeout_ms", read: (value) => Number(value) * 2 } },
});

test("[TOOL-10] an argument by another name or spelling is read as what it stands for, and the rest is named", () => {
  const inputs: readonly unknown[] = [
    { file_path: "a" },
    { path: "a" },
    { filePath: "a", "Timeout-MS": 1 },
    { path: "b", file_path: "a" },
    { path: "a", filePath: "b" },
    { timeout: 4 },
    { file_path: "a", color: "red", ["x".repeat(60)]: 1 },
    JSON.parse('{"constructor":"a"}'),
    "a",
  ];
  const long = `'${"x".repeat(40)}…'`;
  const known = "known: file_path, timeout_ms.";
  expect(inputs.map((input) => readArguments(tool, input))).toEqual([
    { input: { file_path: "a" }, notes: [] },
    { input: { file_path: "a" }, notes: [] },
    { input: { file_path: "a", timeout_ms: 1 }, notes: [] },
    { input: { file_path: "a" }, notes: [`Ignored unknown argument 'path'; ${known}`] },
    { input: { file_path: "a" }, notes: [`Ignored unknown argument 'filePath'; ${known}`] },
    { input: { timeout_ms: 8 }, notes: ["The argument 'timeout' was read as timeout_ms: 8."] },
    { input: { file_path: "a" }, notes: [`Ignored unknown arguments 'color', ${long}; ${known}`] },
    { input: {}, notes: [`Ignored unknown argument 'constructor'; ${known}`] },
    { input: "a", notes: [] },
  ]);
  const open = probe({ inputSchema: tool.inputSchema });
  expect(readArguments(open, { path: "a" })).toEqual({ input: { path: "a" }, notes: [] });
});

test("[TOOL-10] the built-in tools take the names that models of other programs use, and say what they ignored", async () => {
  await using rig = openToolRig();
  const runs = new BackgroundRuns(() => undefined);
  const ripgrep = hostRipgrep(join(rig.root, ".."));
  const tools = new Map(
    builtinTools({ runs, ripgrep })
      .tools()
      .map((each) => [each.name, each]),
  );
  const text = (name: string, input: unknown) => {
    const found = tools.get(name);
    if (found === undefined) throw new Error(`there is no ${name}`);
    return rig.text(found, input);
  };
  expect(await text("Write", { path: "a.txt", text: "one\n" })).toBe("Created a.txt (1 line).");
  expect(await text("Read", { filePath: "a.txt", color: true })).toContain(
    "Ignored unknown argument 'color'; known: file_path, offset, limit.",
  );
  expect(await text("Edit", { path: "a.txt", old_str: "one", new_str: "two" })).toContain("a.txt");
  expect(await text("Grep", { query: "two", output_mode: "files_with_matches" })).toContain("a.txt");
  const bash = tools.get("Bash");
  if (bash === undefined) throw new Error("there is no Bash");
  const call = rig.callOf(bash, { cmd: "sleep 30", timeout: 1_000 });
  expect(await prepareCall(call, rig.context)).toMatchObject({
    call: { input: { command: "sleep 30", timeout_ms: 1_000 }, plan: { summary: "sleep 30", msMax: 1_000 } },
    notes: [],
  });
  expect(await text("Bash", { command: "echo slept", timeout: 5 })).toMatch(
    /slept[\s\S]*The argument 'timeout' was read as timeout_ms: 5000\./,
  );
}, 60_000);

test("[TOOL-10] the type of an input is that of its schema", () => {
  const SCHEMA = {
    type: "object",
    properties: {
      path: { type: "string" },
      mode: { enum: ["files", "count"] },
      edits: {
        type: "array",
        items: { type: "object", properties: { old: { type: "string" } }, required: ["old"] },
      },
      all: { type: "boolean" },
    },
    required: ["path"],
  } as const;
  const whole: InputOf<typeof SCHEMA> = { path: "a", mode: "count", edits: [{ old: "b" }], all: true };
  expect(whole.edits?.[0]?.old).toBe("b");
  // @ts-expect-error a required field is missing
  const missing: InputOf<typeof SCHEMA> = { mode: "files" };
  // @ts-expect-error a value is none of the enumerated
  const other: InputOf<typeof SCHEMA> = { path: "a", mode: "lines" };
  expect([missing, other]).toHaveLength(2);
});
