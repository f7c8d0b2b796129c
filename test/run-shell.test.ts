import { expect, test } from "bun:test";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { CallId } from "../src/base/ids.ts";
import type { Connection } from "../src/protocol/connection.ts";
import type { Envelope, EnvelopeOf } from "../src/protocol/events/envelope.ts";
import { PROTOCOL_VERSION } from "../src/protocol/version.ts";
import { SHELL_RUNS_WAITING_MAX } from "../src/session/turns/shell/shell-runs.ts";
import { calls, says } from "./support/mock-provider/turn.ts";
import type { Following, TestProject } from "./support/place.ts";
import { connect, follow, openPlace } from "./support/place.ts";
import { until } from "./support/until.ts";

/** For hangs. */
const SLOW_MS = 60_000;
/** More than the steps from a command to its answer. */
const STEPS_TO_THE_ANSWER = 16;
const YES = { wishes: { autoApprove: true } };

function textOf(result: EnvelopeOf<"ToolResult"> | undefined): string {
  return (result?.payload.content ?? [])
    .flatMap((part) => (part.type === "text" ? [part.text] : []))
    .join("");
}

function startedAs(seen: readonly Envelope[], callId: CallId): EnvelopeOf<"ToolCallStarted"> | undefined {
  return seen.find((event) => event.kind === "ToolCallStarted" && event.payload.callId === callId) as
    | EnvelopeOf<"ToolCallStarted">
    | undefined;
}

function resultOf(seen: readonly Envelope[], callId: CallId): EnvelopeOf<"ToolResult"> | undefined {
  return seen.find((event) => event.kind === "ToolResult" && event.payload.callId === callId) as
    | EnvelopeOf<"ToolResult">
    | undefined;
}

async function runShell(
  connection: Connection,
  sessionId: Following["seen"][number]["session"],
  command: string,
  toModel = false,
): Promise<CallId> {
  const { result } = await connection.send({ kind: "RunShell", sessionId, command, toModel });
  return (result as { callId: CallId }).callId;
}

async function ended(client: Following, callId: CallId): Promise<EnvelopeOf<"ToolResult">> {
  await until("the end of the command", () => resultOf(client.seen, callId) !== undefined);
  const result = resultOf(client.seen, callId);
  if (result === undefined) throw new Error("it has not ended");
  return result;
}

/** Returns the blocks of a request by their types, and all of its messages as a text. */
function requestOf(place: TestProject, at: number) {
  const body = place.mock.requests[at]?.body as {
    readonly messages: readonly {
      readonly role: string;
      readonly content: string | readonly { readonly type: string; readonly text?: string }[];
    }[];
  };
  const blocks = body.messages.map(({ role, content }) => [
    role,
    typeof content === "string" ? "text" : content.map(({ type }) => type).join(" "),
  ]);
  return { blocks, all: JSON.stringify(body.messages) };
}

function times(text: string, part: string): number {
  return text.split(part).length - 1;
}

test(
  "[CTL-19] a person's command runs in the log without a turn, and the model gets it once if the person wants it",
  async () => {
    await using place = openPlace(says("one"), says("two"));
    await using harness = await place.open(YES);
    await using client = await follow(harness);
    const { session } = harness;
    const shown = await runShell(
      client.connection,
      session,
      "echo to-the-model-$((40+2)); printf 'x' > made",
      true,
    );
    const kept = await runShell(client.connection, session, "echo for-me-$((40+3))");
    await ended(client, shown);
    await ended(client, kept);
    expect(existsSync(join(place.repo, "made"))).toBe(true);
    expect(startedAs(client.seen, shown)).toMatchObject({
      originator: client.connection.clientId,
      payload: { tool: "Bash", by: "user", shell: true, toModel: true, mutating: true },
    });
    expect(resultOf(client.seen, kept)?.payload).toEqual({
      callId: kept,
      content: [{ type: "text", text: "for-me-43" }],
      by: "user",
      shell: true,
    });
    expect(client.seen.map(({ kind }) => kind)).not.toContain("TurnStarted");
    await client.say("go");
    await client.turns(1);
    await client.say("on");
    await client.turns(2);
    const first = requestOf(place, 0);
    expect(first.blocks).toEqual([["user", "text text"]]);
    expect(first.all).toContain("The user ran a command in this session by themselves.");
    expect(first.all).toMatch(/<untrusted-tool-result>\\nto-the-model-42\\n<\/untrusted-tool-result>/u);
    const second = requestOf(place, 1);
    for (const { all } of [first, second]) {
      expect(times(all, "to-the-model-42")).toBe(1);
      expect(times(all, "for-me")).toBe(0);
    }
  },
  SLOW_MS,
);

