import { expect, test } from "bun:test";
import { displayWidth } from "../../../view/terminal/display-width.ts";
import { textOfRow } from "../drawing/span.ts";
import { ACTION_NAMES, ACTIONS } from "../keys/actions.ts";
import { KeyTable } from "../keys/key-table.ts";
import { helpRows } from "./help-panel.ts";

test("[TUI-06 TUI-11] the help has every action that has a key, with no word cut, on any width", () => {
  for (const columns of [40, 80, 116, 120, 200]) {
    const rows = helpRows(new KeyTable(), columns).map(textOfRow);
    expect(rows.filter((each) => displayWidth(each) > columns)).toEqual([]);
    expect(rows.filter((each) => each.includes("…"))).toEqual([]);
  }
  const words = helpRows(new KeyTable(), 58).map(textOfRow).join("\n").split(/\s+/).join(" ");
  const bound = ACTION_NAMES.filter((name) => ACTIONS[name].keys.length > 0);
  expect(bound.filter((name) => !words.includes(ACTIONS[name].help))).toEqual([]);
});
