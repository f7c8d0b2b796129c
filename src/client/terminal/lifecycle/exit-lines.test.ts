import { expect, test } from "bun:test";
import { fakeServices } from "../../../../test/support/terminal-parts.ts";
import { exitLines } from "./exit-lines.ts";

test("[TUI-10] a message that the engine has not confirmed is printed when the client ends, and a session is named if anything is in it", () => {
  const session = { ...fakeServices().session, self: "client" };
  expect(
    exitLines(session, { sending: ["fix\u001b[2J the\nbug"], drafts: ["kept"], unkept: ["half a\nthought"] }),
  ).toEqual([
    "perhaps not sent: fix the␊bug",
    "A draft that is kept nowhere else:",
    "half a",
    "thought",
    "cinch --resume ses_1   continues this session",
  ]);
  const untouched = { ...session, isUntouched: true };
  expect(exitLines(untouched, { sending: [], drafts: [" "], unkept: [] })).toEqual([]);
  const resume = "cinch --resume ses_1   continues this session";
  expect(exitLines(untouched, { sending: [], drafts: ["kept"], unkept: [] })).toEqual([resume]);
  const renamed = { ...untouched, view: { ...untouched.view, title: "mine" } };
  expect(exitLines(renamed, { sending: [], drafts: [], unkept: [] })).toEqual([resume]);
  expect(exitLines({ ...session, open: undefined }, { sending: ["x"], drafts: [], unkept: [] })).toEqual([
    "perhaps not sent: x",
  ]);
});
