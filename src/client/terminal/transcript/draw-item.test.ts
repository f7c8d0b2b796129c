import { expect, test } from "bun:test";
import * as fc from "fast-check";
import { log } from "../../../../test/support/arbitrary-events.ts";
import { fakeId } from "../../../../test/support/fake-connection.ts";
import { holds } from "../../../../test/support/property.ts";
import type { CallId } from "../../../base/ids.ts";
import { NO_COST } from "../../../view/costs/cost.ts";
import { displayWidth } from "../../../view/terminal/display-width.ts";
import type { CallItem, TranscriptItem } from "../../../view/transcript/items.ts";
import { newText } from "../../../view/transcript/streamed-text.ts";
import { NEW_TRANSCRIPT, transcriptAfter } from "../../../view/transcript/transcript.ts";
import { textOfRow } from "../drawing/span.ts";
import type { DrawContext } from "./draw-context.ts";
import { drawKey, drawPart, partsOf } from "./draw-item.ts";
import { ALL_UNFOLDED } from "./folds.ts";

const CALL_ID = fakeId("call", 1) as CallId;
const SELF = fakeId("cli", 1);
const STARTED = "2026-01-01T00:00:00.000Z";
const CONTEXT: DrawContext = {
  columns: 60,
  unfolded: new Set<number>(),
  clients: new Map(),
  self: SELF,
  nowMs: Date.parse(STARTED) + 3_200,
  lastLines: 5,
  diffLayout: "auto",
};
const BASH: CallItem = {
  kind: "call",
  event: 4,
  ts: STARTED,
  callId: CALL_ID,
  tool: "Bash",
  args: { command: "npm test" },
  toolKind: "execute",
  state: "done",
  output: "",
  media: [],
  items: [],
  endedAt: "2026-01-01T00:00:02.000Z",
};

function shown(item: TranscriptItem, change: Partial<DrawContext> = {}): readonly string[] {
  return drawPart(item, 0, { ...CONTEXT, ...change })
    .map((each) => textOfRow(each).trimEnd())
    .slice(1);
}

test("[TUI-01 bar Tool calls] a command shows its time, its exit code and its last lines", () => {
  const output = "0\n1\n2\n3\n4\n5\n6\n[exit code 2]";
  const failed: CallItem = { ...BASH, state: "failed", output };
  expect(shown(failed)).toEqual([
    "✗ Bash npm test  2s  exit 2",
    "  … 3 lines before",
    "  3",
    "  4",
    "  5",
    "  6",
    "  [exit code 2]",
  ]);
  expect(shown(failed, { lastLines: 1 })).toHaveLength(3);
  expect(shown(failed, { unfolded: new Set([4]) })).toHaveLength(9);
});

test("[TUI-01 bar Tool calls] a running command shows the tail, the time and the counts of its output", () => {
  const { endedAt: _, ...running } = BASH;
  const progress = { tail: "a\nb", bytes: 2_048, lines: 40, elapsedMs: 3_900 };
  expect(shown({ ...running, state: "running", progress })).toEqual([
    "◐ Bash npm test  3s  40 lines, 2.0 KB",
    "  … 38 lines before",
    "  a",
    "  b",
  ]);
});

test("[TUI-01 bar Tool calls] a read shows its size, a failed one the cause, and an image its size", () => {
  const read: CallItem = { ...BASH, tool: "Read", toolKind: "read", args: { path: "a.ts" }, output: "x\ny" };
  expect(shown(read)).toEqual(["● Read a.ts  2s  2 lines, 3 bytes"]);
  expect(shown({ ...read, state: "failed", output: "no such file" }).at(-1)).toBe("  no such file");
  expect(shown({ ...read, output: "", media: [{ type: "image", bytes: 122_880 }] })).toEqual([
    "● Read a.ts  2s",
    "  [image: 120.0 KB]",
  ]);
});

test("[TUI-01 bar Tool calls bar Decision trace] an edit shows its change, folded beyond twelve lines, and who allowed it", () => {
  const after = Array.from({ length: 20 }, (_, at) => `line ${at}`).join("\n");
  const edit: CallItem = {
    ...BASH,
    tool: "Write",
    toolKind: "edit",
    args: { path: "a.txt", text: after },
    preview: { path: "path", new: "text" },
    output: "written",
    hunksAsked: 2,
    decision: { decision: "allow", scope: "argv_glob", rule: "Write(a.txt)", by: SELF, hunks: ["1"] },
  };
  const rows = shown(edit);
  expect(rows.slice(0, 3)).toEqual([
    "● Write a.txt  2s",
    "  allowed by you, Write(a.txt) for this session, 1 of 2",
    "  changes accepted",
  ]);
  expect(rows.filter((each) => each.includes("+ line"))).toHaveLength(12);
  expect(rows.at(-1)).toMatch(/^ {2}… \d+ more lines$/);
  expect(shown(edit, { unfolded: ALL_UNFOLDED }).at(-1)).toBe("  written");
});

