import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Row } from "./report.ts";
import type { RunOfRounds, SessionOfRounds } from "./rounds.ts";
import { runRounds } from "./rounds.ts";
import { openServer } from "./server.ts";
import { quantile, sampled } from "./statistics.ts";
import type { BenchSetup, Home } from "./subject.ts";
import { cinchPrompt, engineThatTalks, finished, makeHome, start } from "./subject.ts";
import { saysEvents } from "./wire.ts";

const ROUNDS = 20;
const FILES_OF_A_FOLDER = 50;
/** Growth within the spread of a busy machine. */
const AIM = 1.15;

/**
 * Measures that a round does not cost more in a large repository, with a large store, or late in a session (PERF-02).
 * Each row is the processor time of a round over that of the same round of the small side, by turns in one run.
 */
export async function measureGrowth(place: BenchSetup): Promise<readonly Row[]> {
  const files = place.quick ? 5_000 : 50_000;
  const sessions = place.quick ? 200 : 1_000;
  return [
    ...(await beside(place, `${files.toLocaleString("en")} files, not one`, (home) => addFiles(home, files))),
    ...(await beside(place, `${sessions.toLocaleString("en")} stored sessions, not none`, (home) =>
      addSessions(place, home, sessions),
    )),
    await lateRounds(place),
  ];
}

/** Compares two homes, one of which `enlarge` makes large. */
async function beside(
  place: BenchSetup,
  what: string,
  enlarge: (home: Home) => void | Promise<void>,
): Promise<readonly Row[]> {
  const [small, large] = [makeHome(place), makeHome(place)];
  await enlarge(large);
  const rows: Row[] = [];
  for (const tool of ["Read", "Bash"] as const) {
    const session: SessionOfRounds = { tool, rounds: ROUNDS };
    const pair: Pair = { large: [], small: [] };
    for (let run = 0; run < (place.quick ? 2 : 7); run++) {
      pair.large.push(await cinchRounds(place, large, session));
      pair.small.push(await cinchRounds(place, small, session));
    }
    rows.push(row(`${tool}, rounds 2–${ROUNDS}: processor time with ${what}`, pair));
  }
  return rows;
}

interface Pair {
  readonly large: RunOfRounds[];
  readonly small: RunOfRounds[];
}

/** Rounds at the end of two sessions whose requests are equally long and whose code is warm, one twice as long. */
async function lateRounds(place: BenchSetup): Promise<Row> {
  const home = makeHome(place);
  const [few, many] = [500, 1_000];
  const pair: Pair = { large: [], small: [] };
  for (let run = 0; run < (place.quick ? 1 : 5); run++) {
    const ending = (rounds: number, lines: number): SessionOfRounds => ({
      ...{ tool: "Read", rounds, lines },
      warmFrom: rounds - ROUNDS,
    });
    pair.large.push(await cinchRounds(place, home, ending(many, 3)));
    pair.small.push(await cinchRounds(place, home, ending(few, 6)));
  }
  return row(`Read, last ${ROUNDS} rounds of ${many}, not of ${few}, at the same size: processor time`, pair);
}

function row(what: string, { large, small }: Pair): Row {
  const median = (runs: readonly RunOfRounds[]) =>
    quantile(
      runs.map(({ cpuMsPerRound }) => cpuMsPerRound),
      0.5,
    );
  return { what, unit: "×", cinch: sampled([median(large) / median(small)]), comparison: "alone", aim: AIM };
}

function cinchRounds(place: BenchSetup, home: Home, session: SessionOfRounds): Promise<RunOfRounds> {
  const more = ["--auto-approve", "--max-turns", String(session.rounds + 1)];
  return runRounds(home, session, () => cinchPrompt(place, more));
}

function addFiles({ path }: Home, files: number): void {
  for (let folder = 0; folder * FILES_OF_A_FOLDER < files; folder += 1) {
    const place = join(path, "project", `package-${folder % 20}`, `module-${folder}`);
    mkdirSync(place, { recursive: true });
    for (let file = 0; file < FILES_OF_A_FOLDER; file += 1)
      writeFileSync(join(place, `file-${file}.ts`), `export const value${file} = ${folder};\n`);
  }
}

async function addSessions(place: BenchSetup, home: Home, sessions: number): Promise<void> {
  using server = openServer({
    answer: (number) => ({ kind: "events", events: saysEvents(["Done."], number) }),
  });
  home.point(server.baseUrl);
  await finished(start(engineThatTalks(place, [0, sessions, 2, 0]), home));
}
