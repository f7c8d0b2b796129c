import { expect, test } from "bun:test";
import type { FakeClock } from "../../../../test/support/fake-clock.ts";
import { fakeClock } from "../../../../test/support/fake-clock.ts";
import type { Theme } from "../drawing/paint.ts";
import { row, span } from "../drawing/span.ts";
import type { ActionName } from "../keys/actions.ts";
import { KeyTable } from "../keys/key-table.ts";
import type { MouseInput } from "../screen/screen.ts";
import { NO_COLOURS } from "../themes/none.ts";
import type { DrawnPart, OfferPart, ScreenPart, SidePart } from "./part.ts";
import { inSight } from "./part.ts";
import { ScreenLayout } from "./screen-layout.ts";

function partOf(draw: (columns: number, rows: number) => DrawnPart): ScreenPart {
  return { contexts: [], draw: ({ columns, rows }) => draw(columns, rows), act: () => false };
}

function openStage(
  side: SidePart | undefined,
  added = 0,
  {
    act = () => undefined,
    theme = NO_COLOURS,
    clock = fakeClock(),
    offer,
    type = () => false,
  }: {
    readonly act?: (action: ActionName) => void;
    readonly theme?: Theme;
    readonly clock?: FakeClock;
    readonly offer?: OfferPart;
    readonly type?: (text: string) => boolean;
  } = {},
) {
  const line = (text: string, columns: number) => row([span(text.repeat(columns))]);
  return new ScreenLayout({
    parts: {
      header: (columns) => [line("h", columns), line("h", columns)],
      transcript: partOf((columns, rows) => ({
        rows: Array.from({ length: rows }, () => line("t", columns)),
      })),
      above: (columns) => Array.from({ length: added }, () => line("a", columns)),
      rule: (columns) => line("-", columns),
      dock: { ...partOf(() => ({ rows: [] })), takesKeys: false, noteKey: () => undefined },
      input: { ...partOf(() => ({ rows: [row([span("字")])], cursor: { row: 0, column: 2 } })), type },
      offer: () => offer,
      side: () => side,
      status: (columns) => line("s", columns),
    },
    keys: () => new KeyTable(),
    clock,
    redraw: () => undefined,
    theme: () => theme,
    act,
  });
}

test("[TUI-06] a part at the right edge has its columns beside all others but the status line, and gets its clicks", () => {
  const clicks: MouseInput[] = [];
  const side: SidePart = {
    ...partOf(() => ({ rows: [row([span("side")])] })),
    columns: ({ columns }) => (columns < 30 ? 0 : 10),
    mouse: (input) => clicks.push(input) > 0,
  };
  const stage = openStage(side);
  const { rows, cursor } = stage.draw({ columns: 40, rows: 8 });
  expect(rows).toEqual([
    `${"h".repeat(30)}│ side`,
    `${"h".repeat(30)}│ `,
    ...Array.from({ length: 3 }, () => `${"t".repeat(30)}│ `),
    `${"-".repeat(30)}│ `,
    `字${" ".repeat(28)}│ `,
    "s".repeat(40),
  ]);
  expect(cursor).toEqual({ row: 6, column: 2 });
  const at = { kind: "mouse", type: "press", button: "left", wheel: 0, shift: false } as const;
  stage.input({ ...at, row: 3, column: 35 });
  stage.input({ ...at, row: 3, column: 10 });
  expect(clicks).toEqual([{ ...at, row: 3, column: 3 }]);
  expect(stage.draw({ columns: 29, rows: 8 }).rows[0]).toBe("h".repeat(29));
});

test("[TUI-03 TUI-06] Ctrl-C closes a panel that Escape closes, and a second one is for the turn", () => {
  const acted: string[] = [];
  const stage = openStage(undefined, 0, { act: (action) => acted.push(action) });
  const panel = {
    ...partOf(() => ({ rows: [] })),
    title: "Panel",
    place: "full" as const,
    act(action: ActionName) {
      if (action === "turn.cancel") stage.close(panel);
      return action === "turn.cancel";
    },
  };
  stage.open(panel);
  stage.input({ kind: "key", key: "ctrl+c" });
  expect([acted, stage.draw({ columns: 40, rows: 8 }).isWhole]).toEqual([[], undefined]);
  stage.input({ kind: "key", key: "ctrl+c" });
  expect(acted).toEqual(["app.interrupt"]);
});

