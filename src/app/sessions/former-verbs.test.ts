import { expect, test } from "bun:test";
import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { says } from "../../../test/support/mock-provider/turn.ts";
import { connect, openPlace, turn } from "../../../test/support/place.ts";
import type { SessionId } from "../../base/ids.ts";
import { stringAt } from "../../base/json.ts";
import type { Connection } from "../../protocol/connection.ts";
import type { Envelope } from "../../protocol/events/envelope.ts";
import type { SlashCommandInfo } from "../../protocol/resources.ts";
import { PROTOCOL_VERSION } from "../../protocol/version.ts";
import { completeSlash } from "../../view/slash/complete.ts";
import { openSessions } from "./open-sessions.ts";

const { signal } = new AbortController();

async function custom(
  connection: Connection,
  sessionId: SessionId,
  verb: string,
  ...args: readonly string[]
): Promise<unknown> {
  const command = {
    kind: "CustomCommand",
    sessionId,
    namespace: "sessions",
    verb,
    payload: { args },
  } as const;
  return (await connection.send(command)).result;
}

function endOf(events: readonly Envelope[]): number {
  return events.findLast(({ kind }) => kind === "TurnEnded")?.id ?? 0;
}

test("[BUS-06 SES-08] BranchSession makes a session of one that runs and of one that has ended, at the end of a turn alone", async () => {
  await using place = openPlace(says("one"), says("two"));
  await using harness = await place.open();
  const { session: sessionId, logId } = harness;
  const at = endOf(await turn(harness, "first"));
  await turn(harness, "second");
  const connection = await connect(harness);
  const branched = await connection.send({ kind: "BranchSession", sessionId, at });
  await using sessions = await openSessions(place.options(), signal);
  const branch = await sessions.store.find(branched.sessionId ?? sessionId);
  expect(branch).toMatchObject({ branchOf: { logId, at }, lastEvent: at, turns: 1, title: "first" });
  expect(branched.result).toEqual({ log: branch?.logId, at });
  await expect(connection.send({ kind: "BranchSession", sessionId, at: at - 1 })).rejects.toMatchObject({
    reason: "NotABoundary",
  });
  await connection.send({ kind: "EndSession", sessionId });
  const again = await connection.send({ kind: "BranchSession", sessionId, at });
  expect(again.sessionId).not.toBe(branched.sessionId);
});

test("[CTL-15] FindSession finds the last session of any directory, and one by the beginning of either id", async () => {
  await using place = openPlace(says("one"));
  await using harness = await place.open();
  const { session, logId } = harness;
  await turn(harness, "first");
  const connection = await connect(harness);
  for (const text of ["last", session.slice(0, -2), logId.slice(0, -2), logId.slice("log_".length, -2)])
    expect(await connection.query({ kind: "FindSession", text })).toMatchObject({ session, log: logId });
  const none = connection.query({ kind: "FindSession", text: "sess_ZZZZZZZZ" });
  await expect(none).rejects.toMatchObject({ reason: "NoSuchSession" });
});

test("[BUS-06 SES-06] PinSession keeps a session that runs, or has ended, and lets go of it again", async () => {
  await using place = openPlace(says("one"));
  await using harness = await place.open();
  const { session: sessionId, logId } = harness;
  const connection = await connect(harness);
  await using sessions = await openSessions(place.options(), signal);
  const pinned = async () => (await sessions.store.find(logId))?.pinned;
  await connection.send({ kind: "PinSession", sessionId, pinned: true });
  expect(await pinned()).toBe(true);
  await connection.send({ kind: "EndSession", sessionId });
  await connection.send({ kind: "PinSession", sessionId, pinned: false });
  expect(await pinned()).toBe(false);
  const other = sessions.world.ids.next("sess");
  await expect(connection.send({ kind: "PinSession", sessionId: other, pinned: true })).rejects.toMatchObject(
    { reason: "UnknownSession" },
  );
});

test("[BUS-06] a custom command goes to the owner of its namespace; one that nobody owns is an error", async () => {
  await using place = openPlace();
  await using harness = await place.open();
  const { session: sessionId } = harness;
  const connection = await connect(harness);
  const command = { kind: "CustomCommand", sessionId, verb: "go", payload: {} } as const;
  await expect(connection.send({ ...command, namespace: "nobody" })).rejects.toMatchObject({
    reason: "UnknownCommandNamespace",
    message:
      "Neither cinch nor a plugin of this session has the namespace 'nobody'. List the commands with: GET /v1/slash-commands",
  });
  await expect(connection.send({ ...command, namespace: "prompts" })).rejects.toMatchObject({
    message:
      "There is no prompt 'go'. There are none yet: write one as prompts/NAME.md beside your config.toml, or as .cinch/prompts/NAME.md of the project.",
  });
  await expect(connection.send({ ...command, namespace: "sessions", verb: "exprot" })).rejects.toMatchObject({
    message: expect.stringContaining("did you mean /sessions:export?"),
  });
  const served = await connection.handshake(PROTOCOL_VERSION);
  expect(served.command_kinds).toEqual(
    expect.arrayContaining(["BranchSession", "PinSession", "CustomCommand"]),
  );
});

