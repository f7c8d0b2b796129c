import { expect, test } from "bun:test";
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { calls, says } from "../../../../test/support/mock-provider/turn.ts";
import { connect, openPlace, turn } from "../../../../test/support/place.ts";
import { requireProgram } from "../../../../test/support/requires.ts";
import { texts, turn as wholeTurn } from "../../../../test/support/store-rig.ts";
import { examine } from "../../../app/doctor/doctor.ts";
import type { OpenHarness } from "../../../app/harness.ts";
import type { OpenSessions } from "../../../app/sessions/open-sessions.ts";
import { openSessions } from "../../../app/sessions/open-sessions.ts";
import type { Envelope } from "../../../protocol/events/envelope.ts";

const SLOW_MS = 300_000;

type What = "files" | "conversation" | "both";

async function rewind(harness: OpenHarness, to: number, what: What, more: object = {}): Promise<unknown> {
  const connection = await connect(harness);
  const { session: sessionId } = harness;
  const { result } = await connection.send({ kind: "RewindSession", sessionId, to, what, ...more });
  return result;
}

function startOf(events: readonly Envelope[]): number {
  return events.find(({ kind }) => kind === "TurnStarted")?.id ?? -1;
}

test("[SES-15] files and conversation go back to before a turn, over Write and Bash, and the next request shows it", async () => {
  await using place = openPlace(
    calls("Write", { file_path: "made.txt", content: "made\n" }),
    says("one"),
    calls("Bash", { command: "printf changed >kept.txt; rm gone.txt" }),
    says("two"),
    says("three"),
  );
  place.write("kept.txt", "kept\n");
  place.write("gone.txt", "here\n");
  await using harness = await place.open({ wishes: { autoApprove: true } });
  const first = await turn(harness, "write it");
  const second = await turn(harness, "change it");
  expect(first.find(({ kind }) => kind === "CheckpointMade")?.payload).toEqual({ turn: 1, files: 2 });
  const files = () =>
    readdirSync(place.repo)
      .filter((name) => !name.startsWith("."))
      .sort();
  expect(files()).toEqual(["kept.txt", "made.txt"]);
  const preview = await rewind(harness, startOf(second), "both", { preview: true });
  expect(preview).toMatchObject({
    done: false,
    conversation: { messages: 4, removed: 4 },
    files: {
      create: ["gone.txt"],
      change: ["kept.txt"],
      remove: [],
      contested: [],
      foreign: [],
      notRestorable: [],
    },
  });
  expect(files()).toEqual(["kept.txt", "made.txt"]);
  const { token } = preview as { readonly token: string };
  expect(await rewind(harness, startOf(second), "both", { token })).toMatchObject({
    done: true,
    files: { restored: 2 },
  });
  expect(files()).toEqual(["gone.txt", "kept.txt", "made.txt"]);
  expect(readFileSync(join(place.repo, "kept.txt"), "utf8")).toBe("kept\n");
  await turn(harness, "and now?");
  expect(JSON.stringify(place.mock.requests.at(-1)?.body["messages"])).not.toContain("change it");
  expect(JSON.stringify(place.mock.requests.at(-1)?.body["messages"])).toContain("write it");
  const undone = await rewind(harness, 0, "both");
  expect(undone).toMatchObject({ done: true, conversation: { messages: 1 } });
  expect(files()).toEqual(["gone.txt", "kept.txt"]);
});

