import { expect, test } from "bun:test";
import { appendFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openCheckpointRig } from "../../../../test/support/checkpoint-rig.ts";
import type { Turn } from "../../../../test/support/mock-provider/turn.ts";
import { says } from "../../../../test/support/mock-provider/turn.ts";
import { connect, openPlace, turn } from "../../../../test/support/place.ts";
import { changesIn } from "../../../../test/support/rewind-properties.ts";
import type { OpenHarness } from "../../../app/harness.ts";
import type { CallId } from "../../../base/ids.ts";
import type { Envelope } from "../../../protocol/events/envelope.ts";
import type { QueryOf, ResultOf } from "../../../protocol/queries/queries.ts";

type Asked = Omit<QueryOf<"GetChanges">, "kind" | "sessionId">;
const UNKNOWN_CALL = "call_01JZ7Q3V5X8Y9ZABCDEFGHJKMN" as CallId;

function calls(...each: readonly (readonly [tool: string, input: unknown])[]): Turn {
  return { parts: each.map(([tool, input]) => ({ tool, input })) };
}

async function changes(harness: OpenHarness, asked: Asked = {}): Promise<ResultOf<"GetChanges">> {
  const connection = await connect(harness);
  return await connection.query({ kind: "GetChanges", sessionId: harness.session, ...asked });
}

function callsOf(events: readonly Envelope[]) {
  return events.flatMap((event) => (event.kind === "ToolCallStarted" ? [event.payload.callId] : []));
}

test("[CTL-19] each edit of one file in one turn is shown as it was made, and turn and session as a whole", async () => {
  await using place = openPlace(
    calls(
      ["Write", { file_path: "made.txt", content: "one\ntwo\n" }],
      ["Edit", { file_path: "made.txt", old_string: "two", new_string: "2" }],
      ["Bash", { command: "printf 'three\n' >>made.txt; rm gone.txt; mv moved.txt there.txt" }],
      ["Read", { file_path: "made.txt" }],
      ["Edit", { file_path: "made.txt", old_string: "one", new_string: "1" }],
    ),
    says("done"),
    calls(["Write", { file_path: "second.txt", content: "x" }]),
    says("done"),
  );
  place.write("gone.txt", "here\n");
  place.write("moved.txt", "a\nb\nc\n");
  await using harness = await place.open({ wishes: { autoApprove: true } });
  const first = await turn(harness, "go");
  const [write, edit, bash, , last] = callsOf(first);
  const unified = async (asked: Asked) => {
    const { files, complete } = await changes(harness, { context: 0, ...asked });
    expect(complete).toBe(true);
    return files.map(({ kind, path, unified = "" }) =>
      [kind, path, ...unified.split("\n").slice(0, -1)].join("\n"),
    );
  };
  const header = (path: string) => `diff --git a/${path} b/${path}`;
  expect(await unified({ callId: write })).toEqual([
    `added\nmade.txt\n${header("made.txt")}\nnew file mode 100644\n--- /dev/null\n+++ b/made.txt\n@@ -0,0 +1,2 @@\n+one\n+two`,
  ]);
  const changed = `changed\nmade.txt\n${header("made.txt")}\n--- a/made.txt\n+++ b/made.txt`;
  expect(await unified({ callId: edit })).toEqual([`${changed}\n@@ -2,1 +2,1 @@\n-two\n+2`]);
  expect(await unified({ callId: bash })).toEqual([
    `removed\ngone.txt\n${header("gone.txt")}\ndeleted file mode 100644\n--- a/gone.txt\n+++ /dev/null\n@@ -1,1 +0,0 @@\n-here`,
    `${changed}\n@@ -2,0 +3,1 @@\n+three`,
    `renamed\nthere.txt\ndiff --git a/moved.txt b/there.txt\nsimilarity index 100%\nrename from moved.txt\nrename to there.txt`,
  ]);
  expect(await unified({ callId: last })).toEqual([`${changed}\n@@ -1,1 +1,1 @@\n-one\n+1`]);
  const whole = `added\nmade.txt\n${header("made.txt")}\nnew file mode 100644\n--- /dev/null\n+++ b/made.txt\n@@ -0,0 +1,3 @@\n+1\n+2\n+three`;
  expect(await unified({ turn: 1, path: "made.txt" })).toEqual([whole]);
  await turn(harness, "more");
  const { files } = await changes(harness);
  expect(files.map(({ kind, path }) => `${kind} ${path}`)).toEqual([
    "removed gone.txt",
    "added made.txt",
    "added second.txt",
    "renamed there.txt",
  ]);
  expect((await changes(harness, { turn: 2 })).files).toEqual([
    {
      path: "second.txt",
      kind: "added",
      by: "calls",
      mode: "100644",
      bytes: 1,
      added: 1,
      removed: 0,
      hunks: [
        {
          ...{ id: "h1-0-0-1-1", old_start: 0, old_lines: 0, new_start: 1, new_lines: 1 },
          lines: ["+x", "\\ No newline at end of file"],
        },
      ],
      unified: `${header("second.txt")}\nnew file mode 100644\n--- /dev/null\n+++ b/second.txt\n@@ -0,0 +1,1 @@\n+x\n\\ No newline at end of file\n`,
    },
  ]);
});