test("[CMD-01 PROF-02] each profile is among the commands that are listed, and its name is completed", async () => {
  await using place = openPlace();
  await using harness = await place.open();
  const { session: sessionId } = harness;
  const connection = await connect(harness);
  const asked = { kind: "CustomCommand", sessionId, namespace: "engine", verb: "commands" } as const;
  const { result } = await connection.send({ ...asked, payload: {} });
  const listed = (result as { readonly slash_commands: readonly SlashCommandInfo[] }).slash_commands;
  expect(listed.find(({ name }) => name === "profiles:self")).toMatchObject({
    usage: "/profiles:self [--import N] [--in-place]",
    command: "SwitchProfile",
    namespace: "profiles",
    is_builtin: false,
  });
  expect(completeSlash("/profiles:se", listed)?.text).toBe("/profiles:self");
});

test("[SES-07 SES-10] the commands sessions:… list, find, branch and export, for every client", async () => {
  await using place = openPlace(says("one"), says("two"));
  await using harness = await place.open();
  const { session } = harness;
  await turn(harness, "first");
  await turn(harness, "second");
  const connection = await connect(harness);
  expect(await custom(connection, session, "list")).toMatchObject({
    text: expect.stringContaining(session.slice(0, 17)),
    sessions: [{ session, status: "running", turns: 2, title: "first" }],
  });
  expect(await custom(connection, session, "find", session.slice(5, -3))).toMatchObject({ session });
  expect(await custom(connection, session, "branch", "at", "1")).toMatchObject({
    text: expect.stringMatching(/^A branch of sess_\w+ at event \d+: sess_\w+\n/),
  });
  await expect(custom(connection, session, "branch", session, "at", "9")).rejects.toThrow(
    "has no turn 9 that has ended; it has 2 turns; an event is written with an e: e9",
  );
  const path = join(place.repo, `cinch-${session}.md`);
  expect(await custom(connection, session, "export", "--format", "markdown")).toEqual({
    text: `Written to ${path}`,
    path,
  });
  expect(readFileSync(path, "utf8")).toContain("## Turn 2 · ");
  expect(statSync(path).mode & 0o777).toBe(0o600);
  await expect(custom(connection, session, "export", "--format", "markdown")).rejects.toThrow(
    "is there already",
  );
  for (const output of ["/nope/x/y", "/proc/x", "a\0b"])
    await expect(
      connection.send({ kind: "ExportSession", sessionId: session as never, output }),
    ).rejects.toMatchObject({
      reason: "InvalidCommand",
      message: expect.stringContaining("name another file"),
    });
});

test("[CMD-01 SES-10] the table of sessions has every column where the screen is wide, and 80 columns where nobody says how wide", async () => {
  await using place = openPlace(says("one"));
  await using harness = await place.open();
  const { session: sessionId } = harness;
  await turn(harness, "a first prompt that is long enough to want some room in the table");
  const connection = await connect(harness);
  await custom(connection, sessionId, "branch");
  const list = { kind: "CustomCommand", sessionId, namespace: "sessions", verb: "list" } as const;
  const table = async (columns?: unknown) => {
    const { result } = await connection.send({ ...list, payload: { args: [], columns } });
    return stringAt(result, "text")?.split("\n") ?? [];
  };
  const [head = "", ...rows] = await table(200);
  expect(head.split(/ +/)).toEqual(
    "STATUS ID AGE PROFILE MODEL TURNS BRANCH-OF WORKING-DIR TITLE".split(" "),
  );
  expect(rows).toHaveLength(2);
  for (const columns of [undefined, "200", -1, 0.5, Number.NaN])
    expect((await table(columns)).every(({ length }) => length <= 80)).toBe(true);
});

