import { expect, test } from "bun:test";
import { fakeServices, linesOf } from "../../../../test/support/terminal-parts.ts";
import { displayWidth } from "../../../view/terminal/display-width.ts";
import { row, span, textOfRow } from "../drawing/span.ts";
import type { PanelEntry } from "./list-entry.ts";
import type { ListPanelOptions } from "./list-panel.ts";
import { ListPanel } from "./list-panel.ts";

const SIZE = { columns: 60, rows: 12 };

function openList(labels: readonly string[], more: Partial<ListPanelOptions<string>> = {}) {
  const services = fakeServices();
  const chosen: string[] = [];
  const content = { entries: labels.map((label): PanelEntry<string> => ({ value: label, label })) };
  const panel = new ListPanel<string>({
    title: "Things",
    place: "full",
    services,
    content: () => content,
    choose: (value) => void chosen.push(value),
    ...more,
  });
  services.open(panel);
  return { services, panel, chosen };
}

test("[TUI-06] what is typed narrows a list and is counted, Enter chooses, and Esc closes", () => {
  const { panel, chosen, services } = openList(["alpha", "beta", "gamma 漢字"]);
  expect(linesOf(panel.draw(SIZE).rows)).toContain("search:   1/3\n▸ alpha\n  beta\n  gamma 漢字");
  panel.type("字");
  expect(linesOf(panel.draw(SIZE).rows)).toContain("search: 字  1/1\n▸ gamma 漢字");
  expect(panel.draw(SIZE).cursor).toEqual({ row: 0, column: 10 });
  panel.act("list.deleteBack");
  panel.act("list.down");
  panel.act("list.choose");
  expect([chosen, services.overlays]).toEqual([["beta"], []]);
  const other = openList(["one"]);
  other.panel.act("turn.cancel");
  expect(other.services.overlays).toEqual([]);
});

test("[TUI-06] only the letter y answers a question of a list; every other key, and a paste, leaves all as it is", () => {
  const { panel } = openList(["alpha"]);
  let deleted = 0;
  const ask = () => panel.ask("Delete alpha? It cannot be brought back.", "delete it", () => (deleted += 1));
  ask();
  expect(linesOf(panel.draw(SIZE).rows)).toContain("y: delete it · any other key: leave it");
  expect(panel.contexts).toEqual([]);
  panel.type("n");
  expect(linesOf(panel.draw(SIZE).rows)).toContain("search:   1/1");
  ask();
  panel.paste("y");
  ask();
  panel.act("turn.cancel");
  expect(deleted).toBe(0);
  ask();
  panel.type("y");
  expect(deleted).toBe(1);
});

test("[TUI-06] a text is edited in place of the search, with the keys of the draft", () => {
  const { panel } = openList(["alpha"]);
  const names: string[] = [];
  panel.edit("Name", "alpha", (name) => void names.push(name));
  expect(panel.contexts).toEqual(["input"]);
  panel.act("edit.deleteBack");
  panel.type("!");
  expect(linesOf(panel.draw(SIZE).rows)).toContain("Name\n> alph!");
  panel.act("input.send");
  panel.edit("Name", "beta", (name) => void names.push(name));
  panel.act("turn.cancel");
  expect(names).toEqual(["alph!"]);
});

test("[TUI-06] columns are left out from the last one on where a name has no room, and no row is too wide", () => {
  const entries = ["短い名前の会話", "a quite long name of a conversation"].map((label) => ({
    value: label,
    label,
    detail: "facts",
    cells: [{ text: "3 h" }, { text: "1,234" }, { text: "$0.1234" }],
  }));
  const columns = [{ name: "age" }, { name: "turns" }, { name: "cost" }];
  const { panel } = openList([], { content: () => ({ entries }), columns, preview: () => [] });
  for (const width of [20, 33, 40, 80, 120, 200]) {
    const { rows } = panel.draw({ columns: width, rows: 10 });
    expect(Math.max(...rows.map((row) => displayWidth(textOfRow(row))))).toBeLessThanOrEqual(width);
  }
  expect(linesOf(panel.draw({ columns: 80, rows: 10 }).rows)).toContain("age  turns     cost");
  const narrow = linesOf(panel.draw({ columns: 40, rows: 10 }).rows);
  expect([narrow.includes("age"), narrow.includes("cost")]).toEqual([true, false]);
});

test("[TUI-06] the hints of a list name its keys, as many as fit on two rows", () => {
  const hints = () =>
    [
      ["list.choose", "continue"],
      ["sessions.scope", "all folders"],
      ["sessions.delete", "delete"],
    ] as const;
  const { panel } = openList(["a"], { hints });
  expect(linesOf(panel.draw({ columns: 60, rows: 6 }).rows)).toEndWith(
    "enter continue · tab all folders · delete delete",
  );
  expect(linesOf(panel.draw({ columns: 31, rows: 6 }).rows)).toEndWith(
    "enter continue\ntab all folders · delete delete",
  );
});

test("[TUI-06 PERF-03] 10,000 entries are drawn and searched without a pause", () => {
  const labels = Array.from({ length: 10_000 }, (_, at) => `session number ${at} about the ${at % 7} parts`);
  const { panel } = openList(labels);
  const from = performance.now();
  for (const letter of "number 99 parts") {
    panel.type(letter);
    panel.draw({ columns: 120, rows: 40 });
  }
  for (let step = 0; step < 100; step += 1) {
    panel.act("list.down");
    panel.draw({ columns: 120, rows: 40 });
  }
  expect(linesOf(panel.draw({ columns: 120, rows: 40 }).rows)).toContain("101/");
  // 15 keys and 100 moves take 60 ms on a quiet machine.
  expect(performance.now() - from).toBeLessThan(5_000);
});

test("[TUI-06 TUI-11 bar Themes] the entry at the cursor has its background, also beside a preview, and ends there", () => {
  const preview = () => [row([span("about it")])];
  const { panel } = openList(["alpha", "beta"], { preview });
  const drawn = panel.draw({ columns: 120, rows: 12 }).rows.find((each) => textOfRow(each).includes("alpha"));
  const fills = (drawn?.spans ?? []).map(({ text, style }) => [text.trim(), style.fill ?? drawn?.fill]);
  expect(fills.filter(([text]) => text !== "")).toEqual([
    ["▸", "selected"],
    ["alpha", "selected"],
    ["│", undefined],
    ["about it", undefined],
  ]);
});
