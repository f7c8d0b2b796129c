import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { treeCpuMs } from "./processes.ts";
import type { Row } from "./report.ts";
import type { BenchSandbox } from "./sandbox.ts";
import { openBenchSandbox } from "./sandbox.ts";
import type { Asked } from "./server.ts";
import { openServer } from "./server.ts";
import { slowSync } from "./slow-sync.ts";
import { quantile, sampled } from "./statistics.ts";
import type { BenchSetup, Home, Keys, Program } from "./subject.ts";
import { bare, cinchPrompt, finished, makeHome, start } from "./subject.ts";
import { callEvents, saysEvents } from "./wire.ts";

/** File of which each Read is a page. */
const SOURCE = "project/source.txt";
const LINES_OF_A_READ = 60;
const ROUNDS_MAX = 500;
/** Rounds of a session of common length, whose code is still cold. */
const COLD_ROUNDS = 20;
/** A disk that is asked to sync takes this time. The disk of a virtual machine often needs none. */
const SYNC_MS = 4;

/** Measures the cost of a round beyond the same round of the bare script (PERF-02). */
export async function measureRounds(place: BenchSetup): Promise<readonly Row[]> {
  const sync = await slowSync(place, SYNC_MS);
  const slowDisk = `the disk syncs in ${SYNC_MS} ms`;
  const bash = { tool: "Bash", first: 25, aims: { medianMs: 3 } } as const;
  const sessions: readonly SessionOfRounds[] = [
    { tool: "Read", rounds: 5 },
    { tool: "Read", rounds: COLD_ROUNDS, aims: { medianMs: 2.5, cpuMs: 4 } },
    { tool: "Read", rounds: COLD_ROUNDS, what: "a key is used", keys: "used" },
    { tool: "Read", rounds: 50 },
    { tool: "Read", rounds: ROUNDS_MAX, warmFrom: 301, aims: { medianMs: 0.7 } },
    { ...bash, rounds: COLD_ROUNDS, what: "sandbox" },
    { tool: "Bash", rounds: COLD_ROUNDS, what: "no sandbox", isConfined: false },
    { tool: "Bash", rounds: 150, warmFrom: 101, what: "sandbox", aims: { medianMs: 1.5 } },
    ...(sync === undefined
      ? []
      : [
          { tool: "Read", rounds: COLD_ROUNDS, what: slowDisk, env: sync } as const,
          {
            ...bash,
            rounds: COLD_ROUNDS,
            what: `sandbox, ${slowDisk}`,
            env: sync,
            aims: { medianMs: 4 },
          } as const,
        ]),
  ];
  const rows: Row[] = [];
  for (const session of sessions) rows.push(...(await compare(place, session)));
  return rows;
}

/** A session of which rounds are measured. */
export interface SessionOfRounds {
  readonly tool: "Read" | "Bash";
  readonly rounds: number;
  /** Lines of each Read. Default: `LINES_OF_A_READ`. */
  readonly lines?: number;
  /** First round that counts as warm. Absent: the rounds from the second on count, as cold ones. */
  readonly warmFrom?: number;
  /** The circumstances, if there are any. */
  readonly what?: string;
  readonly keys?: Keys;
  readonly isConfined?: boolean;
  readonly env?: Readonly<Record<string, string>>;
  /** Aim of the first round, in milliseconds. */
  readonly first?: number;
  readonly aims?: { readonly medianMs?: number; readonly cpuMs?: number };
}

