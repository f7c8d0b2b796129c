import { shortened } from "../../../base/text/text.ts";
import type { Region } from "./replace.ts";
import { lineAt } from "./replace.ts";

const CONTEXT_LINES = 2;
const SHOWN_LINES_MAX = 40;
const SHOWN_LINE_CHARACTERS_MAX = 200;

/** Shows the changed lines of a text with a few around them, numbered as Read does; "…" marks a gap. */
export function renderExcerpt(text: string, regions: readonly Region[]): string {
  const lines = text.split("\n");
  if (lines.at(-1) === "") lines.pop();
  const wanted = new Set<number>();
  for (const { start, end } of regions) {
    const first = lineAt(text, start) - CONTEXT_LINES;
    const last = lineAt(text, Math.max(start, end - 1)) + CONTEXT_LINES;
    for (let n = Math.max(1, first); n <= Math.min(lines.length, last) && wanted.size <= SHOWN_LINES_MAX; n++)
      wanted.add(n);
  }
  const numbers = [...wanted].sort((a, b) => a - b);
  const shown: string[] = [];
  for (const [i, number] of numbers.slice(0, SHOWN_LINES_MAX).entries()) {
    if (i > 0 && numbers[i - 1] !== number - 1) shown.push("…");
    shown.push(
      `${number}\t${shortened((lines[number - 1] ?? "").replace(/\r$/, ""), SHOWN_LINE_CHARACTERS_MAX)}`,
    );
  }
  if (numbers.length > SHOWN_LINES_MAX) shown.push("…");
  return shown.join("\n");
}
