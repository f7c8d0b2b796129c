import { expect, test } from "bun:test";
import { fakeServices, linesOf } from "../../../../test/support/terminal-parts.ts";
import { callItem } from "../../../../test/support/transcript-window.ts";
import { InlineTranscript } from "./inline-transcript.ts";

const SIZE = { columns: 80, rows: 20 };
const OUTPUT = Array.from({ length: 30 }, (_, at) => `line ${at}`).join("\n");

/** Returns what goes into the scrollback, after an action. */
function written(action?: "transcript.unfoldAll"): string {
  const services = fakeServices();
  const items = [callItem(1, OUTPUT)];
  Object.assign(services.session, {
    transcript: { reached: 1, segments: [{ first: 1, last: 1, items, weight: 0 }] },
  });
  const whole = { contexts: [], draw: () => ({ rows: [] }), act: () => false };
  const inline = new InlineTranscript(services, whole, () => []);
  if (action !== undefined) inline.act(action);
  return linesOf(inline.finished(SIZE, true));
}

test("[TUI-01 complaint 28] inline, blocks are written folded, and unfolded after the key for all blocks", () => {
  expect(written()).toContain("… 25 lines before");
  expect(written()).not.toContain("line 3\n");
  expect(written("transcript.unfoldAll")).toContain("line 3\n");
});