test("[TUI-01 complaint 28] one or two lines are not hidden: neither of an output nor of a change", () => {
  const numbers = (most: number) => Array.from({ length: most }, (_, at) => `${at + 1}`).join("\n");
  const rowsOf = (lines: number) => shown({ ...BASH, output: numbers(lines) }).slice(1);
  expect([rowsOf(7), rowsOf(8)].map((rows) => [rows.length, rows[0]])).toEqual([
    [7, "  1"],
    [6, "  … 3 lines before"],
  ]);
  const write = (lines: number) =>
    shown({
      ...BASH,
      tool: "Write",
      toolKind: "edit",
      args: { path: "a.txt", text: `${numbers(lines)}\n` },
      preview: { path: "path", new: "text" },
    }).at(-1);
  expect(write(14)).toMatch(/\+ 14$/);
  expect(write(15)).toBe("  … 3 more lines");
});

test("[TUI-01] a command of a person has its own mark", () => {
  expect(shown({ ...BASH, shell: { toModel: true } })[0]).toStartWith("● ! npm test");
  expect(shown({ ...BASH, shell: { toModel: false } })[0]).toStartWith("● !! npm test");
});

test("[TUI-01] a sub-agent shows its last activity, calls and cost, and unfolded its items", () => {
  const nested: CallItem = { ...BASH, event: 5, callId: fakeId("call", 2) as CallId, output: "fine" };
  const { endedAt: _, ...running } = BASH;
  const agent: CallItem = {
    ...running,
    tool: "Agent",
    args: { prompt: "look" },
    state: "running",
    items: [nested],
  };
  const subAgents = new Map([[CALL_ID, { summary: "x", cost: { ...NO_COST, usd: 0.5 }, isRunning: true }]]);
  expect(shown(agent, { subAgents })).toEqual([
    "◐ Agent look  3s",
    "  │ 1 call · $0.5000",
    "  │ Bash npm test",
  ]);
  const unfolded = new Set([4]);
  expect(shown(agent, { subAgents, unfolded }).slice(2)).toEqual([
    "  │ ● Bash npm test  2s  1 line, 4 bytes",
    "  │   fine",
  ]);
  const context = { ...CONTEXT, unfolded };
  expect(drawKey(agent, context)).not.toBe(drawKey(agent, { ...context, unfolded: new Set([4, 5]) }));
});

test("[TUI-01 complaint 31] thinking has a duration, and a prompt its own background and the size of its images", () => {
  const thinking = { kind: "thinking", event: 1, ts: STARTED, streamed: newText("a\nb") } as const;
  expect(shown(thinking)).toEqual(["∴ thinking, 2 lines"]);
  expect(shown({ ...thinking, endedAt: BASH.endedAt ?? "" })).toEqual(["∴ thought for 2s, 2 lines"]);
  const image = { type: "image", mediaType: "image/png", characters: 4_096 } as const;
  const prompt = { kind: "prompt", event: 1, ts: STARTED, turn: 1, originator: SELF } as const;
  const rows = drawPart({ ...prompt, content: [image] }, 0, CONTEXT).slice(1);
  expect(rows.map((each) => [textOfRow(each), each.fill])).toEqual([
    ["▌ [image: image/png, 3.0 KB]", "prompt"],
  ]);
});

test("[TUI-01 bar Paste complaint 28] a long prompt is folded to its first lines, and one of thirty is shown whole", () => {
  const linesOf = (most: number) => Array.from({ length: most }, (_, at) => `line ${at + 1}`).join("\n");
  const facts = { kind: "prompt", event: 1, ts: STARTED, turn: 1, originator: SELF } as const;
  const prompt = (most: number) => ({ ...facts, content: [{ type: "text", text: linesOf(most) }] }) as const;
  expect(shown(prompt(30))).toHaveLength(30);
  const folded = shown(prompt(2_000), { unfoldKey: "ctrl+o" });
  expect(folded.slice(-2)).toEqual(["▌ line 10", "▌ … 1990 more lines · ctrl+o unfolds"]);
  expect(folded).toHaveLength(11);
  expect(shown(prompt(2_000), { unfolded: ALL_UNFOLDED })).toHaveLength(2_000);
});

test("[TUI-01 bar Paste] an image that a prompt names by its label has no second row, and one that it does not has", () => {
  const image = { type: "image", mediaType: "image/png", characters: 4_096 } as const;
  const text = { type: "text", text: "see [image 1: a.png 20x20, 84 bytes]" } as const;
  const prompt = { kind: "prompt", event: 1, ts: STARTED, turn: 1, originator: SELF } as const;
  expect(shown({ ...prompt, content: [text, image] })).toEqual(["▌ see [image 1: a.png 20x20, 84 bytes]"]);
  expect(shown({ ...prompt, content: [text, image, image] }).at(-1)).toBe("▌ [image: image/png, 3.0 KB]");
});

