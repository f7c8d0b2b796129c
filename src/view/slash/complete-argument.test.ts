import { expect, test } from "bun:test";
import * as fc from "fast-check";
import { holds } from "../../../test/support/property.ts";
import { SLASH_COMMANDS } from "../../protocol/commands/own-commands.ts";
import { describeCommand } from "../../protocol/commands/slash-commands.ts";
import { argumentBegun } from "./complete-argument.ts";

const COMMANDS = SLASH_COMMANDS.map(describeCommand);
const begun = (typed: string) => argumentBegun(typed, COMMANDS);

test("[CTL-19] the word behind a command is what its usage and its schema name", () => {
  expect(begun("/effort hi")).toMatchObject({ from: 8, word: "hi" });
  expect(begun("/effort ")?.choices).toEqual(["off", "low", "medium", "high", "xhigh", "max"]);
  expect(begun("/plan ")).toMatchObject({ choices: ["off"], takesModel: false, takesSession: false });
  expect(begun("/model op")).toMatchObject({ word: "op", takesModel: true, choices: [] });
  expect(begun("/resume sess_")).toMatchObject({ word: "sess_", takesSession: true });
  expect(begun("/rewind 3 co")).toMatchObject({ from: 10, word: "co" });
  expect(begun("/rewind ")?.choices).toEqual(["files", "conversation", "both", "undo"]);
});

test("[CTL-19] free text and an unknown command have no such word", () => {
  for (const typed of ["/steer do ", "/nosuch a", "/effort", "words /effort a", ""])
    expect(begun(typed)).toBeUndefined();
});

test("[CTL-19] any text is read, and the word is its end", async () => {
  const piece = fc.oneof(fc.constantFrom("/effort", "/model", " ", "a", "\n"), fc.string());
  await holds(
    fc.property(fc.array(piece), (pieces) => {
      const typed = pieces.join("");
      const found = begun(typed);
      if (found !== undefined) expect(typed.slice(found.from)).toBe(found.word);
    }),
  );
});
