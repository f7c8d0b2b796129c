import { expect, test } from "bun:test";
import * as fc from "fast-check";
import { costMs } from "../../../test/support/cost.ts";
import { stripTerminalCodes } from "./strip-terminal-codes.ts";

test("[TOOL-02] what a terminal would show as words is left of colours, titles, links and overstriking", () => {
  expect(stripTerminalCodes("\u001b[1;31mred\u001b[0m \u001b[2K\u001b(Bx")).toBe("red x");
  expect(stripTerminalCodes("\u001b]8;;http://a/\u001b\\link\u001b]8;;\u001b\\ \u001b]0;title\u0007t")).toBe(
    "link t",
  );
  expect(stripTerminalCodes("\u001bP1$tx\u001b\\y \u009b31mz")).toBe("y z");
  expect(stripTerminalCodes("b\bbo\bol\bld\u0000")).toBe("bold");
  expect(stripTerminalCodes("1%\r2%\r\n3\tx\r\r\n")).toBe("1%\n2%\n3\tx\n");
});

test("[TOOL-02] no control character but line feed and tab is left of any text", async () => {
  await fc.assert(
    fc.property(
      fc.string({
        unit: fc.constantFrom(
          "\u001b",
          "[",
          "]",
          "P",
          "m",
          "1",
          ";",
          "\u0007",
          "\\",
          "\r",
          "\b",
          "\u009b",
          "é",
          "\n",
          "\t",
        ),
      }),
      (text) => {
        expect(stripTerminalCodes(text)).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/);
      },
    ),
  );
});

test("[TOOL-02] a text without control characters stays as it is", async () => {
  const plain = fc.string({ unit: "binary", maxLength: 50 }).map((text) => text.replaceAll(/\p{Cc}/gu, "\n"));
  await fc.assert(fc.property(plain, (text) => expect(stripTerminalCodes(text)).toBe(text)));
});

test("[TOOL-02] a flood of unfinished sequences takes no long", async () => {
  const flood =
    "\u001b]".repeat(20_000) + "\u001bP".repeat(20_000) + `\u001b]${"x".repeat(40_000)}`.repeat(5);
  expect(await costMs(() => stripTerminalCodes(flood), 1_000)).toBeLessThan(1_000);
});