test("[TUI-07] whatever a log holds, no row is too wide and nothing in it drives the terminal", async () => {
  const property = fc.property(
    log,
    fc.integer({ min: 8, max: 130 }),
    fc.boolean(),
    (events, columns, isAll) => {
      const { segments } = events.reduce(transcriptAfter, NEW_TRANSCRIPT);
      const context = { ...CONTEXT, columns, unfolded: isAll ? ALL_UNFOLDED : new Set<number>() };
      for (const item of segments.flatMap(({ items = [] }) => items)) {
        for (let part = 0; part < partsOf(item); part += 1) {
          for (const each of drawPart(item, part, context)) {
            const text = textOfRow(each);
            expect(displayWidth(text)).toBeLessThanOrEqual(columns);
            expect([...text].filter((unit) => unit < " " || (unit >= "\u007f" && unit <= "\u009f"))).toEqual(
              [],
            );
          }
        }
      }
    },
  );
  await holds(property, 300);
});

test("[TUI-01] a cancelled call is one line, and so is a denied one with the words of the person", () => {
  const cancelled: CallItem = {
    ...BASH,
    state: "cancelled",
    cancelled: { isBegun: true, by: SELF, affected: "" },
  };
  expect(shown(cancelled)).toEqual(["✗ Bash npm test  2s  cancelled"]);
  expect(shown({ ...cancelled, cancelled: { affected: "a.ts" } })).toEqual([
    "✗ Bash npm test  2s  cancelled",
    "  files that it may have changed: a.ts",
  ]);
  const output = `PermissionDenied: Permission denied for Bash by ${SELF}.`;
  const decision = { decision: "deny", by: SELF, words: "use the cache" } as const;
  expect(shown({ ...BASH, state: "denied", output, decision })).toEqual([
    "✗ Bash npm test  2s",
    "  denied by you: use the cache",
  ]);
});

test("[TUI-01] the end of a turn and an open question say nothing that stands elsewhere", () => {
  const facts = { event: 9, ts: STARTED, turn: 1, reason: "cancelled", files: [] } as const;
  expect(shown({ kind: "end", ...facts })).toEqual(["— cancelled"]);
  expect(shown({ kind: "end", ...facts, isSaid: true })).toEqual([]);
  const note = {
    kind: "note",
    event: 9,
    ts: STARTED,
    tone: "info",
    text: "asked: A file\nits text",
  } as const;
  expect(shown({ ...note, isOpen: true })).toEqual(["asked: A file …"]);
  expect(shown(note)).toEqual(["asked: A file", "its text"]);
});

test("[TUI-01 bar Tool calls] output wraps between words, and the row about its rest names the key", () => {
  const long: CallItem = { ...BASH, output: "what they want instead of it" };
  expect(shown(long, { columns: 16 }).slice(1)).toEqual(["  what they want", "  instead of it"]);
  const lines: CallItem = { ...BASH, output: "1\n2\n3\n4\n5\n6\n7\n8" };
  expect(shown(lines, { unfoldKey: "ctrl+o" })[1]).toBe("  … 3 lines before · ctrl+o unfolds");
});

test("[TUI-01 TUI-10 bar Tool calls] a folded call shows a few rows of a long line, of output and of a diff, and an unfolded one more", () => {
  const long = "x".repeat(20_000);
  const output: CallItem = { ...BASH, output: `first\n${long}` };
  expect(shown(output, { unfoldKey: "ctrl+o" }).length).toBeLessThan(8);
  expect(shown(output, { unfoldKey: "ctrl+o" }).join(" ")).toMatch(
    /19,860 more characters · ctrl\+o +unfolds$/,
  );
  expect(shown(output, { unfolded: new Set([4]) }).length).toBeGreaterThan(300);
  const change: CallItem = {
    ...BASH,
    tool: "Edit",
    toolKind: "edit",
    diff: `@@ -1 +1 @@\n-a${long}\n+b${long}\n`,
  };
  expect(shown(change).length).toBeLessThan(12);
  expect(shown(change, { unfolded: new Set([4]) }).length).toBeGreaterThan(60);
});

test("[TUI-05 TUI-10 bar Diff] of arguments that were cut no edit is drawn, and below a written file is a note", () => {
  const preview = { path: "file_path", old: "old_string", new: "new_string" };
  const part = "a\n".repeat(20);
  const edit: CallItem = { ...BASH, tool: "Edit", toolKind: "edit", areArgsCut: true, preview };
  const args = { file_path: "a.ts", old_string: part, new_string: "a" };
  const more = "  … a long change: /diff shows more of it";
  expect(shown({ ...edit, args })).toEqual(["● Edit a.ts  2s", more]);
  const write = { path: "file_path", new: "content" };
  const rows = shown({ ...edit, preview: write, args: { file_path: "a.ts", content: `${part}cut` } });
  expect(rows).toContain("  … 9 more lines");
  expect(rows.at(-1)).toBe(more);
  expect(shown({ ...edit, areArgsCut: undefined as never, args }).join()).toContain("- a");
});
