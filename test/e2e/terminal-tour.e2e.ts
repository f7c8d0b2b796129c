import { expect, test as plainTest } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { comparableText, picturePath, recordTour } from "../../scripts/record-tour.ts";
import { SCENES, tourPage } from "../../scripts/tour-page.ts";
import { requireProgram } from "../support/requires.ts";
import { filesUnder, ROOT, readSource } from "../support/source.ts";

const test = requireProgram("tmux");
const TIMEOUT_MS = 300_000;
const RENEW = "sh scripts/bun.sh scripts/record-tour.ts";

plainTest(
  "[DOC-01] docs/tour.md is made of the scenes and the table of keys, and docs/tour has their pictures",
  () => {
    expect(readSource("docs/tour.md")).toBe(tourPage());
    expect([...filesUnder("docs/tour", "**/*")].sort()).toEqual(
      SCENES.map(({ name }) => picturePath(name)).sort(),
    );
  },
);

test(
  "[DOC-01 TUI-01 TUI-02 TUI-04 TUI-05 TUI-06 TUI-08 TUI-11] each picture of docs/tour has the text that the client shows today",
  async () => {
    const stale: string[] = [];
    for (const [name, svg] of await recordTour()) {
      const path = picturePath(name);
      const committed = existsSync(join(ROOT, path)) ? comparableText(readSource(path)) : "";
      const difference = firstDifference(committed, comparableText(svg));
      if (difference !== undefined) stale.push(`${path}, ${difference}`);
    }
    if (stale.length > 0)
      throw new Error(
        `The client shows something else than ${stale.length} pictures of docs/tour.md. If that is meant, record them again, look at them, and commit them:\n\n    ${RENEW}\n\n${stale.join("\n\n")}`,
      );
  },
  TIMEOUT_MS,
);

/** Returns the first line that differs, as both have it; undefined if there is none. */
function firstDifference(committed: string, shown: string): string | undefined {
  const [before, after] = [committed.split("\n"), shown.split("\n")];
  const at = Array.from({ length: Math.max(before.length, after.length) }).findIndex(
    (_, row) => before[row] !== after[row],
  );
  return at < 0 ? undefined : `row ${at + 1}:\n- ${before[at] ?? "(no row)"}\n+ ${after[at] ?? "(no row)"}`;
}
