import type { Role, Span, Style } from "../drawing/span.ts";
import { span } from "../drawing/span.ts";
import type { Language } from "./languages.ts";
import { languageOf } from "./languages.ts";

/** Code beyond this is not highlighted. */
const CHARACTERS_MAX = 200_000;
const NUMBER = String.raw`\b(?:0[xXbBoO][\da-fA-F_]+|\d[\d_]*(?:\.\d[\d_]*)?(?:[eE][+-]?\d+)?)\w*`;
const WORD = String.raw`[\p{L}_][\p{L}\p{N}_]*`;
const PLAIN: Style = { role: "code" };

/** The pattern that finds the tokens of a language; built when it is first used. */
const patterns = new WeakMap<Language, RegExp>();

/**
 * Returns the spans of each line of code. The language is a name as behind a fence, or the end of a file name; code in
 * an unknown one is plain. Tokens are recognised by patterns, in time linear in the length of the code.
 *
 * A part of a longer text is read by itself: a comment or string that began before it is not known.
 */
export function highlight(code: string, language: string): readonly (readonly Span[])[] {
  if (/^(?:diff|patch)$/i.test(language))
    return code.split("\n").map((line) => [span(line, diffStyle(line))]);
  const found = code.length > CHARACTERS_MAX ? undefined : languageOf(language);
  if (found === undefined) return code.split("\n").map((line) => (line === "" ? [] : [span(line, PLAIN)]));
  const lines: Span[][] = [[]];
  let plain = "";
  const put = (text: string, style: Style) => {
    for (const [index, piece] of text.split("\n").entries()) {
      if (index > 0) lines.push([]);
      if (piece !== "") lines.at(-1)?.push(span(piece, style));
    }
  };
  let at = 0;
  for (const match of code.matchAll(patternOf(found))) {
    plain += code.slice(at, match.index);
    at = match.index + match[0].length;
    const role = roleOf(match, code, found);
    if (role === "code") {
      plain += match[0];
      continue;
    }
    put(plain, PLAIN);
    plain = "";
    put(match[0], { role });
  }
  put(plain + code.slice(at), PLAIN);
  return lines;
}

function patternOf(language: Language): RegExp {
  const known = patterns.get(language);
  if (known !== undefined) return known;
  const never = "(?!)";
  const { comment = never, string = never, name = never } = language;
  const pattern = new RegExp(
    `(?<comment>${comment})|(?<name>${name})|(?<string>${string})|(?<number>${NUMBER})|(?<word>${WORD})`,
    "gmu",
  );
  patterns.set(language, pattern);
  return pattern;
}

function roleOf({ groups = {}, 0: text, index }: RegExpMatchArray, code: string, language: Language): Role {
  if (groups["comment"] !== undefined) return "comment";
  if (groups["string"] !== undefined) return "string";
  if (groups["name"] !== undefined) return "name";
  if (groups["number"] !== undefined) return "number";
  if (language.keywords.has(language.ignoresCase === true ? text.toLowerCase() : text)) return "keyword";
  if (code[(index ?? 0) + text.length] === "(") return "name";
  return /^\p{Lu}[\p{L}\p{N}]*\p{Ll}/u.test(text) ? "type" : "code";
}

function diffStyle(line: string): Style {
  if (line.startsWith("+")) return { role: "added" };
  if (line.startsWith("-")) return { role: "removed" };
  return { role: line.startsWith("@@") ? "accent" : "code" };
}
