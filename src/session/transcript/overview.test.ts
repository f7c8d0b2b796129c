import { expect, test } from "bun:test";
import { INFO } from "../../../test/support/transcript-rig.ts";
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

test("[SES-06 SES-08] the table shows what a person goes by, and nothing in it drives the terminal", () => {
  const branch = { ...INFO, title: "a\u001b[2Jb\nc", pinned: true, branchOf: { logId: INFO.logId, at: 3 } };
  expect(sessionTable([INFO, branch], NOW).map((line) => line.split(/ {2,}/))).toEqual([
    ["STATUS", "ID", "AGE", "PROFILE", "MODEL", "TURNS", "BRANCH-OF", "WORKING-DIR", "TITLE"],
    ["paused", INFO.session, "3 d", "default", "mock:one", "1", "-", "/home/someone/project", "fix it"],
    [
      "paused, pinned",
      INFO.session,
      "3 d",
      "default",
      "mock:one",
      "1",
      INFO.logId,
      "/home/someone/project",
      "ab␊c",
    ],
  ]);
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
