import { expect, test } from "bun:test";
import fc from "fast-check";
import { holds } from "../../../test/support/property.ts";
import { testWorld } from "../../../test/support/world.ts";
import type { EventSeq } from "../../base/ids.ts";
import type { Envelope } from "../../protocol/events/envelope.ts";
import { LogPages, PAGE_CHARS_MAX } from "./log-pages.ts";

/** A log whose events have texts of these lengths. */
function logOf(lengths: readonly number[]) {
  const session = testWorld().ids.next("sess");
  const ts = "2025-06-15T15:06:40.000Z";
  const events = lengths.map(
    (length, at): Envelope => ({
      id: at + 1,
      kind: "TextDelta",
      session,
      ts,
      payload: { text: "x".repeat(length) },
    }),
  );
  return async (since: EventSeq, limit: number) => events.slice(since, since + limit);
}

const textOf = (event: Envelope) => (event.kind === "TextDelta" ? event.payload.text.length : 0);

/** The lengths that each page had, up to the last. */
async function pagesOf(lengths: readonly number[]): Promise<readonly (readonly number[])[]> {
  const pages = new LogPages(logOf(lengths));
  const seen: number[][] = [];
  for (let [cursor, isLast] = [0, false]; !isLast; ) {
    const page = await pages.after(cursor);
    ({ isLast } = page);
    cursor = page.events.at(-1)?.id ?? cursor;
    seen.push(page.events.map(textOf));
  }
  return seen;
}

test("[ENG-08 R35] whatever a log holds, its reader gets all of it in order, and never has more at once than a page", async () => {
  const lengths = fc.array(fc.oneof(fc.nat(100), fc.nat(60_000), fc.constant(2 * PAGE_CHARS_MAX)), {
    maxLength: 120,
  });
  await holds(
    fc.asyncProperty(lengths, async (wanted) => {
      const pages = await pagesOf(wanted);
      expect(pages.flat()).toEqual(wanted);
      for (const page of pages) {
        const chars = page.reduce((sum, length) => sum + length, 0);
        expect(page.length === 1 || chars <= PAGE_CHARS_MAX).toBe(true);
      }
    }),
  );
});

test("[ENG-08] of short events a page has many, so that a long log takes few reads", async () => {
  const pages = await pagesOf(new Array<number>(5_000).fill(20));
  expect(pages.length).toBeLessThan(30);
});
