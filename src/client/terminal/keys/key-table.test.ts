import { expect, test } from "bun:test";
import { ACTION_NAMES, ACTIONS } from "./actions.ts";
import { keyConflicts } from "./key-conflicts.ts";
import { keyName, typesText } from "./key-name.ts";
import { KeyTable } from "./key-table.ts";

test("[TUI-11] a key has one name, however it is written", () => {
  const names = {
    ...{ "Ctrl+K": "ctrl+k", "control+shift+Up": "shift+ctrl+up", "alt+B": "alt+b", esc: "escape" },
    ...{
      "ctrl++": "ctrl++",
      " ": "space",
      "shift+a": "A",
      PgUp: "pageUp",
      F12: "f12",
      "meta+return": "alt+enter",
    },
    ...{ é: "é", "shift+space": "shift+space", "cmd+c": "super+c" },
  };
  for (const [written, name] of Object.entries(names)) expect(keyName(written), written).toBe(name);
  for (const wrong of ["", "ctlr+k", "ctrl+", "f13", "shift+1", "hello", "ctrl+hello"])
    expect(keyName(wrong), wrong).toBeUndefined();
});

test("[TUI-11] without a file no key has two actions in one context, each has its own name, and none takes a character where one types", () => {
  expect(new KeyTable().shared).toEqual([]);
  const keys = ACTION_NAMES.flatMap((name) => ACTIONS[name].keys.map((key) => ({ name, key: String(key) })));
  expect(keys.filter(({ key }) => keyName(key) !== key)).toEqual([]);
  const typed = keys.filter(
    ({ name, key }) =>
      typesText(key) && ["global", "input", "completion", "search", "list"].includes(ACTIONS[name].context),
  );
  expect(typed).toEqual([]);
  expect(keyConflicts(new KeyTable())).toEqual([]);
});

test("[TUI-11 bar Keys] a chosen key goes before one that is there without a file, which help lists no more", () => {
  const table = new KeyTable({ "input.send": ["ctrl+k"] });
  expect(table.find("ctrl+k", ["input"])).toBe("input.send");
  expect(table.find("enter", ["input"])).toBeUndefined();
  expect(table.keysOf("edit.killToEnd")).toEqual([]);
  expect(keyConflicts(table)).toEqual([
    "ctrl+k: edit.killToEnd cannot have it, because input.send has it in the draft. If that is meant, write edit.killToEnd = [].",
  ]);
  expect(keyConflicts(new KeyTable({ "input.send": ["ctrl+k"], "edit.killToEnd": [] }))).toEqual([]);
});

test("[TUI-11 bar Keys] a key that the draft hides is named, whichever of the two was chosen", () => {
  const sentence = (table: KeyTable) => keyConflicts(table).filter((each) => each.includes("does not count"));
  expect(sentence(new KeyTable({ "app.palette": ["ctrl+f"] }))).toEqual([
    "ctrl+f: app.palette does not count in the draft, where edit.right has it.",
  ]);
  expect(sentence(new KeyTable({ "edit.up": ["up", "ctrl+p"] }))).toEqual([
    "ctrl+p: app.palette does not count in the draft, where edit.up has it.",
  ]);
  expect(sentence(new KeyTable({ "list.down": ["down", "ctrl+p"] }))).toEqual([]);
});

test("[TUI-11 complaint 29] a key counts in one mode of vim alone", () => {
  const table = new KeyTable({ "input.send": ["vim-normal:enter"], "input.newLine": ["enter", "ctrl+j"] });
  expect(table.find("enter", ["vimNormal", "vim", "input"])).toBe("input.send");
  expect(table.find("enter", ["vimInsert", "vim", "input"])).toBe("input.newLine");
  expect(table.find("enter", ["input"])).toBe("input.newLine");
  expect(table.keysOf("input.send")).toEqual(["vim-normal:enter"]);
  expect(keyConflicts(table)).toEqual([]);
});
