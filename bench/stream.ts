import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { treeCpuMs } from "./processes.ts";
import type { Row } from "./report.ts";
import type { Answer } from "./server.ts";
import { openServer } from "./server.ts";
import { sampled } from "./statistics.ts";
import type { BenchSetup, Home, Keys, Program } from "./subject.ts";
import { bare, cinchPrompt, finished, makeHome, start } from "./subject.ts";
import { callEvents, saysEvents } from "./wire.ts";

const DELTAS_PER_SECOND = 200;
const PACED_SECONDS = 5;
const FLOOD_DELTAS = 20_000;

/** Measures the cost of streamed deltas (PERF-02). */
export async function measureStream(place: BenchSetup): Promise<readonly Row[]> {
  const rows: Row[] = [];
  for (const keys of ["none", "used"] as const) rows.push(...(await measureWith(place, keys)));
  return rows;
}

async function measureWith(place: BenchSetup, keys: Keys): Promise<readonly Row[]> {
  const paced = await compare(place, keys, place.quick ? 1 : 5, {
    kind: "paced",
    events: answerEvents(DELTAS_PER_SECOND * PACED_SECONDS),
    everyMs: 1_000 / DELTAS_PER_SECOND,
  });
  const flooded = await compare(place, keys, place.quick ? 2 : 9, {
    kind: "events",
    events: answerEvents(FLOOD_DELTAS),
  });
  const key = keys === "used" ? ", a key is used" : "";
  const stream = `${(DELTAS_PER_SECOND * PACED_SECONDS).toLocaleString("en")} deltas at ${DELTAS_PER_SECOND} a second${key}`;
  const flood = `${FLOOD_DELTAS.toLocaleString("en")} deltas at once${key}`;
  return [
    row(`${stream}: processor time`, paced, ({ streamCpuMs }) => streamCpuMs, 2),
    row(`${stream}: processor time of the whole run`, paced, ({ runCpuMs }) => runCpuMs),
    row(`${flood}: processor time`, flooded, ({ streamCpuMs }) => streamCpuMs, 2.5),
    row(`${flood}: time`, flooded, ({ streamMs }) => streamMs, 2.5),
  ];
}

/** A text, and then a call: the request that follows it shows when the answer was read. */
function answerEvents(deltas: number): readonly string[] {
  const text = Array.from({ length: deltas }, (_, at) => (at % 12 === 11 ? "words.\n" : "some words "));
  return callEvents("Read", { file_path: "note.txt" }, 1, text);
}

interface Streamed {
  /** From the first request to the second. */
  readonly streamMs: number;
  readonly streamCpuMs: number;
  readonly runCpuMs: number;
}

interface Pair {
  readonly cinch: readonly Streamed[];
  readonly script: readonly Streamed[];
}

async function compare(place: BenchSetup, keys: Keys, runs: number, answer: Answer): Promise<Pair> {
  const home = makeHome(place, { keys });
  writeFileSync(join(home.path, "project/note.txt"), "A note.\n");
  const [cinch, script]: [Streamed[], Streamed[]] = [[], []];
  for (let run = 0; run < runs; run++) {
    cinch.push(await runStream(home, answer, () => cinchPrompt(place)));
    script.push(await runStream(home, answer, (baseUrl) => bare(place, baseUrl)));
  }
  return { cinch, script };
}

function row(what: string, { cinch, script }: Pair, figure: (run: Streamed) => number, aim?: number): Row {
  return {
    what,
    unit: "ms",
    cinch: sampled(cinch.map(figure)),
    bare: sampled(script.map(figure)),
    comparison: "ratio",
    ...(aim === undefined ? {} : { aim }),
  };
}

async function runStream(
  home: Home,
  answer: Answer,
  program: (baseUrl: string) => Program,
): Promise<Streamed> {
  const cpu: number[] = [];
  let child: ReturnType<typeof start> | undefined;
  using server = openServer({
    answer: (number) => (number === 1 ? answer : { kind: "events", events: saysEvents(["Done."], number) }),
    onRequest() {
      if (child !== undefined) cpu.push(treeCpuMs(child.pid));
    },
  });
  home.point(server.baseUrl);
  child = start(program(server.baseUrl), home);
  await finished(child);
  const [first, second] = server.asked;
  const [cpuFirst = Number.NaN, cpuSecond = Number.NaN] = cpu;
  const { user = 0n, system = 0n } = child.resourceUsage()?.cpuTime ?? {};
  return {
    streamMs: (second?.atMs ?? Number.NaN) - (first?.atMs ?? Number.NaN),
    streamCpuMs: cpuSecond - cpuFirst,
    runCpuMs: Number(BigInt(user) + BigInt(system)) / 1e3,
  };
}
