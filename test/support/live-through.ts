import { expect } from "bun:test";
import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseJson, stringAt } from "../../src/base/json.ts";
import type { LifeRig } from "./session-life.ts";
import { essence, fileOf, turnsFrom } from "./session-life.ts";

/**
 * Lives through a session of so many turns with real tools, from the command line alone, and compares what each step
 * shows: killed in a turn, resumed, branched, set back, exported, imported, replayed, pinned, deleted.
 */
export async function liveThrough(rig: LifeRig, turns: number): Promise<void> {
  const half = Math.floor(turns / 2);

  // Killed with -9 in the middle of an answer.
  await rig.killedAfter(turnsFrom(1, half), () => whileHeld(rig, half + 1));
  const [killed] = await rig.json(["sessions", "list"]);
  expect(killed).toMatchObject({ status: "interrupted", turns: half + 1, title: "turn 1", pinned: false });
  const [open] = await rig.json(["sessions", "show", "last"]);
  expect(open?.["turns_list"]).toHaveLength(half + 1);
  expect((await rig.cinch(["sessions", "show", "last"])).stdout).toContain("The last turn broke off");

  // Gone on with: nothing that was accepted is lost, and every turn did its work once.
  const resumed = await rig.cinch(["sessions", "resume", "last"], turnsFrom(half + 1, turns));
  expect(resumed).toMatchObject({ code: 0, timedOut: false });
  expect(rig.sentWords().filter((text) => text.startsWith("turn "))).toEqual([...turnsFrom(1, turns)]);
  for (let turn = 1; turn <= turns; turn++) expect(fileOf(rig, turn)).toBe(`${turn}\n`);
  const [whole] = await rig.json(["sessions", "show", "last"]);
  const id = stringAt(whole, "session") ?? "";
  const log = stringAt(whole, "log") ?? "";
  expect(whole).toMatchObject({ status: "paused", turns: turns + 1, runs: 2, orphans: [], waiting: [] });

  // Branched at the end of a turn: the branch knows nothing of what came later, and the source nothing of the branch.
  const branched = await rig.json(["sessions", "branch", log.slice(0, -6), "--at", "3"]);
  const branch = stringAt(branched[0], "session") ?? "";
  const asked = await rig.cinch(["-p", "and now", "--resume", branch]);
  expect(asked).toMatchObject({ code: 0, stdout: "You said: and now\n" });
  expect(rig.sentWords()).toEqual(["turn 1", "turn 2", "turn 3", "and now"]);
  const [ofBranch] = await rig.json(["sessions", "show", stringAt(branched[0], "log") ?? ""]);
  expect(ofBranch).toMatchObject({ turns: 4, branch_of: { log } });
  const wrong = await rig.cinch(["sessions", "branch", id, "--at", "e2"]);
  expect(wrong.code).toBe(2);
  expect(wrong.stderr).toMatch(/is not the end of a turn.* nearest.*\bevent \d+\b.*\(NotABoundary\)\n$/);

  // Set back: files and conversation are those of before.
  const rewound = await rig.cinch(["sessions", "rewind", id, "--to", "6", "--both"]);
  expect(rewound).toMatchObject({ code: 0 });
  expect([fileOf(rig, 5), fileOf(rig, 6)]).toEqual(["5\n", undefined]);
  await rig.cinch(["-p", "go on", "--resume", id]);
  expect(rig.sentWords()).toEqual([...turnsFrom(1, 5), "go on"]);

  // Exported and imported: the same events under ids of its own, and the same conversation.
  const file = join(rig.work, "session.jsonl");
  expect(
    await rig.cinch(["sessions", "export", "--session", id, "--format", "jsonl", "--output", file]),
  ).toMatchObject({ code: 0 });
  expect(statSync(file).mode & 0o777).toBe(0o600);
  const piped = await rig.cinch(["sessions", "export", id]);
  expect(piped.stdout).toBe(readFileSync(file, "utf8"));
  const [imported] = await rig.json(["sessions", "import", file]);
  const copy = stringAt(imported, "session") ?? "";
  expect(imported).toMatchObject({ missing: 0, from: log });
  const [there, here] = await Promise.all([id, copy].map((each) => rig.json(["sessions", "replay", each])));
  expect(here?.slice(0, -1).map(essence)).toEqual(there?.map(essence));
  expect(idsIn(here ?? []).filter((each) => idsIn(there ?? []).includes(each))).toEqual([]);
  await rig.cinch(["-p", "and here", "--resume", copy]);
  expect(rig.sentWords()).toEqual([...turnsFrom(1, 5), "go on", "and here"]);

  // A file that was cut off or edited makes no session.
  const before = (await rig.json(["sessions", "list", "--all"])).length;
  const text = readFileSync(file, "utf8");
  for (const [name, broken] of [
    ["cut.jsonl", text.slice(0, text.length / 2)],
    ["edited.jsonl", text.replace("turn 2", "turn 7")],
  ] as const) {
    writeFileSync(join(rig.work, name), broken);
    const refused = await rig.cinch(["sessions", "import", name]);
    expect(refused.code).toBe(2);
    expect(refused.stderr).toMatch(
      /^cinch: \w+\.jsonl, line \d+: .*Nothing was imported\..*\(ExportInvalid\)\n$/s,
    );
  }
  expect(await rig.json(["sessions", "list", "--all"])).toHaveLength(before);

  // Seen again, with no model, no key and no network: nothing runs a second time.
  const requests = rig.mock.requests.length;
  await rig.withoutModel();
  const replayed = await rig.cinch(["sessions", "replay", id, "--from", "2"]);
  expect(replayed).toMatchObject({ code: 0, stderr: "" });
  expect(replayed.stdout).toMatch(
    /^\d\d:\d\d:\d\d {2}you asked:\n\| turn 2\n\d\d:\d\d:\d\d {2}\* Write turn-2\.txt\n/,
  );
  expect(replayed.stdout).not.toContain("| turn 1\n");
  expect([fileOf(rig, 6), rig.mock.requests.length]).toEqual([undefined, requests]);
  const markdown = await rig.cinch(["sessions", "export", id, "--format", "markdown"]);
  expect(markdown.stdout).toContain("\n## Turn 5 · ");
  expect(markdown.stdout).toContain("set `both` back to event");

  // Kept, let go of, deleted.
  expect(await rig.cinch(["sessions", "pin", copy])).toMatchObject({ code: 0 });
  const refused = await rig.cinch(["sessions", "delete", copy, "--yes"]);
  expect(refused.code).toBe(2);
  expect(refused.stderr).toContain("Unpin it first: cinch sessions unpin");
  await rig.cinch(["sessions", "unpin", copy]);
  const unasked = await rig.cinch(["sessions", "delete", copy]);
  expect(unasked).toMatchObject({ code: 2 });
  expect(await rig.cinch(["sessions", "delete", copy, "--yes"])).toMatchObject({ code: 0 });
  const missing = await rig.cinch(["sessions", "show", copy]);
  expect(missing.code).toBe(2);
  expect(missing.stderr).toContain(`There is no stored session '${copy}'.`);
  expect(
    parseJson((await rig.cinch(["sessions", "list", "--json"])).stdout.split("\n")[0] ?? ""),
  ).toBeDefined();
}

