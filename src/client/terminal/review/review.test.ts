import { expect, test } from "bun:test";
import { linesOf } from "../../../../test/support/terminal-parts.ts";
import { drawReview } from "./draw-review.ts";
import { parseReview } from "./parse-review.ts";

const HEAD = "SKILL.md: a skill that has changed.\nThe model reads it.\n\n";

test("[TOFU-01 TUI-05 bar Diff] a changed file has the numbers of its lines, unless some are folded", () => {
  const changed = parseReview(`${HEAD}@@ -7 +7 @@\n same\n-old\n+new\n same`);
  expect(linesOf(drawReview(changed, { columns: 40, at: 0, layout: "auto" }))).toEndWith(
    "changed\n@@ 7 → 7\n 7  7   same\n 8    - old\n    8 + new\n 9  9   same",
  );
  const folded = parseReview(`${HEAD}@@ -7 +7 @@\n-old\n+new\n[4 empty lines]\n same`);
  expect(linesOf(drawReview(folded, { columns: 40, at: 0, layout: "auto" }))).toEndWith(
    "changed\n@@ 7 → 7\n- old\n+ new\n  [4 empty lines]\n  same",
  );
});

test("[TOFU-01 TUI-05] a new file is drawn in one column on a wide screen too, behind the remarks about it", () => {
  const { files } = parseReview(
    `${HEAD}== run.sh\n[it is executable now]\n+echo hi\n== b.bin\n[binary, 9 bytes]`,
  );
  const rows = (at: number) => linesOf(drawReview({ head: [], files }, { columns: 160, at, layout: "side" }));
  expect(rows(0)).toBe("run.sh, new (file 1 of 2)\n[it is executable now]\n  1 + echo hi");
  expect(rows(1)).toBe("b.bin, new (file 2 of 2)\n[binary, 9 bytes]");
});

test("[TOFU-01 PERM-06] no character of a long line is left out", () => {
  const long = `+${"word ".repeat(600)}end`;
  const review = parseReview(`${HEAD}+first\n${long}`);
  for (const layout of ["unified", "side"] as const) {
    const drawn = linesOf(drawReview(review, { columns: 80, at: 0, layout }));
    expect(drawn.replaceAll("\n", "")).toContain(long);
    expect(drawn).toContain("+first\n");
  }
});

test("[MCP-04 TOFU-01] a program in place of another one is a change without a place", () => {
  const { files } = parseReview(`${HEAD}== /bin/x: another program\n-sha256 a\n+sha256 b\nCompare them.`);
  expect(linesOf(drawReview({ head: [], files }, { columns: 60, at: 0, layout: "unified" }))).toBe(
    "/bin/x: another program, changed\n- sha256 a\n+ sha256 b\n  Compare them.",
  );
});