async function compare(place: BenchSetup, session: SessionOfRounds): Promise<readonly Row[]> {
  const { tool, rounds, warmFrom, what, keys = "none", isConfined = true, env = {}, aims = {} } = session;
  const config = isConfined ? "" : '[sandbox]\nbackend = "none"\n';
  const home = makeHome(place, { keys, env, config });
  const more = ["--auto-approve", "--max-turns", String(rounds + 1)];
  await using sandbox: BenchSandbox | undefined =
    tool === "Bash" && isConfined ? await openBenchSandbox(home) : undefined;
  const [cinch, script]: [RunOfRounds[], RunOfRounds[]] = [[], []];
  const runs = runsOf(place, session);
  for (let run = 0; run < runs; run++) {
    cinch.push(await runRounds(home, session, () => cinchPrompt(place, more)));
    script.push(await runRounds(home, session, (baseUrl) => bare(place, baseUrl, sandbox?.path)));
  }
  const which = warmFrom === undefined ? `rounds 2–${rounds}` : `rounds ${warmFrom}–${rounds}, warm`;
  const title = [tool, which, ...(what === undefined ? [] : [what])].join(", ");
  const row = (part: string, figure: (run: RunOfRounds) => number, aim?: number): Row => ({
    what: `${title}: ${part}`,
    unit: "ms",
    cinch: sampled(cinch.map(figure)),
    bare: sampled(script.map(figure)),
    comparison: "difference",
    ...(aim === undefined ? {} : { aim }),
  });
  return [
    ...(session.first === undefined ? [] : [row("the first round", ({ firstMs }) => firstMs, session.first)]),
    row("median", ({ gapsMs }) => quantile(gapsMs, 0.5), aims.medianMs),
    row("95th percentile", ({ gapsMs }) => quantile(gapsMs, 0.95)),
    row("processor time", ({ cpuMsPerRound }) => cpuMsPerRound, aims.cpuMs),
  ];
}

/** At least 15 runs of a session of common length; fewer of a long one. */
function runsOf({ quick }: BenchSetup, { rounds }: SessionOfRounds): number {
  if (rounds > 100) return quick ? 1 : 5;
  return quick ? 3 : 15;
}

/** Figures of one session. */
export interface RunOfRounds {
  /** For each round: from the last byte of an answer to the first byte of the next request. */
  readonly gapsMs: readonly number[];
  readonly firstMs: number;
  readonly cpuMsPerRound: number;
}

/** Runs a session of a program in a home, and measures its rounds. */
export async function runRounds(
  home: Home,
  { tool, rounds, lines = LINES_OF_A_READ, warmFrom = 2 }: SessionOfRounds,
  program: (baseUrl: string) => Program,
): Promise<RunOfRounds> {
  const answers = Array.from({ length: rounds }, (_, at) =>
    callEvents(tool, inputOf({ tool, round: at, lines }, home), at + 1),
  );
  let child: ReturnType<typeof start> | undefined;
  let cpu = { first: Number.NaN, last: Number.NaN };
  using server = openServer({
    answer: (number) => ({ kind: "events", events: answers[number - 1] ?? saysEvents(["Done."], number) }),
    onRequest(number) {
      if (child === undefined) return;
      if (number === warmFrom) cpu = { ...cpu, first: treeCpuMs(child.pid) };
      if (number === rounds + 1) cpu = { ...cpu, last: treeCpuMs(child.pid) };
    },
  });
  home.point(server.baseUrl);
  writeFileSync(join(home.path, SOURCE), sourceText());
  child = start(program(server.baseUrl), home);
  await finished(child);
  if (server.asked.length !== rounds + 1) {
    throw new Error(`${rounds + 1} requests were expected, and ${server.asked.length} came`);
  }
  const gapsMs = gapsOf(server.asked);
  return {
    firstMs: gapsMs[0] ?? Number.NaN,
    gapsMs: gapsMs.slice(warmFrom - 1),
    cpuMsPerRound: (cpu.last - cpu.first) / (rounds + 1 - warmFrom),
  };
}

/** Another page or command each time, so that no answer comes from memory. */
function inputOf(
  { tool, round, lines }: { readonly tool: "Read" | "Bash"; readonly round: number; readonly lines: number },
  home: Home,
): object {
  if (tool === "Bash") return { command: `echo round ${round}` };
  return { file_path: join(home.path, SOURCE), offset: round + 1, limit: lines };
}

function gapsOf(asked: readonly Asked[]): readonly number[] {
  return asked.slice(1).map(({ atMs }, at) => atMs - (asked[at]?.answeredAtMs ?? Number.NaN));
}

function sourceText(): string {
  const lines = Array.from(
    { length: ROUNDS_MAX + LINES_OF_A_READ },
    (_, at) => `export const value${at} = compute(${at}, "some text of a common length"); // line ${at}`,
  );
  return `${lines.join("\n")}\n`;
}