test("[TUI-11] on a low screen the draft and the status line stay, whatever features would show", () => {
  const stage = openStage(undefined, 20);
  for (const height of [3, 5, 8, 15]) {
    const { rows, cursor } = stage.draw({ columns: 40, rows: height });
    expect(rows).toHaveLength(height);
    expect(rows.slice(-3)).toEqual(["-".repeat(40), "字", "s".repeat(40)]);
    expect(cursor?.row).toBe(height - 2);
  }
});

test("[TUI-11] a sentence in place of the status line is shown whole, in as many rows as it needs", () => {
  const stage = openStage(undefined);
  stage.say(row([span("a sentence that is longer than the screen")]));
  const { rows } = stage.draw({ columns: 20, rows: 10 });
  expect(rows).toHaveLength(10);
  expect(rows.slice(-4)).toEqual(["字", "a sentence that is", "longer than the", "screen"]);
  stage.say(undefined);
  expect(stage.draw({ columns: 20, rows: 10 }).rows.at(-1)).toBe("s".repeat(20));
});

test("[TUI-06] the key that has opened a panel closes it, and comes back to it from the panels above it", () => {
  const opened: string[] = [];
  const stage = openStage(undefined, 0, {
    act(action) {
      opened.push(action);
      stage.open({ ...partOf(() => ({ rows: [] })), title: action, place: "full" });
    },
  });
  const press = (key: string) => stage.input({ kind: "key", key });
  const title = () => Bun.stripANSI(stage.draw({ columns: 40, rows: 8 }).rows[0] ?? "");
  press("alt+r");
  expect(title()).toBe("session.open");
  press("alt+m");
  press("f1");
  expect(title()).toBe("app.help");
  press("alt+r");
  expect(title()).toBe("session.open");
  press("alt+r");
  expect(title()).toBe("h".repeat(40));
  expect(opened).toEqual(["session.open", "model.open", "app.help"]);
});

test("[TUI-11 complaint 23] where words are written as they are seen, a click is on the letter that is seen there", () => {
  const columns: number[] = [];
  const side: SidePart = { ...partOf(() => ({ rows: [] })), columns: () => 0 };
  for (const rightToLeft of ["isolate", "reorder"] as const) {
    const stage = openStage(side, 0, { theme: { ...NO_COLOURS, rightToLeft } });
    stage.open({
      ...partOf(() => ({ rows: [row([span("ab שלום")])] })),
      title: "Words",
      place: "bottom",
      mouse: ({ column }) => columns.push(column) > 0,
    });
    const { rows } = stage.draw({ columns: 40, rows: 8 });
    const at = rows.findIndex((text) => text.startsWith("ab "));
    const click = { kind: "mouse", type: "press", button: "left", wheel: 0, shift: false } as const;
    for (const column of [1, 3, 6]) stage.input({ ...click, row: at, column });
  }
  expect(columns).toEqual([1, 3, 6, 1, 6, 3]);
});

test("[TUI-11] on a screen of one row that row is the one with the cursor", () => {
  const stage = openStage(undefined);
  expect(stage.draw({ columns: 9, rows: 1 })).toEqual({ rows: ["字"], cursor: { row: 0, column: 2 } });
  expect(stage.draw({ columns: 3, rows: 2 })).toEqual({ rows: ["字", "sss"], cursor: { row: 0, column: 2 } });
});

