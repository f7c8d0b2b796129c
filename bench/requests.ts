import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Row } from "./report.ts";
import { openServer } from "./server.ts";
import { sampled } from "./statistics.ts";
import type { BenchSetup } from "./subject.ts";
import { cinchPrompt, finished, makeHome, start } from "./subject.ts";
import { callEvents, saysEvents } from "./wire.ts";

const ROUNDS = 5;
const BYTES_PER_TOKEN = 4;
const STRACE = "/usr/bin/strace";

/** Measures the size of a run's prompt, its connections and its processes. */
export async function measureRequests(place: BenchSetup): Promise<readonly Row[]> {
  const reading = await runOf(place, "Read", (round) => ({ file_path: "note.txt", offset: 1, limit: round }));
  const rows = [
    alone(
      "tokens (bytes/4) of system prompt and tool schemas in the first request",
      "",
      overhead(reading.firstBody),
      1_300,
    ),
    alone(`connections to the provider in ${ROUNDS + 1} requests`, "", reading.connections, 1),
  ];
  if (!existsSync(STRACE)) return rows;
  const running = await runOf(place, "Bash", (round) => ({ command: `: ${round}` }));
  const [first = Number.NaN, last = Number.NaN] = [0, ROUNDS].map((at) => reading.startedAt[at]);
  // The first command finds out whether the sandbox works.
  const perRound =
    ((running.startedAt[ROUNDS] ?? Number.NaN) - (running.startedAt[1] ?? Number.NaN)) / (ROUNDS - 1);
  return [
    ...rows,
    alone("processes started before the first request", "", first, 0),
    alone(`processes started in ${ROUNDS} Read rounds`, "", last - first, 0),
    alone("programs started for a Bash round: bwrap and bash", "", perRound, 2),
  ];
}

interface Run {
  readonly firstBody: string;
  readonly connections: number;
  /** Number of programs started before each request arrived. */
  readonly startedAt: readonly number[];
}

async function runOf(
  place: BenchSetup,
  name: "Read" | "Bash",
  input: (round: number) => object,
): Promise<Run> {
  const home = makeHome(place);
  writeFileSync(join(home.path, "project/note.txt"), "A note.\n");
  const trace = join(home.path, "trace.txt");
  const hasTrace = existsSync(STRACE);
  const tracing = hasTrace ? [STRACE, "-f", "-qq", "-e", "trace=execve", "-o", trace] : [];
  const startedAt: number[] = [];
  using server = openServer({
    answer: (number) => ({
      kind: "events",
      events: number > ROUNDS ? saysEvents(["Done."], number) : callEvents(name, input(number), number),
    }),
    onRequest() {
      if (hasTrace) startedAt.push(startedPrograms(trace));
    },
  });
  home.point(server.baseUrl);
  await finished(start([...tracing, ...cinchPrompt(place)], home));
  return { firstBody: server.firstBody(), connections: server.connections, startedAt };
}

function overhead(body: string): number {
  const { system, tools }: { system: unknown; tools: unknown } = JSON.parse(body);
  const text = JSON.stringify(system) + JSON.stringify(tools);
  return Math.ceil(new TextEncoder().encode(text).length / BYTES_PER_TOKEN);
}

/** Programs that were started so far, without cinch itself. */
function startedPrograms(trace: string): number {
  const lines = readFileSync(trace, "utf8").split("\n");
  return lines.filter((line) => line.includes("execve(") && line.endsWith("= 0")).length - 1;
}

function alone(what: string, unit: string, value: number, aim: number): Row {
  return { what, unit, cinch: sampled([value]), comparison: "alone", aim };
}