test("[SES-15] a rewind can be undone, and that too: files and conversation are as they were, and what you changed meanwhile stays", async () => {
  await using place = openPlace(
    calls("Write", { file_path: "made.txt", content: "made\n" }),
    says("one"),
    calls("Bash", { command: "printf changed >kept.txt; rm gone.txt" }),
    says("two"),
    says("three"),
    says("four"),
  );
  place.write("kept.txt", "kept\n");
  place.write("gone.txt", "here\n");
  place.write("mine.txt", "mine\n");
  await using harness = await place.open({ wishes: { autoApprove: true } });
  const first = await turn(harness, "write it");
  const second = await turn(harness, "change it");
  const state = () =>
    ["kept.txt", "gone.txt", "made.txt", "mine.txt"].map((name) => {
      const path = join(place.repo, name);
      return existsSync(path) ? readFileSync(path, "utf8") : null;
    });
  const sees = async (prompt: string) => {
    await turn(harness, prompt);
    const sent = JSON.stringify(place.mock.requests.at(-1)?.body["messages"]);
    return ["write it", "change it"].map((words) => sent.includes(words));
  };
  writeFileSync(join(place.repo, "mine.txt"), "mine, later\n");
  const back = await rewind(harness, startOf(first), "both");
  const end = second.findLast(({ kind }) => kind === "TurnEnded")?.id;
  expect(back).toMatchObject({
    place: "before turn 1",
    done: true,
    undo: end,
    files: { counts: { restore: 2, remove: 1 }, restored: 3 },
  });
  expect(state()).toEqual(["kept\n", "here\n", null, "mine, later\n"]);

  const undone = await rewind(harness, end ?? 0, "both");
  expect(undone).toMatchObject({
    place: "after turn 2",
    done: true,
    conversation: { messages: 8, removed: 0, restored: 7 },
    files: { counts: { restore: 2, remove: 1 }, restored: 3 },
  });
  expect(state()).toEqual(["changed", null, "made\n", "mine, later\n"]);
  expect(await sees("and now?")).toEqual([true, true]);

  // Undoing goes back to the state after the first rewind, whatever was said since.
  const { undo } = undone as { readonly undo: number };
  const again = await rewind(harness, undo, "both");
  expect(again).toMatchObject({ place: `after the rewind at e${undo}`, done: true });
  expect(state()).toEqual(["kept\n", "here\n", null, "mine, later\n"]);
  expect(await sees("once more")).toEqual([false, false]);
});

test("[SES-15 TOOL-01] a file that the model has read after the turn that is gone back to is one that it has not read", async () => {
  await using place = openPlace(
    says("hello"),
    calls("Read", { file_path: "kept.txt" }),
    says("read"),
    calls("Write", { file_path: "kept.txt", content: "new\n" }),
    says("not yet"),
  );
  place.write("kept.txt", "kept\n");
  await using harness = await place.open({ wishes: { autoApprove: true } });
  await turn(harness, "hello");
  const second = await turn(harness, "read it");
  expect(await rewind(harness, startOf(second), "conversation")).toMatchObject({ done: true });
  const third = await turn(harness, "write it");
  const result = third.find(({ kind }) => kind === "ToolResult");
  expect(result?.payload).toMatchObject({ isError: true });
  expect(JSON.stringify(result?.payload)).toContain("Read it first");
  expect(readFileSync(join(place.repo, "kept.txt"), "utf8")).toBe("kept\n");
});

test("[SES-15] what is no boundary is refused, with the nearest ones named; a preview that is out of date too", async () => {
  await using place = openPlace(calls("Write", { file_path: "a", content: "1" }), says("one"));
  await using harness = await place.open({ wishes: { autoApprove: true } });
  const events = await turn(harness, "write it");
  const start = startOf(events);
  const end = events.at(-1)?.id ?? 0;
  await expect(rewind(harness, start + 1, "both")).rejects.toMatchObject({
    reason: "NotABoundary",
    message: expect.stringContaining(
      `is not the start or the end of a turn. The nearest: event ${start} (turn 1 begins) and event ${end} (turn 1 ends).`,
    ),
  });
  const { token } = (await rewind(harness, start, "files", { preview: true })) as { readonly token: string };
  writeFileSync(join(place.repo, "a"), "mine");
  await expect(rewind(harness, start, "files", { token })).rejects.toMatchObject({ reason: "RewindChanged" });
  expect(await rewind(harness, start, "files")).toMatchObject({
    files: { contested: ["a"], restored: 0, kept: [{ path: "a" }] },
  });
  expect(readFileSync(join(place.repo, "a"), "utf8")).toBe("mine");
  await rewind(harness, start, "files", { overwrite: ["contested"] });
  expect(existsSync(join(place.repo, "a"))).toBe(false);
});

