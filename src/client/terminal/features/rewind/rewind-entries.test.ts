import { expect, test } from "bun:test";
import { linesOf } from "../../../../../test/support/terminal-parts.ts";
import type { Turns } from "../../../../view/session/turns.ts";
import { rewindEntries, rewindPreview } from "./rewind-entries.ts";
import type { PlannedRewind, RewindTurn } from "./rewind-turns.ts";

const NOW_MS = Date.parse("2026-03-01T12:00:00Z");

function turn(number: number, prompt: string, files: readonly string[] = []): RewindTurn {
  const event = number * 10;
  return {
    turn: number,
    prompt,
    files,
    first_event: event,
    started_at: "2026-03-01T11:00:00Z",
  } as RewindTurn;
}

function summary(number: number, before: number): Turns["all"][number] {
  return { turn: number, event: number * 10, words: "", before };
}

test("[SES-15 bar Rewind] prompts are listed with what each turn changed; what was taken back is marked, and an undo comes first", () => {
  const listed = [turn(3, "third\nprompt"), turn(2, "second", ["a"]), turn(1, "first", ["a", "b"])];
  const turns: Turns = {
    all: [summary(1, 0), summary(2, 10), summary(3, 20)],
    head: 20,
    rewinds: [],
    undo: { to: 39, what: "both" },
  };
  const changes = { files: [{ path: "a", added: 3, removed: 1 }], complete: true } as never;
  const entries = rewindEntries(listed, {
    turns,
    nowMs: NOW_MS,
    changesOf: (each) => (each.turn === 2 ? changes : each.turn === 1 ? "they are gone" : undefined),
  });
  const lines = entries.map(({ sign, label, detail = "", cells = [] }) =>
    [sign?.text, label, detail, ...cells.map(({ text }) => text)].join("|"),
  );
  expect(lines).toEqual([
    "↺|Undo the last rewind|",
    "3|third prompt|taken back|||1 h",
    "2|second||1|+3 -1|1 h",
    "1|first||2|?|1 h",
  ]);
  const again = rewindEntries(listed, { turns, nowMs: NOW_MS, changesOf: () => undefined });
  expect(again.map(({ value }, at) => value === entries[at]?.value)).toEqual([true, true, true, true]);
});

test("[SES-15 bar Rewind] the preview says what would be set back and shows the change, at any size", () => {
  const plan: PlannedRewind = {
    to: 20,
    what: "both",
    place: "before turn 2",
    done: false,
    conversation: { messages: 2, removed: 4 },
    files: {
      ...{ create: [], change: ["a"], mode: [], remove: [], foreign: [], notRestorable: [] },
      contested: ["b"],
      counts: { restore: 1, remove: 0 },
    },
  };
  const file = { path: "a", kind: "changed", by: "calls", added: 1, removed: 1, bytes: 1 };
  const hunks = [{ id: "h", old_start: 1, old_lines: 1, new_start: 1, new_lines: 1, lines: ["-x", "+y"] }];
  const changes = { files: [{ ...file, hunks }], complete: true } as never;
  const size = { columns: 60, rows: 20 };
  const text = linesOf(rewindPreview(turn(2, "second", ["a"]), { plan, changes }, size));
  expect(text).toContain("the model forgets the last 4 messages");
  expect(text).toContain("b stays as it is: you, or another program, changed it");
  expect(text).toContain("Turn 2 changed 1 file:");
  expect(text).toContain("- x");
  expect(rewindPreview(turn(2, "second", ["a"]), { plan, changes }, { columns: 20, rows: 3 })).toHaveLength(
    3,
  );
});
