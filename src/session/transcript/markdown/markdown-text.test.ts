import { expect, test } from "bun:test";
import * as fc from "fast-check";
import { holds } from "../../../../test/support/property.ts";
import { codeBlock, codeSpan, escapeHtml, renderQuotation } from "./markdown-text.ts";

/** Renders Markdown and lets HTML in it through, as GitHub does. */
function rendered(markdown: string): string {
  return Bun.markdown.html(markdown);
}

const PIECES = fc.constantFrom(
  ..."` `` ``` ```` ~~~ <b> <script> </details> <!-- > # - * \\ [x]: http://e ![x](http://e/p.png) [ ] ( ) &lt; \n \n\n a word \t    ".split(
    " ",
  ),
  "\n",
  " ",
  "\n\n",
  "\n    ",
  "\n> ",
  "\n- ",
  "\n  ",
  "```\n",
  "- ```\n  ",
);
const HOSTILE = fc.array(PIECES, { maxLength: 24 }).map((pieces) => pieces.join(""));

test("[SES-10] nothing in a quotation ends it, opens HTML or fetches a picture", async () => {
  await holds(
    fc.property(HOSTILE, (text) => {
      const html = rendered(`${renderQuotation(text)}\n\nAFTER THE END\n`);
      expect(html).toStartWith("<blockquote>");
      // What follows is a paragraph of its own, outside of every quotation, list and block.
      expect(html).toEndWith("</blockquote>\n<p>AFTER THE END</p>\n");
      expect(html).not.toMatch(/<(?:script|b>|img|!--|\/details)/);
    }),
    2_000,
  );
});

test("[SES-10] nothing in a block of code ends it", async () => {
  await holds(
    fc.property(HOSTILE, (text) => {
      const html = rendered(`${codeBlock(text, "text")}\n\nAFTER THE END\n`);
      expect(html).toMatch(
        /^<pre><code class="language-text">[^<]*<\/code><\/pre>\n<p>AFTER THE END<\/p>\n$/,
      );
    }),
    1_000,
  );
});

test("[SES-10] a word in a line of ours is code, whatever it holds", async () => {
  await holds(
    fc.property(HOSTILE, (text) => {
      const html = rendered(`Before ${codeSpan(text)} after.\n`);
      expect(html).toMatch(/^<p>Before (?:<code>[^<]*<\/code>|\(empty\)) after\.<\/p>\n$/);
    }),
    1_000,
  );
});

test("[SES-10] code in a quotation stays as it is, and HTML outside of code is shown as text", () => {
  const text = "Use `Array<string>` or <b>this</b>:\n\n```ts\nlet a: Set<b> = x;\n```\n![a](http://e/x.png)";
  expect(renderQuotation(text)).toBe(
    [
      "> Use `Array<string>` or &lt;b>this&lt;/b>:",
      ">",
      "> ```ts",
      "> let a: Set<b> = x;",
      "> ```",
      "> !\\[a](http://e/x.png)",
    ].join("\n"),
  );
});

test("[SES-10 TUI-07] characters that cannot be seen are shown", () => {
  expect(renderQuotation("a\u001b[31mb\u0007\u202ec\r\nd")).toBe("> a␛[31mb␇&lt;U+202E>c\n> d");
  expect(codeBlock("a\u0000b", "text")).toBe("```text\na␀b\n```");
  expect(escapeHtml('<a href="x">\n&')).toBe("&lt;a href=&quot;x&quot;&gt; &amp;");
});

test("[SES-10] a fence that was left open is closed within its quotation", () => {
  expect(renderQuotation("```\ncode")).toBe("> ```\n> code\n> ```");
});
