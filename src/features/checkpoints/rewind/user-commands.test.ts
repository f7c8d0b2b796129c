import { expect, test } from "bun:test";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { calls, says } from "../../../../test/support/mock-provider/turn.ts";
import type { Following, TestProject } from "../../../../test/support/place.ts";
import { follow, openPlace } from "../../../../test/support/place.ts";
import { until } from "../../../../test/support/until.ts";
import type { CallId } from "../../../base/ids.ts";
import type { EnvelopeOf } from "../../../protocol/events/envelope.ts";
import type { EventKind } from "../../../protocol/events/events.ts";

const SLOW_MS = 300_000;
const YES = { wishes: { autoApprove: true } };

const kindsOf = <Kind extends EventKind>({ seen }: Following, kind: Kind) =>
  seen.filter(
    (event) => event.kind === kind && event.parentCall === undefined,
  ) as unknown as readonly EnvelopeOf<Kind>[];

/** A session with one client, which runs commands and prompts in it. */
async function openSession(place: TestProject) {
  const harness = await place.open(YES);
  const client = await follow(harness);
  const { session: sessionId } = harness;
  const started = async (command: string): Promise<CallId> => {
    const { result } = await client.connection.send({ kind: "RunShell", sessionId, command, toModel: false });
    return (result as { callId: CallId }).callId;
  };
  const ended = (callId: CallId) =>
    until("the end of the command", () =>
      kindsOf(client, "ToolResult").some(({ payload }) => payload.callId === callId),
    );
  return {
    client,
    started,
    ended,
    run: async (command: string) => await ended(await started(command)),
    async turn(text: string) {
      const before = kindsOf(client, "TurnEnded").length;
      await client.say(text);
      await client.turns(before + 1);
      return kindsOf(client, "TurnEnded").at(-1)?.payload;
    },
    /** Files of a rewind to before a turn, by what would happen to them. */
    async rewind(turn: number, more: object = { preview: true }) {
      const to = kindsOf(client, "TurnStarted").find(({ payload }) => payload.turn === turn)?.id ?? -1;
      const command = { kind: "RewindSession", sessionId, to, what: "files", ...more } as const;
      const { result } = await client.connection.send(command);
      return (result as { readonly files: Readonly<Record<string, unknown>> }).files;
    },
    async changed(turn?: number) {
      const query = { kind: "GetChanges", sessionId, ...(turn === undefined ? {} : { turn }) } as const;
      return (await client.connection.query(query)).files.map(({ path }) => path).toSorted();
    },
    async listed() {
      const { turns } = await client.connection.query({ kind: "ListTurns", sessionId });
      return turns.map(({ files }) => files);
    },
    async [Symbol.asyncDispose]() {
      await client[Symbol.asyncDispose]();
      await harness[Symbol.asyncDispose]();
    },
  };
}

test(
  "[SES-15 CTL-19] a rewind leaves what the user's commands made before the first turn and between turns",
  async () => {
    await using place = openPlace(
      calls("Write", { file_path: "a.txt", content: "a\n" }),
      says("one"),
      calls("Bash", { command: "echo b > b.txt" }),
      says("two"),
    );
    place.write("old.txt", "old\n");
    await using session = await openSession(place);
    await session.run("echo mine > notes.txt");
    expect(await session.turn("first")).toMatchObject({ files: ["a.txt"] });
    expect(await session.rewind(1)).toMatchObject({ remove: ["a.txt"], contested: [], foreign: [] });
    await session.run("echo more > more.txt; echo mine > old.txt; echo mine > a.txt");
    expect(await session.turn("second")).toMatchObject({ files: ["b.txt"] });
    expect([await session.changed(1), await session.changed(2)]).toEqual([["a.txt"], ["b.txt"]]);
    expect(await session.listed()).toEqual([["a.txt"], ["b.txt"]]);
    expect(await session.rewind(1)).toMatchObject({
      remove: ["b.txt"],
      contested: ["a.txt"],
      foreign: ["more.txt", "old.txt"],
    });
    expect(await session.rewind(1, {})).toMatchObject({ restored: 1 });
    const there = ["notes.txt", "more.txt", "a.txt", "b.txt"].map((name) =>
      existsSync(join(place.repo, name)),
    );
    expect(there).toEqual([true, true, true, false]);
  },
  SLOW_MS,
);

