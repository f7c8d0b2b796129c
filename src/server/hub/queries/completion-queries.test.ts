import { expect, test } from "bun:test";
import type { Rig } from "../../../../test/support/rig.ts";
import { openRig } from "../../../../test/support/rig.ts";
import type { RigPortOptions } from "../../../../test/support/rig-port.ts";
import { rigPort } from "../../../../test/support/rig-port.ts";
import { says } from "../../../../test/support/scripted-provider.ts";
import type { IdentityClass } from "../../../protocol/connection.ts";
import type { ResultOf } from "../../../protocol/queries/queries.ts";
import { readQuery } from "../../../protocol/queries/read-query.ts";
import { PROTOCOL_VERSION } from "../../../protocol/version.ts";

/** Asks as one client; the cursor stands at the end. */
async function asker(
  rig: Rig,
  sources: RigPortOptions["sources"] = {},
  identityClass: IdentityClass = "human",
) {
  const connection = rigPort(rig, { sources }).attach({ identityClass, label: "test" });
  await connection.handshake(PROTOCOL_VERSION);
  return async (text: string, more: object = {}): Promise<ResultOf<"Complete">> => {
    const fields = { sessionId: rig.session.id, text, cursor: text.length, ...more };
    const query = readQuery({ kind: "Complete", ...fields });
    return (await connection.query(query)) as ResultOf<"Complete">; // the answer to this kind
  };
}

const inserts = ({ items }: ResultOf<"Complete">) => items.map(({ insert }) => insert);

test("[CTL-19] a slash at the beginning completes commands with their names and aliases, and what they do", async () => {
  await using rig = await openRig({ script: [] });
  const foreign = [
    { name: "skills:pdf", usage: "/skills:pdf", help: "reads \u001b[31mPDF", command: "SendInput" },
    { name: "agents:scout", usage: "/agents:scout TEXT", help: "", command: "SendInput" },
    { name: "acme:bad\u001b[2J", usage: "", help: "", command: "CustomCommand" },
    { name: "greet", usage: "/greet", help: "says hello", command: "client", aliases: ["hi"] },
  ];
  const complete = await asker(rig, { slashCommands: () => foreign });
  expect(await complete("/comp")).toEqual({
    from: 0,
    to: 5,
    items: [{ insert: "/compact", label: "/compact", detail: expect.stringContaining(""), kind: "command" }],
    more: false,
  });
  expect((await complete("/skills:p")).items).toEqual([
    { insert: "/skills:pdf", label: "/skills:pdf", detail: "reads  [31mPDF", kind: "skill" },
  ]);
  expect((await complete("/agents:s")).items).toEqual([
    { insert: "/agents:scout", label: "/agents:scout", kind: "agent" },
  ]);
  expect((await complete("/hi")).items).toContainEqual(
    expect.objectContaining({ insert: "/hi", detail: "says hello" }),
  );
  expect(inserts(await complete("/acme:"))).toEqual([]);
  expect(await complete("/", { limit: 2 })).toMatchObject({ items: [{}, {}], more: true });
  expect(await complete("/compact", { cursor: 4 })).toMatchObject({ from: 0, to: 8 });
  for (const text of ["words /comp", "", "/steer now ", " /comp"])
    expect(await complete(text)).toMatchObject({ items: [], more: false });
});

test("[CTL-19] words behind a command are completed: choices, servers, session ids and models", async () => {
  await using rig = await openRig({ script: [says("done")] });
  await rig.send("find the red fox");
  let asked = 0;
  const sources: RigPortOptions["sources"] = {
    providers: async () => [
      { name: "one", configured: true },
      { name: "other", configured: false },
    ],
    models: async () => {
      asked += 1;
      return [{ id: "fox-large" }, { id: "fox-small" }, { id: "bad\u001b[2J" }];
    },
    slashCommands: () => [{ name: "mcp:github", usage: "/mcp:github", help: "", command: "client" }],
  };
  const complete = await asker(rig, sources);
  expect(await complete("/effort h")).toMatchObject({
    from: 8,
    to: 9,
    items: [{ insert: "high", kind: "argument" }],
  });
  expect(inserts(await complete("/level "))).toEqual(["ReadOnly", "WorkspaceWrite", "DangerFullAccess"]);
  expect(inserts(await complete("/level work"))).toEqual(["WorkspaceWrite"]);
  expect(inserts(await complete("/mcp:restart g"))).toEqual(["github"]);
  const { id } = rig.session;
  const expected = [{ insert: id, label: id, detail: "find the red fox", kind: "session" as const }];
  expect((await complete(`/resume ${id.slice(0, 12)}`)).items).toEqual(expected);
  expect((await complete("/resume fox")).items).toEqual(expected);
  expect(inserts(await complete("/resume wolf"))).toEqual([]);
  expect(inserts(await complete("/model o"))).toEqual(["one:"]);
  expect(inserts(await complete("/model one:"))).toEqual(["one:fox-large", "one:fox-small"]);
  expect(inserts(await complete("/model one:small"))).toEqual(["one:fox-small"]);
  expect(asked).toBe(1);
});

test("[CTL-19 PROV-13] an agent's key sends no request to a provider, and a failed one is not asked at each key", async () => {
  await using rig = await openRig({ script: [] });
  let asked = 0;
  const sources: RigPortOptions["sources"] = {
    providers: async () => [{ name: "one", configured: true }],
    models: async () => {
      asked += 1;
      throw new Error("not today");
    },
  };
  const agent = await asker(rig, sources, "agent");
  expect(await agent("/model one:")).toMatchObject({ items: [], more: true });
  expect(asked).toBe(0);
  const person = await asker(rig, sources);
  expect(await person("/model one:")).toMatchObject({ items: [], more: true });
  expect(await person("/model one:f")).toMatchObject({ items: [] });
  expect(asked).toBe(1);
});

test("[CTL-19 BUS-04] a cursor behind the text, and fields beyond their limits, are refused", async () => {
  await using rig = await openRig({ script: [] });
  const complete = await asker(rig);
  for (const more of [
    { cursor: 9 },
    { cursor: -1 },
    { cursor: 0.5 },
    { limit: 0 },
    { limit: 101 },
    { sessionId: "no" },
  ])
    await expect(complete("/a", more)).rejects.toMatchObject({ reason: "InvalidQuery" });
  await expect(complete("a".repeat(65_537))).rejects.toMatchObject({ reason: "InvalidQuery" });
  await expect(complete("/a", { sessionId: rig.world.ids.next("sess") })).rejects.toMatchObject({
    reason: "UnknownSession",
  });
});
