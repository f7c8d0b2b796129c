import { expect, test } from "bun:test";
import * as fc from "fast-check";
import { holds } from "../../../../test/support/property.ts";
import { readInputLines } from "./lines.ts";

async function* pieces(text: string, cuts: readonly number[]): AsyncGenerator<Uint8Array> {
  const bytes = new TextEncoder().encode(text);
  let from = 0;
  for (const cut of [...cuts, bytes.length]
    .map((each) => Math.min(each, bytes.length))
    .sort((a, b) => a - b)) {
    yield bytes.slice(from, cut);
    from = Math.max(from, cut);
  }
}

async function read(text: string, cuts: readonly number[], max: number): Promise<readonly string[]> {
  const lines: string[] = [];
  for await (const line of readInputLines(pieces(text, cuts), max))
    lines.push(line.kind === "line" ? new TextDecoder().decode(line.bytes) : "(too long)");
  return lines;
}

test("[CTL-08] lines are the same wherever the input was split, and one that is too long is reported and skipped", async () => {
  await holds(
    fc.asyncProperty(
      fc.array(fc.string({ unit: fc.constantFrom("a", "ä", "\r", "{"), maxLength: 12 }), { maxLength: 8 }),
      fc.array(fc.nat({ max: 120 }), { maxLength: 10 }),
      fc.boolean(),
      async (texts, cuts, isEnded) => {
        const text = texts.join("\n") + (isEnded ? "\n" : "");
        const whole = text.split("\n").slice(0, -1);
        const expected = whole.map((line) =>
          new TextEncoder().encode(line).length > 10 ? "(too long)" : line,
        );
        expect(await read(text, cuts, 10)).toEqual(expected);
      },
    ),
  );
});
