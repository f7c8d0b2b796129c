import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Row } from "./report.ts";
import { openServer } from "./server.ts";
import { sampled } from "./statistics.ts";
import type { Place } from "./subject.ts";
import { cinchPrompt, finished, makeHome, start } from "./subject.ts";
import { callEvents, saysEvents } from "./wire.ts";

const ROUNDS = 5;
const BYTES_PER_TOKEN = 4;
const STRACE = "/usr/bin/strace";

/** What a run asks of the provider and of the machine besides time: size of its prompt, connections, processes. */
export async function measureRequests(place: Place): Promise<readonly Row[]> {
  const home = makeHome(place);
  writeFileSync(join(home.path, "project/note.txt"), "A note.\n");
  const trace = join(home.path, "trace.txt");
  const hasTrace = existsSync(STRACE);
  const tracing = hasTrace ? [STRACE, "-f", "-qq", "-e", "trace=execve", "-o", trace] : [];
  let startedBeforeFirst = Number.NaN;
  using server = openServer({
    answer: (number) => ({
      kind: "events",
      events:
        number > ROUNDS
          ? saysEvents(["Done."], number)
          : callEvents("Read", { file_path: "note.txt", offset: 1, limit: number }, number),
    }),
    onRequest(number) {
      if (number === 1 && hasTrace) startedBeforeFirst = startedPrograms(trace);
    },
  });
  home.point(server.baseUrl);
  await finished(start([...tracing, ...cinchPrompt(place)], home));
  const rows = [
    alone(
      "tokens (bytes/4) of system prompt and tool schemas in the first request",
      "",
      overhead(server.firstBody()),
      1_300,
    ),
    alone(`connections to the provider in ${ROUNDS + 1} requests`, "", server.connections, 1),
  ];
  if (!hasTrace) return rows;
  return [
    ...rows,
    alone("processes started before the first request", "", startedBeforeFirst, 0),
    alone(`processes started in ${ROUNDS} Read rounds`, "", startedPrograms(trace) - startedBeforeFirst, 0),
  ];
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
