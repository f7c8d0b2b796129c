import type { Row } from "./report.ts";
import { openServer } from "./server.ts";
import { sampled } from "./statistics.ts";
import type { BenchSetup } from "./subject.ts";
import { engineThatTalks, makeHome, start } from "./subject.ts";
import { saysEvents } from "./wire.ts";

const MIB = 1024 * 1024;
const FEW = 100;

interface Measured {
  readonly shortBytes: number;
  readonly longBytes: number;
  readonly fewBytes: number;
  readonly manyBytes: number;
  readonly turnMs: number;
}

/**
 * Memory of sessions that have talked: of each idle one among many in one engine, and how it grows with the turns of
 * one (PERF-04, REL-04). From source, beside a server on loopback.
 */
export async function measureTalk(place: BenchSetup): Promise<readonly Row[]> {
  const many = place.quick ? 300 : 1_000;
  const turns = place.long ? 50 : 5;
  const long = place.quick ? 3_000 : 10_000;
  const home = makeHome(place);
  const words = ["It is ", "about ", "a note that somebody ", "has written ", "down."];
  using server = openServer({ answer: (number) => ({ kind: "events", events: saysEvents(words, number) }) });
  home.point(server.baseUrl);
  const child = start(engineThatTalks(place, [FEW, many, turns, long]), home);
  const [text, stderr, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  if (code !== 0) throw new Error(`the engine that talks failed: ${stderr}`);
  const { shortBytes, longBytes, fewBytes, manyBytes, turnMs }: Measured = JSON.parse(text);
  const perSession = (manyBytes - fewBytes) / (many - FEW);
  return [
    {
      what: `memory of each idle session of ${turns} turns, from ${FEW} to ${many.toLocaleString("en")} in one engine`,
      unit: "KiB",
      cinch: sampled([perSession / 1024]),
      comparison: "alone",
      aim: 200,
    },
    {
      what: `growth of one session per 1,000 turns, up to ${long.toLocaleString("en")}`,
      unit: "MiB",
      cinch: sampled([(longBytes - shortBytes) / MIB / ((long - 1_000) / 1_000)]),
      comparison: "alone",
      aim: 1,
    },
    {
      what: "time of a turn while twenty sessions talk at once, with its answer from loopback",
      unit: "ms",
      cinch: sampled([turnMs]),
      comparison: "alone",
    },
  ];
}
