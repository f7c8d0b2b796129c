import { expect, test } from "bun:test";
import { fakeId } from "../../../test/support/fake-connection.ts";
import { INFO } from "../../../test/support/transcript-rig.ts";
import type { SessionId } from "../../base/ids.ts";
import { displayWidth } from "../../view/terminal/display-width.ts";
import { ageText, sessionRow, sessionTable, statusOf } from "./overview.ts";

const NOW = Date.parse("2026-03-04T10:00:00.000Z");

test("[SES-07] a session is running, interrupted or paused", () => {
  const heldBy = { pid: 7, processStart: "x" };
  expect([
    statusOf({ heldBy, interrupted: true }),
    statusOf({ interrupted: true }),
    statusOf({ interrupted: false }),
  ]).toEqual(["running", "interrupted", "paused"]);
});

const PARENT = fakeId("sess", 9);
const BRANCH = {
  ...INFO,
  session: "sess_01KAH8ZQ3TX5N2V7P4M6R8W0YB" as SessionId,
  title: "a\u001b[2Jb\nc",
  pinned: true,
  branchOf: { logId: INFO.logId, at: 3 },
};
const OPTIONS = { nowMs: NOW, columns: 80, all: false, sessionOf: () => PARENT };

function cells(lines: readonly string[]): readonly (readonly string[])[] {
  return lines.map((line) => line.split(/ {2,}/));
}

test("[SES-06 SES-08] the table shows what a person goes by, and nothing in it drives the terminal", () => {
  const attachedBy = (session: SessionId) =>
    session === INFO.session ? ["acp", "cinch line client", "acp"] : [];
  expect(cells(sessionTable([INFO, BRANCH], { ...OPTIONS, columns: 200, attachedBy }))).toEqual([
    ["STATUS", "ID", "AGE", "PROFILE", "MODEL", "TURNS", "BRANCH-OF", "ATTACHED-BY", "WORKING-DIR", "TITLE"],
    [
      "paused",
      INFO.session.slice(0, 17),
      "3 d",
      "default",
      "mock:one",
      "1",
      "-",
      "acp (2), cinch…",
      "/home/someone/project",
      "fix it",
    ],
    [
      "paused, pinned",
      "sess_01KAH8ZQ3TX5",
      "3 d",
      "default",
      "mock:one",
      "1",
      PARENT.slice(5, 17),
      "-",
      "/home/someone/project",
      "ab␊c",
    ],
  ]);
});

test("[SES-07 SES-08] in 80 columns the directory gives way, and a title is cut by the columns that it takes", () => {
  const long = { ...INFO, title: "漢字の長い題名がここに立っていて、とても長いのです".repeat(3) };
  const lines = sessionTable([long, BRANCH], OPTIONS);
  expect(cells(lines)[0]).toEqual(["STATUS", "ID", "AGE", "TURNS", "BRANCH-OF", "TITLE"]);
  expect(cells(lines)[1]?.at(-1)).toBe("漢字の長い題名がこ…");
  expect(Math.max(...lines.map(displayWidth))).toBeLessThanOrEqual(80);
  const plain = sessionTable([{ ...INFO, title: "x".repeat(200) }], OPTIONS);
  expect(cells(plain)[0]).toEqual(["STATUS", "ID", "AGE", "MODEL", "TURNS", "TITLE"]);
  expect(plain.map(displayWidth)).toEqual([54, 80]);
  const followed = sessionTable([{ ...INFO, title: "x".repeat(200) }], {
    ...OPTIONS,
    attachedBy: () => ["cinch line client"],
  });
  expect(cells(followed)[0]).toEqual(["STATUS", "ID", "AGE", "MODEL", "TURNS", "ATTACHED-BY", "TITLE"]);
  expect(followed.map(displayWidth)[1]).toBe(80);
  const deleted = sessionTable([BRANCH], { ...OPTIONS, sessionOf: () => undefined });
  expect(cells(deleted)[1]?.at(-2)).toBe("(deleted)");
});

test("[SES-07] sessions of every directory show their directory, by its end, in 80 columns too", () => {
  const [head, ...lines] = sessionTable(
    [{ ...INFO, workingDir: "/home/someone/some/where/deep/down/project", title: "x".repeat(80) }, BRANCH],
    { ...OPTIONS, all: true },
  );
  expect(head).toMatch(/ TURNS {2}WORKING-DIR +TITLE$/);
  expect(lines[0]).toContain("  …ep/down/project  xxx");
  expect(Math.max(...lines.map(displayWidth))).toBeLessThanOrEqual(80);
});

test("[SES-07] ids are cut to what tells them apart", () => {
  const sessions = [1, 2].map((number) => ({ ...INFO, session: fakeId("sess", number) }));
  expect(
    cells(sessionTable(sessions, OPTIONS))
      .slice(1)
      .map((row) => row[1]),
  ).toEqual(sessions.map(({ session }) => session as string));
});

test("[SES-07] a row for programs names what a script needs", () => {
  expect(
    sessionRow({ ...INFO, heldBy: { pid: 7, processStart: "x" }, branchOf: { logId: INFO.logId, at: 3 } }),
  ).toEqual({
    session: INFO.session,
    log: INFO.logId,
    status: "running",
    pid: 7,
    title: "fix it",
    profile: "default",
    model: "mock:one",
    turns: 1,
    events: 0,
    created_at: INFO.createdAt,
    updated_at: INFO.updatedAt,
    working_dir: "/home/someone/project",
    pinned: false,
    branch_of: { log: INFO.logId, event: 3 },
  });
});

test("[SES-07] ages are told in the unit that says most; a time in the future is now", () => {
  const ago = (seconds: number) => ageText(new Date(NOW - seconds * 1_000).toISOString(), NOW);
  expect([
    ago(-99),
    ago(59),
    ago(60),
    ago(3_600),
    ago(47 * 3_600),
    ago(48 * 3_600),
    ageText("x", NOW),
  ]).toEqual(["now", "now", "1 min", "1 h", "47 h", "2 d", "now"]);
});