test(
  "[SES-15 CTL-19] what a user's command changes during a turn is the user's, and beside a call may be either's",
  async () => {
    const second = Promise.withResolvers<void>();
    const waits = (name: string) => `touch ${name}-runs; until [ -e ${name} ]; do read -t 0.05 <> <(:); done`;
    await using place = openPlace(
      calls("Write", { file_path: "a.txt", content: "a\n" }),
      calls("Bash", { command: "echo b > b.txt" }, { hold: second.promise }),
      calls("Bash", { command: waits("go") }),
      says("done"),
    );
    await using session = await openSession(place);
    await session.client.say("go");
    await until("the second request", () => place.mock.requests.length === 2);
    await session.run("echo mine > between.txt");
    second.resolve();
    await until("the last call", () => existsSync(join(place.repo, "go-runs")));
    await session.run("echo mine > beside.txt");
    writeFileSync(join(place.repo, "go"), "");
    await session.client.turns(1);
    const [end] = kindsOf(session.client, "TurnEnded");
    expect(end?.payload.files).toEqual(expect.arrayContaining(["a.txt", "b.txt", "beside.txt"]));
    expect(end?.payload.files).not.toContain("between.txt");
    expect(await session.changed(1)).not.toContain("between.txt");
    const files = await session.rewind(1);
    expect(files).toMatchObject({ foreign: ["between.txt"] });
    expect(files["remove"]).toEqual(expect.arrayContaining(["a.txt", "b.txt"]));
    expect(files["contested"]).toContain("beside.txt");
    await session.rewind(1, {});
    expect(existsSync(join(place.repo, "between.txt"))).toBe(true);
    expect(existsSync(join(place.repo, "beside.txt"))).toBe(true);
  },
  SLOW_MS,
);

test(
  "[SES-15 CTL-19] a user's command that is stopped, or outlives a turn, leaves changes of the user alone",
  async () => {
    await using place = openPlace(calls("Write", { file_path: "a.txt", content: "a\n" }), says("one"));
    await using session = await openSession(place);
    const long = await session.started("echo begun > begun.txt; sleep 600");
    await until("it has begun", () => existsSync(join(place.repo, "begun.txt")));
    expect(await session.turn("first")).toMatchObject({ files: ["a.txt"] });
    await session.client.connection.send({
      ...{ kind: "StopShell", sessionId: session.client.seen[0]?.session as never, callId: long },
    });
    await session.ended(long);
    expect(await session.changed()).toEqual(["a.txt"]);
    expect(await session.rewind(1)).toMatchObject({ remove: ["a.txt"], contested: [], foreign: [] });
    const errors = kindsOf(session.client, "Error").map(({ payload }) => payload);
    const reasons = errors.map(({ reason }) => reason).filter((reason) => reason !== "SandboxUnavailable");
    expect(reasons).toEqual(["BashCancelledMidCommand"]);
  },
  SLOW_MS,
);

test(
  "[SES-15 CTL-19] a session in which only the user changed files has no changes, and its answer is complete",
  async () => {
    await using place = openPlace(says("one"));
    await using session = await openSession(place);
    const callId = await session.started("echo mine > mine.txt");
    await session.ended(callId);
    const sessionId = session.client.seen[0]?.session as never;
    const changes = async (of: object) =>
      await session.client.connection.query({ kind: "GetChanges", sessionId, ...of });
    expect(await changes({})).toEqual({ files: [], complete: true });
    expect(await changes({ callId })).toEqual({
      files: [],
      complete: false,
      missing: "it is a command of the user, whose changes are not recorded as those of a call",
    });
  },
  SLOW_MS,
);