/** The place where checkpoints are to be is a file. */
async function unkeptTurn(config: string) {
  const place = openPlace(
    calls("Write", { file_path: "a", content: "1" }),
    says("one"),
    calls("Bash", { command: "printf 2 >>a" }),
    says("two"),
  );
  const { config: own, data } = place.options().paths;
  mkdirSync(own, { recursive: true });
  mkdirSync(data, { recursive: true });
  if (config !== "") appendFileSync(join(own, "config.toml"), config);
  writeFileSync(join(data, "checkpoints"), "in the way");
  return { place, blocked: join(data, "checkpoints") };
}

requireProgram("bwrap")(
  "[SES-15] a store that cannot be written is reported once in a turn, work continues, and nothing is restored over it",
  async () => {
    const { place, blocked } = await unkeptTurn("");
    await using _place = place;
    await using harness = await place.open({ wishes: { autoApprove: true } });
    const events = await turn(harness, "write it");
    const told = events.filter(({ kind }) => kind === "Error");
    expect(told).toMatchObject([
      { payload: { reason: "CheckpointUnwritable", message: expect.stringContaining(blocked) } },
    ]);
    expect(events.at(-1)).toMatchObject({ payload: { reason: "complete" } });
    expect(readFileSync(join(place.repo, "a"), "utf8")).toBe("1");
    rmSync(blocked);
    const later = await turn(harness, "more");
    expect(later.filter(({ kind }) => kind === "Error" || kind === "CheckpointMade")).toMatchObject([
      { kind: "CheckpointMade" },
    ]);
    const missing = { reason: "CheckpointMissing" };
    await expect(rewind(harness, startOf(events), "files")).rejects.toMatchObject(missing);
    expect(await rewind(harness, startOf(later), "files")).toMatchObject({ files: { restored: 1 } });
    expect(readFileSync(join(place.repo, "a"), "utf8")).toBe("1");
  },
);

test(
  "[SES-15] where files could not be kept, nothing is set back over it, however many events lie between",
  async () => {
    const { place, blocked } = await unkeptTurn("");
    await using _place = place;
    const aside = `${blocked}-aside`;
    rmSync(blocked);
    const written = async (resume: boolean) => {
      const more = resume ? { resume: { kind: "last" } as const } : {};
      await using harness = await place.open({ wishes: { autoApprove: true }, ...more });
      await turn(harness, "write it");
    };
    await using sessions = await openSessions(place.options(), new AbortController().signal);
    await written(false);
    const before = await endlessTalk(sessions);
    renameSync(blocked, aside);
    writeFileSync(blocked, "in the way");
    await written(true); // what it changes cannot be kept
    const after = await endlessTalk(sessions);
    rmSync(blocked);
    renameSync(aside, blocked);
    await using harness = await place.open({ wishes: { autoApprove: true }, resume: { kind: "last" } });
    const why = { fields: { why: expect.stringContaining("files could not be kept at event") } };
    await expect(rewind(harness, before, "files")).rejects.toMatchObject(why);
    await expect(rewind(harness, after, "files")).rejects.toMatchObject(why);
    expect(readFileSync(join(place.repo, "a"), "utf8")).toBe("12");
  },
  SLOW_MS,
);

/** A turn with more than 10,000 events in the newest session, before which its log ended; gives where it began. */
async function endlessTalk({ store, world, holder, workingDir }: OpenSessions): Promise<number> {
  const [log] = await store.list({ workingDir, limit: 1 });
  if (log === undefined) throw new Error("there is a session");
  const session = world.ids.next("sess");
  await using writer = await store.open(log.logId, session, holder);
  const start = writer.lastEvent + 1;
  const { turns: number } = log;
  const [begins, ends] = wholeTurn(session, start, { turn: number + 1, text: "talk", at: log.updatedAt });
  if (begins === undefined || ends === undefined) throw new Error("a turn begins and ends");
  const words = texts(
    session,
    start + 1,
    Array.from({ length: 11_000 }, () => "word "),
  );
  await writer.append({ events: [begins, ...words, { ...ends, id: start + words.length + 1 }] }, "power");
  return start;
}

test("[SES-15] with required = true a call whose files cannot be stored does not run, and the reason is reported", async () => {
  const { place } = await unkeptTurn("[checkpoint]\nrequired = true\n");
  await using _place = place;
  await using harness = await place.open({ wishes: { autoApprove: true } });
  const events = await turn(harness, "write it");
  expect(existsSync(join(place.repo, "a"))).toBe(false);
  expect(JSON.stringify(events)).toContain("The call was not run, since required = true");
});