test("[CTL-19] a stored session is answered as one that runs, and refuses a turn that it does not have", async () => {
  await using place = openPlace(
    calls(["Write", { file_path: "a.txt", content: "a\n" }]),
    says("done"),
    says("hi"),
  );
  const first = await place.open({ wishes: { autoApprove: true } });
  const events = await turn(first, "go");
  const [callId] = callsOf(events);
  const live = await Promise.all([changes(first), changes(first, { turn: 1 }), changes(first, { callId })]);
  expect(live[0]?.files).toHaveLength(1);
  await first[Symbol.asyncDispose]();
  await using second = await place.open();
  const connection = await connect(second);
  const stored = async (asked: Asked) =>
    await connection.query({ kind: "GetChanges", sessionId: first.session, ...asked });
  expect(await Promise.all([stored({}), stored({ turn: 1 }), stored({ callId })])).toEqual(live);
  await expect(stored({ turn: 2 })).rejects.toMatchObject({ reason: "UnknownResource" });
  expect(await stored({ callId: UNKNOWN_CALL })).toMatchObject({
    files: [],
    complete: false,
    missing: "there is no such call among the last events of the session",
  });
});

test("[CTL-19] secrets are redacted, of several lines too, and a file of keys is listed without its lines", async () => {
  const key = `-----BEGIN PRIVATE KEY-----\n${"QUJD".repeat(16)}\n${"REVG".repeat(16)}\n-----END PRIVATE KEY-----\n`;
  await using place = openPlace(
    calls(["Bash", { command: "cat stuff >>notes.txt; cat stuff >id_rsa; printf 'tail\n' >>notes.txt" }]),
    says("done"),
  );
  place.write("stuff", `top\n${key}bottom\ntoken = "ghp_${"a1B2".repeat(9)}"\n`);
  place.write("notes.txt", "first\n");
  await using harness = await place.open({ wishes: { autoApprove: true } });
  await turn(harness, "go");
  const { files, complete } = await changes(harness);
  const text = JSON.stringify(files);
  expect(text).not.toContain("QUJD");
  expect(text).not.toContain("REVG");
  expect(text).not.toContain("ghp_");
  expect(complete).toBe(false);
  expect(files.find(({ path }) => path === "id_rsa")).toMatchObject({
    missing: "it may hold keys or passwords",
  });
  const notes = files.find(({ path }) => path === "notes.txt");
  expect(notes?.hunks?.[0]).toMatchObject({ old_start: 1, old_lines: 1, new_start: 1, new_lines: 9 });
  expect(notes?.hunks?.[0]?.lines.at(-1)).toBe("+tail");
  expect(notes?.hunks?.[0]?.lines).toContain("+bottom");
});

test("[CTL-19] what is not kept is said: checkpoints off, a command that only read, a turn without changes", async () => {
  await using place = openPlace(
    calls(["Write", { file_path: "a.txt", content: "a\n" }]),
    says("done"),
    says("nothing"),
  );
  place.config(
    `[providers.mock]\nkind = "anthropic"\nbase_url = "${place.mock.url}/v1"\n[checkpoint]\nenabled = false\n`,
  );
  await using harness = await place.open({ wishes: { autoApprove: true } });
  const [callId] = callsOf(await turn(harness, "go"));
  await turn(harness, "again");
  const off = "files are not kept, or were not kept then ([checkpoint] enabled)";
  expect(await changes(harness)).toEqual({ files: [], complete: false, missing: off });
  expect(await changes(harness, { turn: 1 })).toEqual({ files: [], complete: false, missing: off });
  expect(await changes(harness, { turn: 2 })).toEqual({ files: [], complete: true });
  expect(await changes(harness, { callId })).toMatchObject({ files: [], complete: false });
});