test(
  "[CTL-19 R01] a command that ends while a turn runs goes to the model behind the results of its calls",
  async () => {
    await using place = openPlace(
      calls("Bash", { command: "until [ -e go ]; do read -t 0.05 <> <(:); done; echo waited" }),
      says("done"),
      says("again"),
    );
    await using harness = await place.open(YES);
    await using client = await follow(harness);
    await client.say("go");
    await until("the model's call", () => client.seen.some(({ kind }) => kind === "ToolCallStarted"));
    const callId = await runShell(client.connection, harness.session, "echo beside-$((1+1))", true);
    await ended(client, callId);
    writeFileSync(join(place.repo, "go"), "");
    await client.turns(1);
    const { blocks, all } = requestOf(place, 1);
    expect(blocks).toEqual([
      ["user", "text"],
      ["assistant", "tool_use"],
      ["user", "tool_result text"],
    ]);
    expect(times(all, "beside-2")).toBe(1);
    await client.say("more");
    await client.turns(2);
    expect(times(requestOf(place, 2).all, "beside-2")).toBe(1);
    const end = client.seen.find((event) => event.kind === "TurnEnded");
    expect(end).toMatchObject({ payload: { reason: "complete", rounds: 2 } });
    // A resumed session reads the same from the log.
    const log = harness.logId;
    await client.connection.send({ kind: "EndSession", sessionId: harness.session });
    await using resumed = await place.open({ ...YES, resume: { kind: "id", id: log } });
    await using next = await follow(resumed);
    await next.say("still there?");
    await next.turns(1);
    const later = requestOf(place, 3);
    expect(times(later.all, "beside-2")).toBe(1);
    expect(later.blocks.slice(0, 3)).toEqual(blocks);
  },
  SLOW_MS,
);

test(
  "[CTL-19 PERM-01] the gate judges a person's command like any other, and plan mode does not stop it",
  async () => {
    await using place = openPlace(says("done"));
    mkdirSync(join(place.root, "config/profiles"), { recursive: true });
    writeFileSync(
      join(place.root, "config/profiles/p.toml"),
      'name = "p"\n[permissions]\nlevel = "ReadOnly"\ndeny = ["Bash:touch forbidden"]\n',
    );
    await using harness = await place.open({ profile: "p", wishes: { attended: true, planMode: true } });
    await using client = await follow(harness);
    const { session: sessionId } = harness;
    const denied = await runShell(client.connection, sessionId, "touch forbidden");
    expect(textOf(await ended(client, denied))).toContain("PermissionDenied");
    expect(existsSync(join(place.repo, "forbidden"))).toBe(false);
    const asked = await runShell(client.connection, sessionId, "touch asked");
    const { payload } = await client.question();
    expect(payload).toMatchObject({ callId: asked, tool: "Bash", originator: client.connection.clientId });
    await client.connection.send({ kind: "AnswerPermission", sessionId, callId: asked, decision: "allow" });
    expect((await ended(client, asked)).payload.isError).toBeUndefined();
    expect(existsSync(join(place.repo, "asked"))).toBe(true);
  },
  SLOW_MS,
);

test(
  "[CTL-19] commands wait for each other up to a limit; StopShell ends one, and takes back one that waits",
  async () => {
    await using place = openPlace(says("done"));
    await using harness = await place.open(YES);
    await using client = await follow(harness);
    const { session: sessionId } = harness;
    const send = (command: string) => runShell(client.connection, sessionId, command);
    const long = await send("echo begun; sleep 600");
    const waiting: CallId[] = [];
    for (let at = 0; at < SHELL_RUNS_WAITING_MAX; at += 1) waiting.push(await send(`touch waited-${at}`));
    await expect(send("true")).rejects.toMatchObject({ reason: "ShellQueueFull" });
    const [first, ...rest] = waiting;
    if (first === undefined) throw new Error("none waits");
    const stop = (callId: CallId) => client.connection.send({ kind: "StopShell", sessionId, callId });
    await stop(first);
    expect(textOf(resultOf(client.seen, first))).toBe("cancelled: stopped by the user; it did not run");
    await until("its output", () => client.seen.some((event) => event.kind === "ToolCallProgress"));
    await stop(long);
    expect(textOf(await ended(client, long))).toContain("cancelled: stopped by the user");
    for (const callId of rest) expect((await ended(client, callId)).payload.isError).toBeUndefined();
    expect(existsSync(join(place.repo, "waited-0"))).toBe(false);
    expect(existsSync(join(place.repo, `waited-${SHELL_RUNS_WAITING_MAX - 1}`))).toBe(true);
    await expect(stop(long)).rejects.toMatchObject({ reason: "InvalidCommand" });
    await expect(send(`echo ${"é".repeat(40_000)}`)).rejects.toMatchObject({ reason: "InvalidCommand" });
    expect(textOf(await ended(client, await send("bad \0 command")))).toContain("NUL");
  },
  SLOW_MS,
);

