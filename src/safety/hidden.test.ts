import { expect, test } from "bun:test";
import { showHidden, visibleLine } from "./hidden.ts";

/** Text written with characters that no one sees: U+E0000 plus the code of each letter. */
function smuggled(text: string): string {
  return [...text].map((letter) => String.fromCodePoint(0xe0000 + letter.charCodeAt(0))).join("");
}

test("[S62] characters that only a model reads are made visible", () => {
  expect(showHidden(`a${smuggled("hi")}b`)).toBe("a[hidden: U+E0068 U+E0069]b");
  expect(showHidden(`a${smuggled("do this now")}b`)).toStartWith("a[hidden: U+E0064 ");
  expect(showHidden(`a${smuggled("do this now")}b`)).toEndWith(" and 3 more]b");
  expect(showHidden("user\u202enimda\u202c")).toBe("user[hidden: U+202E]nimda[hidden: U+202C]");
  expect(showHidden("a\u2066b\u2069")).toBe("a[hidden: U+2066]b[hidden: U+2069]");
  expect(showHidden("a\u200bb\u200cc\u200dd\u2060e")).toBe(
    "a[hidden: U+200B]b[hidden: U+200C]c[hidden: U+200D]d[hidden: U+2060]e",
  );
  expect(showHidden("x\u200d\u200d\u200cx")).toBe("x[hidden: U+200D U+200D U+200C]x");
  expect(showHidden("😀\ufe00\ufe01\ufe02")).toBe("😀[hidden: U+FE00 U+FE01 U+FE02]");
  expect(showHidden("😀\u{e0101}")).toBe("😀[hidden: U+E0101]");
  expect(showHidden(`🏴${smuggled("delete all")}`)).toContain("[hidden: ");
  expect(showHidden("pay\u00adload \u3164x")).toBe("pay[hidden: U+00AD]load [hidden: U+3164]x");
});

test("[S62] emoji, joined scripts and right-to-left text stay as they are", () => {
  const all = [
    "👩‍👩‍👧 👍🏽 ❤️ 1️⃣ ☺︎ 🏳️‍🌈 👩🏽‍💻 🏴󠁧󠁢󠁥󠁮󠁧󠁿 🏴󠁧󠁢󠁳󠁣󠁴󠁿 🏴󠁧󠁢󠁷󠁬󠁳󠁿 🇫🇷",
    "می‌خواهم क्‍ष ক্‌ষ ภาษา​ไทย",
    "עברית‎ (abc) ‏مرحبا",
    "辻\u{e0100} 葛\ufe00 ∩\ufe00",
    "\ufeffa byte order mark",
    "plain text, \t tabs\r\n and naïve café",
  ];
  expect(all.map(showHidden)).toEqual(all);
});

test("[S62] what was hidden is counted, so that the question of trust can say so", () => {});

test("[S62] an address that is spelt with letters of another script is shown as one; addresses of a script stay", () => {
  expect(showHidden("see https://\u0430pple.com/x and www.g\u03bfogle.com")).toBe(
    "see https://[look-alike: U+0430]pple.com/x and www.g[look-alike: U+03BF]ogle.com",
  );
  const own =
    "https://пример.рф/путь https://пример.com https://xn--e1afmkfd.xn--p1ai слово.example наш github.com";
  expect(showHidden(own)).toBe(own);
});

test("[PERM-06] control characters are shown as their escapes", () => {
  expect(visibleLine("a\u001b[31m\r\n\t\u0000\u0085\u2028b\u200b")).toBe(
    "a\\e[31m\\r\\n\\t\\u0000\\u0085\\u2028b[hidden: U+200B]",
  );
});
