import { expect, test } from "bun:test";
import { fakeId } from "../../../test/support/fake-connection.ts";
import { INFO } from "../../../test/support/transcript-rig.ts";
import type { SessionId } from "../../base/ids.ts";
import type { FollowingClient } from "../../protocol/resources.ts";
import type { LogInfo } from "../../session/store/store.ts";
import { sessionRow } from "../../session/transcript/overview.ts";
import { displayWidth } from "../terminal/display-width.ts";
import { ageText } from "../texts/age-text.ts";
import { sessionTable } from "./session-table.ts";

const NOW = Date.parse("2026-03-04T10:00:00.000Z");

const PARENT = fakeId("sess", 9);
const BRANCH = {
  ...INFO,
  session: "sess_01KAH8ZQ3TX5N2V7P4M6R8W0YB" as SessionId,
  title: "a\u001b[2Jb\nc",
  pinned: true,
  branchOf: { logId: INFO.logId, at: 3 },
};
const OPTIONS = { nowMs: NOW, columns: 80, all: false };

interface Drawn {
  readonly nowMs: number;
  readonly columns: number;
  readonly all: boolean;
  readonly parent?: string | undefined;
  readonly attachedBy?: (session: SessionId) => readonly string[];
  readonly clients?: readonly FollowingClient[];
}

function drawn(infos: readonly LogInfo[], { attachedBy, clients, ...options }: Drawn): readonly string[] {
  const parent = "parent" in options ? options.parent : PARENT;
  const rows = infos.map((info) => {
    const { branch_of: _branch, ...row } = sessionRow(info);
    const attached_by = attachedBy?.(info.session);
    return {
      ...row,
      attached_by,
      clients,
      branch_of: info.branchOf === undefined ? undefined : { session: parent },
    };
  });
  return sessionTable(rows, options);
}

function cells(lines: readonly string[]): readonly (readonly string[])[] {
  return lines.map((line) => line.split(/ {2,}/));
}

test("[SES-06 SES-08] the table shows what a person goes by, and nothing in it drives the terminal", () => {
  const attachedBy = (session: SessionId) =>
    session === INFO.session ? ["acp", "cinch line client", "acp"] : [];
  expect(cells(drawn([INFO, BRANCH], { ...OPTIONS, columns: 200, attachedBy }))).toEqual([
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
  const lines = drawn([long, BRANCH], OPTIONS);
  expect(cells(lines)[0]).toEqual(["STATUS", "ID", "AGE", "TURNS", "BRANCH-OF", "TITLE"]);
  expect(cells(lines)[1]?.at(-1)).toBe("漢字の長い題名がこ…");
  expect(Math.max(...lines.map(displayWidth))).toBeLessThanOrEqual(80);
  const plain = drawn([{ ...INFO, title: "x".repeat(200) }], OPTIONS);
  expect(cells(plain)[0]).toEqual(["STATUS", "ID", "AGE", "MODEL", "TURNS", "TITLE"]);
  expect(plain.map(displayWidth)).toEqual([54, 80]);
  const followed = drawn([{ ...INFO, title: "x".repeat(200) }], {
    ...OPTIONS,
    attachedBy: () => ["cinch line client"],
  });
  expect(cells(followed)[0]).toEqual(["STATUS", "ID", "AGE", "MODEL", "TURNS", "ATTACHED-BY", "TITLE"]);
  expect(followed.map(displayWidth)[1]).toBe(80);
  const named = drawn([INFO], {
    ...{ ...OPTIONS, columns: 200, attachedBy: () => ["robot"] },
    clients: [{ id: fakeId("cli", 1), label: "robot", identity_class: "agent" }],
  });
  expect(cells(named)[1]).toContain("robot [agent]");
  const deleted = drawn([BRANCH], { ...OPTIONS, parent: undefined });
  expect(cells(deleted)[1]?.at(-2)).toBe("(deleted)");
});

test("[SES-07] sessions of every directory show their directory, by its end, in 80 columns too", () => {
  const [head, ...lines] = drawn(
    [{ ...INFO, workingDir: "/home/someone/some/where/deep/down/project", title: "x".repeat(80) }, BRANCH],
    { ...OPTIONS, all: true },
  );
  expect(head).toMatch(/ TURNS {2}WORKING-DIR +TITLE$/);
  expect(lines[0]).toContain("  …ep/down/project  xxx");
  expect(Math.max(...lines.map(displayWidth))).toBeLessThanOrEqual(80);
});

test("[SES-07] ids are cut to the part that distinguishes them", () => {
  const sessions = [1, 2].map((number) => ({ ...INFO, session: fakeId("sess", number) }));
  expect(
    cells(drawn(sessions, OPTIONS))
      .slice(1)
      .map((row) => row[1]),
  ).toEqual(sessions.map(({ session }) => session as string));
});

test("[SES-07] ages are shown in the unit that says most; a time in the future is now", () => {
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