test(
  "[CTL-19 CTL-08] a command continues without its client, and ends with its session",
  async () => {
    await using place = openPlace(says("done"));
    await using harness = await place.open(YES);
    await using client = await follow(harness);
    const { session: sessionId } = harness;
    const other = await connect(harness);
    const left = await runShell(
      other,
      sessionId,
      "until [ -e go ]; do read -t 0.05 <> <(:); done; echo survived",
    );
    await other.send({ kind: "DetachSession", sessionId, left: true });
    await other[Symbol.asyncDispose]();
    await until("it begins", () => startedAs(client.seen, left) !== undefined);
    writeFileSync(join(place.repo, "go"), "");
    expect(textOf(await ended(client, left))).toBe("survived");
    const cut = await runShell(client.connection, sessionId, "echo begun; sleep 600");
    await until("its output", () =>
      client.seen.some((event) => event.kind === "ToolCallProgress" && event.payload.callId === cut),
    );
    await client.connection.send({ kind: "EndSession", sessionId });
    expect(textOf(resultOf(client.seen, cut))).toContain("cancelled: the session was ended");
    expect(client.seen.at(-1)?.kind).toBe("SessionEnded");
  },
  SLOW_MS,
);

test(
  "[CTL-19 R01] a command that is accepted as its session ends has its result before the end",
  async () => {
    let accepted = 0;
    // The end comes at each point of the way from the command to its answer.
    for (let steps = 0; steps < STEPS_TO_THE_ANSWER; steps += 1) {
      await using place = openPlace(says("done"));
      await using harness = await place.open(YES);
      await using client = await follow(harness);
      const { session: sessionId } = harness;
      const answer = Promise.allSettled([runShell(client.connection, sessionId, "touch made")]);
      for (let step = 0; step < steps; step += 1) await Promise.resolve();
      await client.connection.send({ kind: "EndSession", sessionId });
      const [{ status }] = await answer;
      await until("the end", () => client.seen.some(({ kind }) => kind === "SessionEnded"));
      const kinds = client.seen.map(({ kind }): string => kind);
      const runs = kinds.filter((kind) => kind === "ToolCallStarted" || kind === "ToolResult");
      if (status === "fulfilled") accepted += 1;
      const promised = status === "fulfilled" ? ["ToolCallStarted", "ToolResult"] : [];
      expect({ steps, runs: runs.map(String) }).toEqual({ steps, runs: promised });
      expect(kinds.at(-1)).toBe("SessionEnded");
    }
    expect(accepted).toBeGreaterThan(0);
  },
  SLOW_MS,
);

test(
  "[CTL-19] a search finds the output of a command that ran across the marks of turns",
  async () => {
    await using place = openPlace(says("one"), says("two"));
    let session: Following["seen"][number]["session"];
    {
      await using harness = await place.open(YES);
      await using client = await follow(harness);
      session = harness.session;
      const { connection } = client;
      const callId = await runShell(
        connection,
        session,
        "until [ -e go ]; do read -t 0.05 <> <(:); done; echo ocelot-$((40+2))",
      );
      await client.say("go");
      await client.turns(1);
      await client.say("on");
      await client.turns(2);
      writeFileSync(join(place.repo, "go"), "");
      await ended(client, callId);
      const { hits } = await connection.query({ kind: "SearchSessions", text: "ocelot-42" });
      expect(hits.map(({ kind, snippet }) => [kind, snippet])).toEqual([
        ["call", expect.stringContaining("ocelot-42")],
      ]);
    }
    // The index of a session that has ended, too.
    await using harness = await place.open(YES);
    await using client = await follow(harness);
    const { hits } = await client.connection.query({ kind: "SearchSessions", text: "ocelot-42" });
    expect(hits.map((hit) => hit.session)).toEqual([session]);
  },
  SLOW_MS,
);

test(
  "[CTL-19 AUTH-07] an agent runs and stops no commands",
  async () => {
    await using place = openPlace(says("done"));
    await using harness = await place.open(YES);
    const agent = await harness.attach({ identityClass: "agent", label: "agent" });
    await agent.handshake(PROTOCOL_VERSION);
    const { session: sessionId } = harness;
    await expect(runShell(agent, sessionId, "touch made")).rejects.toMatchObject({
      reason: "InvalidCommand",
    });
    await using client = await follow(harness);
    const callId = await runShell(client.connection, sessionId, "sleep 600");
    await expect(agent.send({ kind: "StopShell", sessionId, callId })).rejects.toMatchObject({
      reason: "InvalidCommand",
    });
    expect(existsSync(join(place.repo, "made"))).toBe(false);
  },
  SLOW_MS,
);
