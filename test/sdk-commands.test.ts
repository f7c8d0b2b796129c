import { expect, test } from "bun:test";
import { join } from "node:path";
import { connect } from "../sdk/typescript/src/index.ts";
import { Command } from "../src/protocol/commands/commands.ts";
import { PROTOCOL_VERSION } from "../src/protocol/version.ts";
import { requireProgram } from "./support/requires.ts";
import { ROOT } from "./support/source.ts";

const SESSION = "sess_00000000000000000000000000";
const CALL = "call_00000000000000000000000000";
const PERMISSION = {
  scope: "argv_glob",
  rule: "Bash:git *",
  hosts: true,
  hunks: ["h1", "h2"],
  words: "use the other file",
} as const;
const INPUT = { delivery: "steer", skill: "review", agent: "explore" } as const;
const NEW = {
  ...{ profile: "self", model: "mock:one", workingDir: "/srv", run: { maxTurns: 2 } },
  provisional: true,
} as const;

/** Commands that a client sends by a method of its own, with every field that they have. */
const SENT = [
  { path: `/v1/sessions/${SESSION}/permission`, body: { ...PERMISSION, callId: CALL, decision: "allow" } },
  { path: `/v1/sessions/${SESSION}/input`, body: { ...INPUT, content: [{ type: "text", text: "hi" }] } },
  { path: "/v1/providers/keyed/key", body: { key: "k" } },
  { path: "/v1/sessions", body: NEW },
  { path: `/v1/sessions/${SESSION}/command`, body: { kind: "MuteSession" } },
];

/** Fields that another method of the client carries, or its address. */
const ELSEWHERE: Readonly<Record<string, readonly string[]>> = {
  CreateSession: ["resume"], // `sessions.resume`
  StoreProviderKey: ["provider"],
};

function fieldsOf(kind: string): readonly string[] {
  const shape = Command.options.find((option) => option.shape.kind.value === kind)?.shape ?? {};
  return Object.keys(shape).filter(
    (field) => !["kind", "sessionId", ...(ELSEWHERE[kind] ?? [])].includes(field),
  );
}

interface Recorded {
  readonly path: string;
  readonly body: unknown;
}

/** Answers a handshake, and accepts and records each command. */
async function answer(request: Request, recorded: Recorded[]): Promise<Response> {
  if (request.method === "POST") {
    recorded.push({ path: new URL(request.url).pathname, body: await request.json() });
    return Response.json({ sessionId: SESSION });
  }
  return Response.json({
    protocol_version: PROTOCOL_VERSION,
    event_kinds: [],
    pid: 1,
    started_at: "2026-01-01T00:00:00Z",
  });
}

test("[SDK-01 CTL-04] every field of a command that has a method goes by that method, and every other command by one call", () => {
  const ofEngine = Command.options.filter((option) => !("sessionId" in option.shape));
  expect(ofEngine.map(({ shape }) => shape.kind.value)).toEqual(["CreateSession", "StoreProviderKey"]);
  const kinds = ["AnswerPermission", "SendInput", "StoreProviderKey", "CreateSession"];
  for (const [at, kind] of kinds.entries())
    expect({ kind, fields: Object.keys(SENT[at]?.body ?? {}).sort() }).toEqual({
      kind,
      fields: fieldsOf(kind).toSorted(),
    });
});

test("[SDK-01 PERM-15 CTL-19] the TypeScript client sends every form of an answer, keys, inputs and any command", async () => {
  const recorded: Recorded[] = [];
  const client = await connect({
    url: "http://localhost",
    token: "t",
    fetch: async (url, init) => await answer(new Request(url, init), recorded),
  });
  const session = client.session(SESSION);
  await session.answerPermission(CALL, "allow", PERMISSION);
  await session.sendInput("hi", INPUT);
  await client.storeProviderKey("keyed", "k");
  await client.sessions.create(NEW);
  await session.send({ kind: "MuteSession" });
  client.close();
  expect(recorded).toEqual(SENT);
});

const PYTHON = `
import asyncio, json, sys
from cinch_client import aio, connect

url, given = sys.argv[1], json.loads(sys.argv[2])
new = dict(given["new"])
new["working_dir"] = new.pop("workingDir")

client = connect(url, token="t")
session = client.session(given["session"])
session.answer_permission(given["call"], "allow", **given["permission"])
session.send_input("hi", **given["input"])
client.store_provider_key("keyed", "k")
client.sessions.create(**new)
session.send({"kind": "MuteSession"})

async def again():
    client = await aio.connect(url, token="t")
    session = client.session(given["session"])
    await session.answer_permission(given["call"], "allow", **given["permission"])
    await session.send_input("hi", **given["input"])
    await client.store_provider_key("keyed", "k")
    await client.sessions.create(**new)
    await session.send({"kind": "MuteSession"})

asyncio.run(again())
`;

requireProgram("python3")(
  "[SDK-01 PERM-15 CTL-19] the Python clients send every form of an answer, keys, inputs and any command",
  async () => {
    const recorded: Recorded[] = [];
    using server = Bun.serve({
      hostname: "127.0.0.1",
      port: 0,
      fetch: async (request) => await answer(request, recorded),
    });
    const given = { session: SESSION, call: CALL, permission: PERMISSION, input: INPUT, new: NEW };
    const child = Bun.spawn(
      ["python3", "-c", PYTHON, `http://127.0.0.1:${server.port}`, JSON.stringify(given)],
      {
        env: {
          PATH: process.env["PATH"] ?? "",
          PYTHONPATH: join(ROOT, "sdk/python/src"),
          PYTHONDONTWRITEBYTECODE: "1",
        },
        stderr: "pipe",
      },
    );
    expect({ code: await child.exited, stderr: await new Response(child.stderr).text() }).toEqual({
      code: 0,
      stderr: "",
    });
    expect(recorded).toEqual([...SENT, ...SENT]);
  },
  120_000,
);
