import { expect, test } from "bun:test";
import { RunSettings } from "../../protocol/commands/commands.ts";
import { readQuestion, readRequest } from "./read-request.ts";

const wishes = { environment: { LANG: "C" }, autoApprove: false, strictPermissions: true };
const request = { workingDir: "/home/user", wishes, input: { content: [{ type: "text", text: "go" }] } };
const likeness = { build: "b", place: { p: "p" }, config: "c", keys: "k", passed: "v" };

const read = (change: object) => readRequest(JSON.stringify({ ...request, ...change }));

test("[CLI-01] a prompt with every setting reaches the engine as it was sent", async () => {
  const full = {
    ...request,
    profile: "coding",
    model: "bench:model",
    resume: { kind: "id", id: "a" },
    leftMs: 0.5,
    wishes: {
      ...wishes,
      level: "ReadOnly",
      effort: "off",
      planMode: true,
      withoutProject: true,
      allowProjectHooks: false,
      lockfile: "/home/user/lock",
      appendSystemPrompt: "Be short.",
      allow: ["Bash:npm *"],
      addDirs: ["/home/user/beside"],
      maxTurns: 3,
      maxCostUsd: 0.25,
      maxTimeMs: 9,
      orphans: { kind: "succeeded", note: "seen" },
    },
  };
  expect(await read(full)).toEqual(full as never);
});

test.each([
  { wishes: { ...wishes, asksTrust: true } },
  { wishes: { ...wishes, delegatedBy: {} } },
  { wishes: { ...wishes, newWish: true } },
  { newSetting: true },
  { input: { ...request.input, delivery: "steer" } },
])("[CLI-01] a setting that no prompt may have is refused: %j", async (change) => {
  await expect(read(change)).rejects.toMatchObject({ reason: "InvalidCommand" });
});

test("[CLI-01] a setting passes exactly if its schema of the protocol lets it pass", async () => {
  const values = [
    -1,
    0,
    0.5,
    1,
    999_999,
    1_000_000,
    "",
    "ReadOnly",
    "off",
    "high",
    "x",
    true,
    false,
    null,
    {},
    [],
    ["Read"],
    [""],
    [1],
    Array(16).fill("/a"),
    Array(17).fill("/a"),
    Array(101).fill("Read"),
    ["x".repeat(4_097)],
    ["x".repeat(8_193)],
    "x".repeat(20_000),
    "x".repeat(20_001),
  ];
  const { asksTrust: _asks, mcpServers: _servers, ...shape } = RunSettings.shape; // a prompt never has them
  for (const [name, schema] of Object.entries(shape))
    for (const value of values) {
      const passes = await read({ wishes: { ...wishes, [name]: value } }).then(
        () => true,
        () => false,
      );
      expect([name, value, passes]).toEqual([name, value, schema.unwrap().safeParse(value).success]);
    }
});

test("[CLI-01] an attachment is checked by its schema", async () => {
  const image = (data: string) => ({
    input: { content: [{ type: "image", source: { type: "base64", media_type: "image/png", data } }] },
  });
  expect((await read(image("AAAA"))).input).toEqual(image("AAAA").input as never);
  await expect(read(image("no base64"))).rejects.toMatchObject({ reason: "InvalidCommand" });
});

test.each([
  ["no folder", { workingDir: undefined }],
  ["an unknown level", { wishes: { ...wishes, level: "Everything" } }],
  ["an approval that is no flag", { wishes: { ...wishes, autoApprove: "yes" } }],
  ["an environment with a number", { wishes: { ...wishes, environment: { A: 1 } } }],
  ["half a round", { wishes: { ...wishes, maxTurns: 0.5 } }],
  ["an unknown fate of calls", { wishes: { ...wishes, orphans: { kind: "kept" } } }],
  ["a session without an id", { resume: { kind: "id" } }],
  ["a negative time", { leftMs: -1 }],
  ["an empty input", { input: { content: [] } }],
  ["a text block without text", { input: { content: [{ type: "text" }] } }],
])("[CLI-01] a request with %s is refused", async (_what, change) => {
  await expect(read(change)).rejects.toMatchObject({ reason: "InvalidCommand" });
});

test("[AUTH-11] a question without a fact is refused", () => {
  expect(readQuestion({ likeness, pid: 7, workingDir: "/" })).toEqual({ likeness, pid: 7, workingDir: "/" });
  const { keys: _keys, ...less } = likeness;
  expect(() => readQuestion({ likeness: less, pid: 7, workingDir: "/" })).toThrow();
});