/** Another process may look at a session that is in use, keep it, branch and export it, and nothing more. */
async function whileHeld(rig: LifeRig, turns: number): Promise<void> {
  const [held] = await rig.json(["sessions", "list"]);
  expect(held).toMatchObject({ status: "running", turns });
  expect(typeof held?.["pid"]).toBe("number");
  const text = await rig.cinch(["sessions", "export", "last"]);
  expect(text).toMatchObject({ code: 0, stderr: "" });
  expect(text.stdout).toContain('"kind":"ExportSeal"');
  expect(await rig.cinch(["sessions", "pin", "last"])).toMatchObject({ code: 0 });
  expect(await rig.cinch(["sessions", "unpin", "last"])).toMatchObject({ code: 0 });
  for (const args of [
    ["delete", "last", "--yes"],
    ["resume", "last"],
  ]) {
    const refused = await rig.cinch(["sessions", ...args], ["hello"]);
    expect(refused.code).toBe(2);
    expect(refused.stderr).toContain(`is in use by process ${held?.["pid"]} on this machine`);
  }
}

function idsIn(envelopes: readonly unknown[]): readonly string[] {
  const text = JSON.stringify(envelopes);
  return [...new Set(text.match(/\b(?:sess|call|ask|inp|task)_[0-7][0-9A-HJKMNP-TV-Z]{25}/g) ?? [])];
}