test("[SES-08] a branch takes a turn, or an event as sessions show prints it; anything else is refused in plain words", async () => {
  await using place = openPlace(says("one"), says("two"));
  await using harness = await place.open();
  const { session } = harness;
  const at = endOf(await turn(harness, "first"));
  await turn(harness, "second");
  const connection = await connect(harness);
  const branched = { text: expect.stringContaining(`at event ${at}: sess_`), at };
  for (const words of [
    ["at", `e${at}`],
    ["at", "1"],
    ["--at", `E${at}`],
    [session, `--at=e${at}`],
    ["at", `e${at}`, session],
  ])
    expect(await custom(connection, session, "branch", ...words)).toMatchObject(branched);
  const told = "The command /sessions:branch cannot be carried out: ";
  const form = "the number of a turn, or of an event behind an e such as e120";
  for (const [words, why] of [
    [["at", "x7"], `behind "at" comes ${form}, not "x7"; cinch sessions show lists both`],
    [["at"], `behind "at" comes ${form}, not nothing; cinch sessions show lists both`],
    [[session, "e7"], "write /sessions:branch [ID] [at TURN|eN]"],
  ] as const)
    await expect(custom(connection, session, "branch", ...words)).rejects.toThrow(`${told}${why}`);
  await expect(custom(connection, session, "branch", "at", `e${at - 1}`)).rejects.toMatchObject({
    reason: "NotABoundary",
  });
});

test("[SES-10 PERM-11] an agent writes no export: the path is its own choice", async () => {
  await using place = openPlace();
  await using harness = await place.open();
  const agent = await harness.attach({ identityClass: "agent", label: "other" });
  await agent.handshake(PROTOCOL_VERSION);
  await expect(custom(agent, harness.session, "export", "--output", "x.jsonl")).rejects.toThrow(
    "only a person may write an export",
  );
  expect(existsSync(join(place.repo, "x.jsonl"))).toBe(false);
});

test("[SES-07] a missing session is reported with the nearest name and the way to list all", async () => {
  await using place = openPlace(says("one"));
  await using harness = await place.open();
  const { session } = harness;
  await turn(harness, "first");
  const connection = await connect(harness);
  const typo = `${session.slice(0, -1)}${session.endsWith("0") ? "1" : "0"}`;
  await expect(custom(connection, session, "find", typo)).rejects.toMatchObject({
    reason: "NoSuchSession",
    message: `There is no stored session '${typo}'. The nearest: ${session}. All of them: cinch sessions list --all`,
  });
  await expect(custom(connection, session, "find", "zz")).rejects.toThrow(`The newest: ${session}.`);
  // The script is over: what counts is that there are two.
  await turn(await place.open(), "second").catch(() => undefined);
  await expect(custom(connection, session, "find", session.slice(0, 10))).rejects.toMatchObject({
    reason: "SessionAmbiguous",
  });
  expect(signal.aborted).toBe(false);
});

test("[BUS-08 BUS-06] each verb by which clients of protocol 0.2.0 ask is answered as it was, and none that never was", async () => {
  await using place = openPlace(says("one"));
  await using harness = await place.open();
  const { session: sessionId } = harness;
  await turn(harness, "first");
  const connection = await connect(harness);
  const asked = async (namespace: string, verb: string, ...args: readonly string[]) =>
    (await connection.send({ kind: "CustomCommand", sessionId, namespace, verb, payload: { args } })).result;
  const text = expect.any(String);
  expect(await asked("engine", "mcp")).toEqual({ mcp_servers: [] });
  expect(await asked("engine", "prices", "mock:none")).toEqual({ prices: { "mock:none": null } });
  expect(await asked("engine", "health")).toMatchObject({ text: expect.stringMatching(/^engine +cinch /) });
  expect(await asked("engine", "web")).toMatchObject({ text: expect.stringContaining("no web client") });
  expect(await asked("profile", "show")).toMatchObject({
    text,
    profile: "default",
    skills: expect.any(Array),
  });
  expect(await asked("profile", "list")).toMatchObject({
    text: expect.stringContaining("* default  "),
    profiles: expect.any(Array),
  });
  expect(await asked("profile", "check", "self")).toMatchObject({
    text: "profile self can be used",
    profile: "self",
  });
  expect(await asked("skills", "list")).toMatchObject({ text, skills: expect.any(Array) });
  expect(await asked("agents", "list")).toMatchObject({ text: expect.stringContaining("/agents:") });
  expect(await asked("sessions", "dismiss")).toMatchObject({ text: "Dismissed for 0 sessions." });
  await expect(asked("engine", "frobnicate")).rejects.toMatchObject({ reason: "InvalidCommand" });
  await expect(asked("memory", "list")).rejects.toMatchObject({ reason: "UnknownCommandNamespace" });
});
