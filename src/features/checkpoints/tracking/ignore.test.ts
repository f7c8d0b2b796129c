import { expect, test } from "bun:test";
import * as fc from "fast-check";
import { shell, write } from "../../../../test/support/checkpoint-rig.ts";
import { holds } from "../../../../test/support/property.ts";
import { requireProgram } from "../../../../test/support/requires.ts";
import { temporaryDirectory } from "../../../../test/support/world.ts";
import { isIgnored, parseIgnore } from "./ignore.ts";

const NAMES = ["a", "b", "ab", "aab", "a.b", "-b", "*"];
const FOLDERS = NAMES.flatMap((one) => [
  one,
  ...NAMES.map((two) => `${one}/${two}`),
  ...["a", "b", "*"].flatMap((two) => ["a", "ab"].map((three) => `${one}/${two}/${three}`)),
]);

/** Git looks into no folder that it ignores, so all that is in one is ignored too. */
function isWithinIgnored(folder: string, text: string): boolean {
  const rules = [parseIgnore("", text)];
  const names = folder.split("/");
  return names.some((_, last) => isIgnored(names.slice(0, last + 1).join("/"), true, rules));
}

requireProgram("git")(
  "[SES-15] the folders that git ignores are ignored, whatever its rules are made of",
  async () => {
    await using directory = temporaryDirectory();
    const root = directory.path;
    shell(root, `git init -q . && mkdir -p -- ${FOLDERS.map((folder) => `'./${folder}'`).join(" ")}`);
    const piece = fc.constantFrom("a", "b", ".", "*", "?", "[ab]", "[!a]", "\\*");
    // Two stars within a name git reads in more than one way.
    const word = fc
      .array(piece, { minLength: 1, maxLength: 3 })
      .map((pieces) => pieces.join(""))
      .filter((text) => !text.includes("**"));
    const name = fc.oneof({ weight: 4, arbitrary: word }, fc.constant("**"));
    const rule = fc
      .tuple(
        fc.constantFrom("", "!"),
        fc.constantFrom("", "/"),
        fc.array(name, { minLength: 1, maxLength: 3 }).map((names) => names.join("/")),
        fc.constantFrom("", "/"),
      )
      .map((parts) => parts.join(""));
    await holds(
      fc.asyncProperty(fc.array(rule, { minLength: 1, maxLength: 4 }), async (rules) => {
        const text = `${rules.join("\n")}\n`;
        write(root, ".gitignore", text);
        const found = shell(
          root,
          "find . -mindepth 1 -type d -not -path './.git*' | cut -c3- | git check-ignore --no-index --stdin || true",
        );
        const ignored = FOLDERS.filter((folder) => isWithinIgnored(folder, text));
        expect(ignored.sort()).toEqual(found.split("\n").filter(Boolean).sort());
      }),
      60,
    );
  },
);

test("[SES-15 REL-06] no rule takes long to be compared with a name, however many ways to match it has", () => {
  const rules = parseIgnore("", `${"*a".repeat(200)}b\n${"**/a/".repeat(80)}b\n`);
  expect(isIgnored("a".repeat(250), true, [rules])).toBe(false);
  expect(isIgnored("a/".repeat(500), true, [rules])).toBe(false);
});
