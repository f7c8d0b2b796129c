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

test("[TUI-01 TUI-10] inline, what was unfinished of a session is written before another one is shown", () => {
  const services = fakeServices();
  const show = (session: string, output: string) => {
    const items = [{ ...callItem(1, output), state: "running" }];
    const transcript = { reached: 1, segments: [{ first: 1, last: 1, items, weight: 0 }] };
    Object.assign(services.session, { transcript, open: { ...services.session.open, session } });
  };
  const whole = { contexts: [], draw: () => ({ rows: [] }), act: () => false };
  const inline = new InlineTranscript(services, whole, () => []);
  inline.begin();
  show("ses_1", "half an answer");
  expect(linesOf(inline.finished(SIZE, false))).toBe("");
  show("ses_2", "of another");
  inline.begin();
  const written = linesOf(inline.finished(SIZE, false));
  expect(written).toMatch(/half an answer[\s\S]*session ses_2/);
  expect(written).not.toContain("of another");
  expect(linesOf(inline.finished(SIZE, true)).match(/half an answer/)).toBeNull();
});

test("[TUI-01 TUI-10] inline, a session says that it is being read until its stored events are there, and not longer", () => {
  const services = fakeServices();
  const whole = { contexts: [], draw: () => ({ rows: [] }), act: () => false };
  const inline = new InlineTranscript(services, whole, () => []);
  const drawnWith = (past: number) => {
    Object.assign(services.session, { open: { ...services.session.open, past } });
    return linesOf(inline.draw(SIZE).rows);
  };
  expect(drawnWith(3)).toBe("reading the session …");
  expect(drawnWith(0)).toBe(""); // nothing is finished that would have it drawn again
});
