import { expect, test } from "bun:test";
import * as fc from "fast-check";
import { holds } from "../../../../test/support/property.ts";
import { highlight } from "./highlight.ts";

/** The tokens that are more than plain code, with their roles. */
function tokensOf(code: string, language: string): readonly string[] {
  return highlight(code, language)
    .flat()
    .flatMap(({ text, style }) => (style.role === "code" ? [] : [`${style.role} ${text.trim()}`]));
}

test("[TUI-01] words, strings, numbers, comments, names and types of a language have their roles", () => {
  expect(tokensOf("const a = new Map(`x\n${y}`, 0x1f); /* b\nc */ f('d\\'') // e", "ts")).toEqual([
    ...["keyword const", "keyword new", "name Map", "string `x", "string ${y}`", "number 0x1f"],
    ...["comment /* b", "comment c */", "name f", "string 'd\\''", "comment // e"],
  ]);
  expect(tokensOf(`@a.b\ndef f(x: Int) -> None:  # c\n  """d\ne""" r'g' 1_000.5e3`, "py")).toEqual([
    ...["name @a.b", "keyword def", "name f", "type Int", "keyword None", "comment # c"],
    ...['string """d', 'string e"""', "string r'g'", "number 1_000.5e3"],
  ]);
  expect(tokensOf(`fn f<'a>(x: &'a str) -> Vec<u8> { println!("a\\"", 'b') }`, "rust")).toEqual([
    ...[
      "keyword fn",
      "keyword str",
      "type Vec",
      "keyword u8",
      "name println!",
      'string "a\\""',
      "string 'b'",
    ],
  ]);
  expect(tokensOf('if [ $# -gt 1 ]; then echo "$a" # b\nfi', "sh")).toEqual([
    ...["keyword if", "name $#", "number 1", "keyword then", "keyword echo", 'string "$a"'],
    ...["comment # b", "keyword fi"],
  ]);
  expect(tokensOf('{"a": "b", "c": [1, true]}', "json")).toEqual([
    ...['name "a"', 'string "b"', 'name "c"', "number 1", "keyword true"],
  ]);
  expect(tokensOf("a-b: 'c' # d\n- e: true", "yaml")).toEqual([
    ...["name a-b", "string 'c'", "comment # d", "name e", "keyword true"],
  ]);
  expect(tokensOf("SELECT a FROM b -- c", "sql")).toEqual(["keyword SELECT", "keyword FROM", "comment -- c"]);
  expect(tokensOf('<a href="b">c</a><!-- d', "html")).toEqual([
    ...["name <a", "name href", 'string "b"', "name >", "name </a", "name >", "comment <!-- d"],
  ]);
  expect(tokensOf("-a\n+b\n@@ c", "diff")).toEqual(["removed -a", "added +b", "accent @@ c"]);
  expect(tokensOf("const a = 1", "unknown")).toEqual([]);
  expect(tokensOf("const a = 1", "constructor")).toEqual([]);
  expect(highlight("return x", "go")[0]?.map(({ text }) => text)).toEqual(["return", " x"]);
});

test("[TUI-01 TUI-07] every line of code is drawn whole and safe, whatever its language is", async () => {
  const bits = fc.constantFrom(
    ..."ab1 _-:=#/*\"'`\\$@<>{}[]().\n\n".split(""),
    ...["/*", "*/", "//", "'''", '"""', "--", "<!--", "${", "if ", "漢", "\u001b[2J", '="', "r#"],
  );
  const code = fc.array(bits, { maxLength: 40 }).map((each) => each.join(""));
  const languages =
    "ts c cpp java cs kt swift go rs php py rb sh sql lua hs json yaml toml html css docker diff";
  const property = fc.property(code, fc.constantFrom(...languages.split(" ")), (source, language) => {
    const lines = highlight(source, language).map((line) => line.map(({ text }) => text).join(""));
    const plain = highlight(source, "").map((line) => line.map(({ text }) => text).join(""));
    // A control sequence that tokens cut in two is shown instead of left out.
    if (!source.includes("\u001b")) expect(lines).toEqual(plain);
    expect(lines.length).toBe(plain.length);
    expect(lines.join("")).not.toMatch(/[\0-\x1f]/);
  });
  await holds(property, 2_000);
});
