import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { treePssBytes } from "./processes.ts";
import type { Row } from "./report.ts";
import type { Answer } from "./server.ts";
import { openServer } from "./server.ts";
import { sampled } from "./statistics.ts";
import type { BenchSetup, Home, Keys, Program } from "./subject.ts";
import { bare, cinchPrompt, engineWithSessions, makeHome, start } from "./subject.ts";
import { callEvents } from "./wire.ts";

const MIB = 1024 * 1024;
const ROUNDS = 20;
const SESSIONS = 100;
/** Both programs have nothing to do by then. */
const SETTLE_MS = 300;

/** Memory of one run, of an idle engine, and of each further session (PERF-03). */
export async function measureMemory(place: BenchSetup): Promise<readonly Row[]> {
  return [
    ...(await measureRun(place, "none")),
    ...(await measureRun(place, "present")),
    ...(await measureRun(place, "used")),
    ...(await measureSessions(place)),
  ];
}

async function measureRun(place: BenchSetup, keys: Keys): Promise<readonly Row[]> {
  const home = makeHome(place, { keys });
  writeFileSync(join(home.path, "project/note.txt"), "A line of a note.\n".repeat(500));
  const early: Pair = { cinch: [], script: [] };
  const late: Pair = { cinch: [], script: [] };
  for (let run = 0; run < (place.quick ? 1 : 5); run++) {
    for (const [rounds, pair] of [
      [0, early],
      [ROUNDS, late],
    ] as const) {
      pair.cinch.push(await stalledMiB(home, rounds, () => cinchPrompt(place)));
      pair.script.push(await stalledMiB(home, rounds, (baseUrl) => bare(place, baseUrl)));
    }
  }
  const key = { none: "", present: ", another provider has a key", used: ", a key is used" }[keys];
  return [
    row(`memory of the process tree (PSS) after ${ROUNDS} rounds${key}`, late, 2),
    row(`memory of the process tree (PSS) at the first request${key}`, early),
  ];
}

interface Pair {
  readonly cinch: number[];
  readonly script: number[];
}

function row(what: string, { cinch, script }: Pair, aim?: number): Row {
  return {
    what,
    unit: "MiB",
    cinch: sampled(cinch),
    bare: sampled(script),
    comparison: "ratio",
    ...(aim === undefined ? {} : { aim }),
  };
}

/** Returns the resident memory after some rounds, while the server does not answer. */
async function stalledMiB(
  home: Home,
  rounds: number,
  program: (baseUrl: string) => Program,
): Promise<number> {
  const answer = (number: number): Answer =>
    number > rounds
      ? { kind: "stall" }
      : {
          kind: "events",
          events: callEvents("Read", { file_path: "note.txt", offset: number, limit: 200 }, number),
        };
  using server = openServer({ answer });
  home.point(server.baseUrl);
  const child = start(program(server.baseUrl), home);
  await Promise.race([server.request(rounds + 1), diedEarly(child)]);
  await Bun.sleep(SETTLE_MS);
  const bytes = treePssBytes(child.pid);
  child.kill("SIGKILL");
  await child.exited;
  return bytes / MIB;
}

async function measureSessions(place: BenchSetup): Promise<readonly Row[]> {
  const home = makeHome(place);
  home.point("http://127.0.0.1:9/v1");
  const child = start(engineWithSessions(place, SESSIONS), home);
  const [text, stderr, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  if (code !== 0) throw new Error(`the engine with many sessions failed: ${stderr}`);
  const { idleBytes, bytesPerSession }: { idleBytes: number; bytesPerSession: number } = JSON.parse(text);
  return [
    {
      what: "memory of an idle engine with one session, from source",
      unit: "MiB",
      cinch: sampled([idleBytes / MIB]),
      comparison: "alone",
    },
    {
      what: "memory of each further session",
      unit: "KiB",
      cinch: sampled([bytesPerSession / 1024]),
      comparison: "alone",
    },
  ];
}

async function diedEarly(child: ReturnType<typeof start>): Promise<never> {
  const stderr = await new Response(child.stderr).text();
  throw new Error(`a measured program ended before its time: ${stderr}`);
}
