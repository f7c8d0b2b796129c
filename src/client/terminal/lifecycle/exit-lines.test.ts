import { expect, test } from "bun:test";
import { fakeServices } from "../../../../test/support/terminal-parts.ts";
import { exitLines } from "./exit-lines.ts";

test("[TUI-10] a message that the engine has not confirmed is printed when the client ends", () => {
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
  expect(exitLines({ ...session, open: undefined }, { sending: ["x"], drafts: [], unkept: [] })).toEqual([
    "perhaps not sent: x",
  ]);
});