test("[SES-15] a command that is known to only read is run without a look at the workspace", async () => {
  await using place = openPlace(
    calls("Bash", { command: "cat a" }),
    says("one"),
    calls("Bash", { command: "cat a; touch b" }),
    says("two"),
  );
  place.write("a", "1");
  await using harness = await place.open({ wishes: { autoApprove: true } });
  const made = (events: readonly Envelope[]) => events.filter(({ kind }) => kind === "CheckpointMade").length;
  expect([made(await turn(harness, "read")), made(await turn(harness, "write"))]).toEqual([0, 1]);
});

test("[SES-15 SES-16] a deleted or damaged checkpoint store is reported; the session continues and is readable", async () => {
  await using place = openPlace(
    calls("Write", { file_path: "needle", content: "needle" }),
    says("one"),
    calls("Write", { file_path: "b", content: "2" }),
    says("two"),
  );
  let start = 0;
  {
    await using harness = await place.open({ wishes: { autoApprove: true } });
    start = startOf(await turn(harness, "write it"));
  }
  const all = join(place.root, "data", "checkpoints");
  const [log = ""] = readdirSync(all);
  expect(statSync(join(all, log)).mode & 0o777).toBe(0o700);
  const records = readdirSync(join(all, log)).sort();
  for (const name of records) {
    expect(statSync(join(all, log, name)).mode & 0o777).toBe(0o600);
    expect(readFileSync(join(all, log, name), "latin1")).not.toContain("needle");
    writeFileSync(join(all, log, name), "damaged");
  }
  {
    await using harness = await place.open({ wishes: { autoApprove: true }, resume: { kind: "last" } });
    const missing = { reason: "CheckpointMissing", fields: { why: expect.stringContaining("are damaged") } };
    await expect(rewind(harness, start, "files")).rejects.toMatchObject(missing);
    const found = await Array.fromAsync(examine(place.options(), "quick", new AbortController().signal));
    expect(found.filter(({ area }) => area === "checkpoints")).toMatchObject([
      { weight: "damage", text: expect.stringContaining("are damaged") },
    ]);
    expect(await rewind(harness, start, "conversation")).toMatchObject({ done: true });
    const events = await turn(harness, "write more");
    expect(events.at(-1)).toMatchObject({ kind: "TurnEnded", payload: { reason: "complete" } });
    expect(await rewind(harness, startOf(events), "files")).toMatchObject({ files: { restored: 1 } });
    await expect(rewind(harness, start, "files")).rejects.toMatchObject(missing);
  }
  rmSync(all, { recursive: true });
  await using harness = await place.open({ wishes: { autoApprove: true }, resume: { kind: "last" } });
  await expect(rewind(harness, start, "files")).rejects.toMatchObject({
    reason: "CheckpointMissing",
    fields: { why: "those of this session were deleted" },
  });
});

test("[SES-15 SES-16] checkpoints that were deleted are missed, also once there are newer ones", async () => {
  await using place = openPlace(
    calls("Bash", { command: "printf 1 >a" }),
    says("one"),
    calls("Bash", { command: "printf 2 >a" }),
    says("two"),
  );
  place.write("a", "0");
  let start = 0;
  {
    await using harness = await place.open({ wishes: { autoApprove: true } });
    start = startOf(await turn(harness, "write it"));
  }
  // By a person, for their expiry, or since they were the oldest ones and there was no room for more.
  rmSync(join(place.root, "data", "checkpoints"), { recursive: true });
  await using harness = await place.open({ wishes: { autoApprove: true }, resume: { kind: "last" } });
  const later = startOf(await turn(harness, "write more"));
  await expect(rewind(harness, start, "files")).rejects.toMatchObject({
    reason: "CheckpointMissing",
    fields: { why: "those of this session were deleted" },
  });
  expect(readFileSync(join(place.repo, "a"), "utf8")).toBe("2");
  expect(await rewind(harness, later, "files")).toMatchObject({ files: { restored: 1 } });
  expect(readFileSync(join(place.repo, "a"), "utf8")).toBe("1");
});