test("[CTL-19] binary and huge files, links, and a file that a folder replaces each have their kind", async () => {
  await using rig = await openCheckpointRig();
  const { root } = rig;
  writeFileSync(join(root, "bin"), "a\0b");
  writeFileSync(join(root, "latin"), Buffer.from([0x61, 0xe9, 0x0a]));
  writeFileSync(join(root, "file"), "was a file\n");
  writeFileSync(join(root, "link"), "was a file too\n");
  symlinkSync("file", join(root, "target"));
  await rig.turn(
    "printf 'c\\0' >>bin; printf x >>latin; rm file; mkdir file; printf in >file/in; ln -sf ../x link; ln -sfn y target; mkfifo pipe",
    `head -c 5000000 /dev/zero | tr '\\0' '\\n' >huge; seq 1 150000 >long; head -c 17000000 /dev/zero >over`,
  );
  const { files, complete, missing } = await changesIn(rig, { context: 0 });
  const facts = files.map(({ path, kind, old_mode, mode, binary, cut, missing: why, added, removed }) =>
    [path, kind, old_mode ?? "-", mode ?? "-", binary ?? cut ?? why ?? "", added, removed].join(" "),
  );
  expect(facts).toEqual([
    "bin changed 100644 100644 true 0 0",
    "file removed 100644 -  0 1",
    "file/in added - 100644  1 0",
    "huge added - 100644 true 0 0",
    "latin changed 100644 100644 true 0 0",
    "link changed 100644 120000  1 1",
    "long added - 100644 true 150000 0",
    "over added - 100644 larger than 16 MB 0 0",
    "target changed 120000 120000  1 1",
  ]);
  expect([complete, missing]).toEqual([false, undefined]);
  expect(files.find(({ path }) => path === "link")?.unified).toContain("deleted file mode 100644");
  rmSync(join(root, "huge"));
});

test("[CTL-19] what a person changed between and beside the calls is not laid to them alone", async () => {
  await using rig = await openCheckpointRig();
  const { root } = rig;
  writeFileSync(join(root, "mine"), "1\n");
  writeFileSync(join(root, "shared"), "1\n");
  await rig.turn("printf '2\n' >>shared");
  appendFileSync(join(root, "mine"), "2\n");
  appendFileSync(join(root, "shared"), "3\n");
  await rig.turn("printf '4\n' >>shared");
  appendFileSync(join(root, "shared"), "5\n");
  const { files } = await changesIn(rig, { context: 0 });
  expect(files.map(({ path, by, added }) => `${path} ${by} ${added}`)).toEqual(["shared both 3"]);
  const second = await changesIn(rig, { turn: 2, context: 0 });
  expect(second.files.map(({ path, by, hunks }) => [path, by, hunks?.[0]?.lines])).toEqual([
    ["shared", "calls", ["+4"]],
  ]);
});

test("[CTL-19] a turn whose process died shows what was found later, by an unknown author", async () => {
  await using rig = await openCheckpointRig();
  const { signal } = new AbortController();
  writeFileSync(join(rig.root, "a"), "1\n");
  await rig.checkpoints.before("anything", { turn: 1, signal, emit: () => undefined });
  appendFileSync(join(rig.root, "a"), "2\n");
  await rig.reopen();
  const before = await changesIn(rig, { turn: 1 });
  expect(before).toMatchObject({
    files: [],
    complete: false,
    missing: "the end of the turn was not recorded",
  });
  await rig.checkpoints.before("anything", { turn: 2, signal, emit: () => undefined });
  const { files } = await changesIn(rig, { turn: 1 });
  expect(files.map(({ path, by, added }) => `${path} ${by} ${added}`)).toEqual(["a unknown 1"]);
});

test("[CTL-19] more files than the limit are counted, and one path of them can be asked for", async () => {
  await using rig = await openCheckpointRig();
  await rig.turn("mkdir many; for i in $(seq 1 600); do echo $i >many/f$i; done; echo x >one");
  const all = await changesIn(rig, {});
  expect([all.files.length, all.left_out, all.complete]).toEqual([500, 101, false]);
  const one = await changesIn(rig, { path: "one" });
  expect([one.files.map(({ path }) => path), one.complete]).toEqual([["one"], true]);
  expect((await changesIn(rig, { path: "many/" })).left_out).toBe(100);
});