test("[TUI-02] the line above the draft is drawn behind the transcript, whose place it names", () => {
  const order: string[] = [];
  const drawn = (name: string) => {
    order.push(name);
    return [];
  };
  const stage = new ScreenLayout({
    clock: fakeClock(),
    redraw: () => undefined,
    parts: {
      header: () => [],
      transcript: partOf(() => ({ rows: drawn("transcript") })),
      above: () => [],
      rule: () => row(drawn("line")),
      dock: { ...partOf(() => ({ rows: [] })), takesKeys: false, noteKey: () => undefined },
      input: partOf(() => ({ rows: [row([])] })),
      side: () => undefined,
      status: () => row([]),
    },
    keys: () => new KeyTable(),
    theme: () => NO_COLOURS,
    act: () => undefined,
  });
  stage.draw({ columns: 20, rows: 10 });
  expect(order).toEqual(["transcript", "line"]);
});

test("[TUI-11] a part that is too high for its place keeps the row with the cursor", () => {
  const rows = ["a", "b", "c", "d"].map((text) => row([span(text)]));
  const cut = (at: number, height: number) => inSight({ rows, cursor: { row: at, column: 1 } }, height);
  expect(cut(3, 2)).toEqual({ rows: rows.slice(2), cursor: { row: 1, column: 1 } });
  expect(cut(0, 2)).toEqual({ rows: rows.slice(0, 2), cursor: { row: 0, column: 1 } });
  expect(inSight({ rows }, 9)).toEqual({ rows });
});

test("[TUI-01 TUI-06] parts learn behind a frame that they were in sight; a part at the edge also that it was not", () => {
  const calls: string[] = [];
  const known = (name: string, part: ScreenPart): ScreenPart => ({
    ...part,
    draw(size) {
      calls.push(`draw ${name}`);
      return part.draw(size);
    },
    drawn: ({ columns }) => void calls.push(`${name} had ${columns} columns`),
  });
  const side: SidePart = {
    ...known(
      "side",
      partOf(() => ({ rows: [] })),
    ),
    columns: ({ columns }) => (columns < 30 ? 0 : 10),
  };
  const layout = openStage(side);
  layout.draw({ columns: 40, rows: 8 });
  layout.draw({ columns: 20, rows: 8 });
  const panel = known(
    "panel",
    partOf(() => ({ rows: [] })),
  );
  layout.open({ ...panel, title: "Panel", place: "full" });
  layout.draw({ columns: 20, rows: 8 });
  expect(calls).toEqual([
    "draw side",
    "side had 8 columns",
    "side had 0 columns",
    "draw panel",
    "panel had 20 columns",
  ]);
});

test("[CTL-12 PERM-14] a question that can wait stands above the line, gets keys before the draft, and none while it is out of sight", () => {
  const heard: string[] = [];
  const offer: OfferPart = {
    ...partOf((_, rows) => ({ rows: rows < 2 ? [] : [row([span("may it?")]), row([span("y or n")])] })),
    contexts: ["confirm"],
    takesKeys: true,
    act: (action) => heard.push(action) > 0,
    drawn: () => void heard.push("drawn"),
    noteKey: () => void heard.push("key"),
    hidden: () => void heard.push("hidden"),
  };
  const typed: string[] = [];
  const stage = openStage(undefined, 3, { offer, type: (text) => typed.push(text) > 0 });
  const said = () => heard.splice(0);
  const { rows } = stage.draw({ columns: 10, rows: 15 });
  expect(rows.slice(-6)).toEqual(["a".repeat(10), "may it?", "y or n", "-".repeat(10), "字", "s".repeat(10)]);
  expect(rows).toHaveLength(15);
  stage.input({ kind: "key", key: "y", text: "y" });
  stage.input({ kind: "key", key: "x", text: "x" });
  stage.input({ kind: "paste", text: "y" });
  expect([said(), typed]).toEqual([["drawn", "confirm.yes", "key", "key"], ["x"]]);
  expect(stage.draw({ columns: 10, rows: 4 }).rows).toHaveLength(4);
  stage.input({ kind: "key", key: "y", text: "y" });
  expect([said(), typed]).toEqual([
    ["hidden", "key"],
    ["x", "y"],
  ]);
  stage.open({ ...partOf(() => ({ rows: [] })), title: "Panel", place: "bottom" });
  stage.draw({ columns: 10, rows: 15 });
  stage.input({ kind: "key", key: "y", text: "y" });
  expect(said()).toEqual(["hidden", "key"]);
});
