import { expect, test } from "bun:test";
import * as fc from "fast-check";
import { transcriptLog } from "../../../../test/support/arbitrary-events.ts";
import { holds } from "../../../../test/support/property.ts";
import type { Transcript } from "../../../view/transcript/transcript.ts";
import { NEW_TRANSCRIPT, transcriptAfter } from "../../../view/transcript/transcript.ts";
import { partsOf } from "../transcript/draw-item.ts";
import type { TakenPart } from "./finished-parts.ts";
import { FinishedParts } from "./finished-parts.ts";

/** Returns the names of all parts of a transcript, in order. */
function namesOf({ segments }: Transcript): readonly string[] {
  return segments
    .flatMap(({ items = [] }) => items)
    .flatMap((item) => Array.from({ length: partsOf(item) }, (_, part) => `${item.event}.${part}`));
}

function nameOf({ item, part }: TakenPart): string {
  return `${item.event}.${part}`;
}

/** True if a call is handed out while it still runs. */
function runs({ item }: TakenPart): boolean {
  return item.kind === "call" && (item.state === "running" || item.state === "asked");
}

test("[TUI-01 complaint 28] each part is handed out once, in order, whenever one asks; a call that outlives its turn twice", async () => {
  const property = fc.property(transcriptLog, fc.array(fc.boolean()), (events, asks) => {
    const parts = new FinishedParts();
    const taken: TakenPart[] = [];
    let transcript = NEW_TRANSCRIPT;
    for (const [at, event] of events.entries()) {
      transcript = transcriptAfter(transcript, event);
      if (asks[at % (asks.length + 1)] === true) taken.push(...parts.take(transcript, false));
    }
    taken.push(...parts.take(transcript, true));
    const running = taken.filter(runs).map(nameOf);
    const first = taken.filter((each, at) => taken.findIndex((one) => nameOf(one) === nameOf(each)) === at);
    expect(first.map(nameOf)).toEqual(namesOf(transcript) as string[]);
    const again = taken.filter((each) => !first.includes(each));
    expect(again.filter((each) => runs(each) || !running.includes(nameOf(each)))).toEqual([]);
    expect(parts.take(transcript, true).map(nameOf)).toEqual([]);
  });
  await holds(property, 300);
});
