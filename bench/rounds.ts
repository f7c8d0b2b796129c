import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { treeCpuMs } from "./processes.ts";
import type { Row } from "./report.ts";
import { openBenchSandbox } from "./sandbox.ts";
import type { Asked } from "./server.ts";
import { openServer } from "./server.ts";
import { quantile, sampled } from "./statistics.ts";
import type { BenchSetup, Home, Program } from "./subject.ts";
import { bare, cinchPrompt, finished, makeHome, start } from "./subject.ts";
import { callEvents, saysEvents } from "./wire.ts";

const READ_ROUNDS = 200;
const BASH_ROUNDS = 60;
const LINES_OF_A_READ = 60;

/**
 * Measures the cost of a round beyond the same round of the bare script (PERF-02). Both run commands in the same
 * sandbox, so that what is compared is what cinch does around it.
 */
export async function measureRounds(place: BenchSetup): Promise<readonly Row[]> {
  const runs = place.quick ? 1 : 4;
  return [
    ...(await compare(place, { name: "Read", rounds: READ_ROUNDS, runs, input: readInput })),
    ...(await compare(place, { name: "Bash", rounds: BASH_ROUNDS, runs, input: bashInput })),
  ];
}

interface Kind {
  readonly name: "Read" | "Bash";
  readonly rounds: number;
  readonly runs: number;
  /** Returns the input of the call in one round. */
  readonly input: (round: number, home: Home) => object;
}

/** Another page each time, so that no answer comes from memory. */
function readInput(round: number, home: Home): object {
  return { file_path: join(home.path, "project/source.txt"), offset: round, limit: LINES_OF_A_READ };
}

function bashInput(round: number): object {
  return { command: `echo round ${round}` };
}

async function compare(place: BenchSetup, kind: Kind): Promise<readonly Row[]> {
  const home = makeHome(place);
  writeFileSync(join(home.path, "project/source.txt"), sourceText());
  const more = ["--auto-approve", "--max-turns", String(kind.rounds + 1)];
  await using sandbox = kind.name === "Bash" ? await openBenchSandbox(home) : undefined;
  const [cinch, script]: [RunOfRounds[], RunOfRounds[]] = [[], []];
  for (let run = 0; run < kind.runs; run++) {
    cinch.push(await runRounds(home, kind, () => cinchPrompt(place, more)));
    script.push(await runRounds(home, kind, (baseUrl) => bare(place, baseUrl, sandbox?.path)));
  }
  const row = (what: string, figure: (run: RunOfRounds) => number, aim?: number): Row => ({
    what: `${kind.name} round, ${what}`,
    unit: "ms",
    cinch: sampled(cinch.map(figure)),
    bare: sampled(script.map(figure)),
    comparison: "difference",
    ...(aim === undefined ? {} : { aim }),
  });
  return [
    row("median: answer sent to next request", ({ gapsMs }) => quantile(gapsMs, 0.5), 1),
    row("95th percentile", ({ gapsMs }) => quantile(gapsMs, 0.95), 3),
    row("processor time", ({ cpuMsPerRound }) => cpuMsPerRound, 3),
  ];
}

interface RunOfRounds {
  /** For each round: from the last byte of an answer to the first byte of the next request. */
  readonly gapsMs: readonly number[];
  readonly cpuMsPerRound: number;
}

async function runRounds(
  home: Home,
  { name, rounds, input }: Kind,
  program: (baseUrl: string) => Program,
): Promise<RunOfRounds> {
  const answers = Array.from({ length: rounds }, (_, at) => callEvents(name, input(at + 1, home), at + 1));
  let child: ReturnType<typeof start> | undefined;
  let cpu = { first: Number.NaN, last: Number.NaN };
  using server = openServer({
    answer: (number) => ({ kind: "events", events: answers[number - 1] ?? saysEvents(["Done."], number) }),
    onRequest(number) {
      if (child === undefined) return;
      if (number === 1) cpu = { ...cpu, first: treeCpuMs(child.pid) };
      if (number === rounds + 1) cpu = { ...cpu, last: treeCpuMs(child.pid) };
    },
  });
  home.point(server.baseUrl);
  child = start(program(server.baseUrl), home);
  await finished(child);
  if (server.asked.length !== rounds + 1) {
    throw new Error(`${rounds + 1} requests were expected, and ${server.asked.length} came`);
  }
  return { gapsMs: gapsOf(server.asked), cpuMsPerRound: (cpu.last - cpu.first) / rounds };
}

function gapsOf(asked: readonly Asked[]): readonly number[] {
  return asked.slice(1).map(({ atMs }, at) => atMs - (asked[at]?.answeredAtMs ?? Number.NaN));
}

function sourceText(): string {
  const lines = Array.from(
    { length: READ_ROUNDS + LINES_OF_A_READ },
    (_, at) => `export const value${at} = compute(${at}, "some text of a common length"); // line ${at}`,
  );
  return `${lines.join("\n")}\n`;
}
