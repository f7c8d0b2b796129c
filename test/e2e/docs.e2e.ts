import { expect, test } from "bun:test";
import { TEXTS } from "../../src/base/reason-texts.ts";
import { helpText } from "../../src/cli/args/help.ts";
import { COMMANDS } from "../../src/cli/commands/commands.ts";
import { blocksOf, documents } from "../support/documents.ts";
import { readSource } from "../support/source.ts";

test("[DOC-01 CLI-01] every cinch command and option that a document or a text names is one that --help lists", () => {
  const pages = COMMANDS.flatMap(({ name, verbs = [] }) => [
    [name],
    ...verbs.map((verb) => [name, verb.name]),
  ]);
  const help = [[], ["flags"], ...pages].map((about) => helpText(about)).join("\n");
  const shell = documents().flatMap((file) =>
    blocksOf(file, readSource(file)).filter(({ language }) => language === "sh"),
  );
  const named = shell.flatMap(({ place, text }) =>
    text.split("\n").flatMap((line) => {
      const command = /(?:^|[|;&]\s*)(?:\w+=\S*\s+)*(?:\.\/|dist\/)?cinch\b([^|;#&>]*)/.exec(line)?.[1];
      return command === undefined ? [] : wordsOf(command).map((word) => ({ place, word }));
    }),
  );
  const inTexts = Object.entries(TEXTS).flatMap(([reason, text]) =>
    // A command stands at the end of "Run", "with:" and the like; "cinch has" in a sentence is none.
    [...text.matchAll(/(?:\bRun|:|with|be|\bUse) cinch ([a-z-]+)\b/g)].map(([, word = ""]) => ({
      place: reason,
      word,
    })),
  );
  const known = (word: string) => new RegExp(`(?<![\\w-])${word}(?![\\w-])`).test(help);
  expect([...named, ...inTexts].filter(({ word }) => !known(word))).toEqual([]);
});

/** The subcommand and the options of one command line; quoted words and values are not looked at. */
function wordsOf(command: string): readonly string[] {
  const words = command
    .replaceAll(/"[^"]*"|'[^']*'/g, "")
    .trim()
    .split(/\s+/);
  const subcommand = words.slice(0, 1).filter((word) => /^[a-z-]+$/.test(word) && !word.startsWith("-"));
  const options = words.filter((word) => word.startsWith("-") && word !== "--");
  return [...subcommand, ...options.map((word) => word.replace(/=.*/, ""))];
}
