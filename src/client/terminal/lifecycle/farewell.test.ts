import { expect, test } from "bun:test";
import { fakeServices } from "../../../../test/support/terminal-parts.ts";
import { farewell } from "./farewell.ts";

test("[TUI-10] a message that the engine has not confirmed is printed when the client ends", () => {
  const { session } = fakeServices();
  expect(farewell(session, [{ text: "fix\u001b[2J the\nbug" }])).toEqual([
    "perhaps not sent: fix the␊bug",
    "cinch --resume ses_1   continues this session",
  ]);
  expect(farewell({ ...session, open: undefined }, [{ text: "x" }])).toEqual(["perhaps not sent: x"]);
});
