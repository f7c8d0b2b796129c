import { expect, test } from "bun:test";
import { fakeServices } from "../../../../../test/support/terminal-parts.ts";
import { displayWidth } from "../../../../view/terminal/display-width.ts";
import { textOfRow } from "../../drawing/span.ts";
import { ACTION_NAMES, ACTIONS } from "../../keys/actions.ts";
import { KeyTable } from "../../keys/key-table.ts";
import { HelpPanel, helpRows } from "./help-panel.ts";

/** Returns the words of the panel, whatever the columns and the breaks of its lines. */
function words(columns: number): ReadonlySet<string> {
  return new Set(helpRows(new KeyTable(), columns).flatMap((each) => textOfRow(each).split(/\s+/)));
}

test("[TUI-11 bar Keys] at each width every key and every text of the help is shown whole", () => {
  for (const columns of [20, 40, 58, 80, 116, 120, 200, 300]) {
    const shown = words(columns);
    for (const drawn of helpRows(new KeyTable(), columns))
      expect(displayWidth(textOfRow(drawn))).toBeLessThanOrEqual(columns);
    expect([columns, [...shown].filter((word) => word.endsWith("…"))]).toEqual([columns, []]);
    for (const name of ACTION_NAMES) {
      const { keys, help } = ACTIONS[name];
      const [key] = keys;
      if (key === undefined) continue;
      for (const word of [key, ...help.split(/\s+/)])
        expect([columns, name, shown.has(word)]).toEqual([columns, name, true]);
    }
  }
});

test("[TUI-11 bar Keys] the last row of the help names the key that closes it first, and scrolling reaches each row", () => {
  const panel = new HelpPanel(fakeServices());
  const size = { columns: 40, rows: 12 };
  const seen = new Set<string>();
  for (let page = 0; page < 40; page += 1) {
    const rows = panel.draw(size).rows.map(textOfRow);
    expect(rows).toHaveLength(12);
    expect(rows.join("\n")).toContain("escape closes");
    for (const each of rows) seen.add(each);
    panel.act("list.pageDown");
  }
  for (const each of helpRows(new KeyTable(), 40)) expect(seen).toContain(textOfRow(each));
});

test("[TUI-11 bar Keys] the help begins with the keys of a first day, and any letter narrows it", () => {
  const panel = new HelpPanel(fakeServices());
  const size = { columns: 80, rows: 24 };
  const shown = () => panel.draw(size).rows.map(textOfRow);
  expect(shown().slice(0, 3).join("\n")).toMatch(/^search: \nThe first day\nenter +send/);
  expect(shown().join("\n")).toContain("search in earlier prompts");
  for (const letter of "queue") panel.type(letter);
  expect(shown()[0]).toBe("search: queue");
  expect(shown().join("\n")).toContain("edit what waits in the queue");
  expect(shown().join("\n")).not.toContain("search in earlier prompts");
  for (let at = 0; at < 5; at += 1) panel.act("list.deleteBack");
  expect(shown()[1]).toBe("The first day");
  for (const letter of "xyzzy") panel.type(letter);
  expect(shown()[1]).toBe("No key does that.");
});
