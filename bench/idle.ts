import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { treeOf, treePssBytes } from "./processes.ts";
import type { Row } from "./report.ts";
import { cinchLine, compiledPrompt, openScreen, SESSION_SHOWN } from "./screen.ts";
import { sampled } from "./statistics.ts";
import type { BenchSetup, Keys } from "./subject.ts";
import { makeHome, start as startProgram } from "./subject.ts";

const MIB = 1024 * 1024;
/** Bun's collector runs once a second until the heap has been the same for 30 s, in any program. */
const SETTLE_MS = 45_000;
const WATCH_MS = 10_000;
const WINDOWS = 3;
const WAKE_UPS_MAX = 8;
const NOWHERE = "http://127.0.0.1:9";

/** Measures wake-ups and memory of all processes of an idle session (REL-04, PERF-03). */
export async function measureIdle(place: BenchSetup): Promise<readonly Row[]> {
  const home = (keys: Keys) => {
    const made = makeHome(place, { keys });
    made.point(NOWHERE);
    return made;
  };
  await using bare = openScreen(await compiledPrompt(place), home("none"));
  await using keyless = openScreen(cinchLine(place), home("none"));
  await using keyed = openScreen(cinchLine(place), home("used"));
  const served = home("none");
  const serve = startProgram([...place.cinch, "serve"], served);
  await bare.firstLineMs;
  for (const session of [keyless, keyed]) await session.shows(SESSION_SHOWN);
  await Bun.sleep(SETTLE_MS);
  const pids = { bare: bare.pid, keyless: keyless.pid, keyed: keyed.pid, serve: serve.pid };
  const wakes: Record<keyof typeof pids, number[]> = { bare: [], keyless: [], keyed: [], serve: [] };
  const names = ["bare", "keyless", "keyed", "serve"] as const;
  for (let window = 0; window < (place.quick ? 1 : WINDOWS); window++) {
    const before = names.map((name) => treeWakeUps(pids[name]));
    await Bun.sleep(WATCH_MS);
    for (const [at, name] of names.entries())
      wakes[name].push(((treeWakeUps(pids[name]) - (before[at] ?? 0)) * 1_000) / WATCH_MS);
  }
  const memory = (name: keyof typeof pids) => sampled([treePssBytes(pids[name]) / MIB]);
  const bareMemory = memory("bare");
  const rows = (["keyless", "keyed", "serve"] as const).flatMap((name): readonly Row[] => [
    {
      what: `wake-ups of ${WHAT[name]}, all processes`,
      unit: "/s",
      cinch: sampled(wakes[name]),
      bare: sampled(wakes.bare),
      comparison: "alone",
      aim: WAKE_UPS_MAX,
    },
    {
      what: `memory of ${WHAT[name]}, all processes (PSS)`,
      unit: "MiB",
      cinch: memory(name),
      bare: bareMemory,
      comparison: "ratio",
    },
  ]);
  serve.kill("SIGTERM");
  await serve.exited;
  return rows;
}

const WHAT = {
  keyless: "an idle session",
  keyed: "an idle session with a key",
  serve: "an idle `cinch serve`",
} as const;

/** Times that a thread of a process or of its descendants was given the processor after it had waited for something. */
function treeWakeUps(root: number): number {
  return treeOf(root)
    .flatMap((pid) => readdirSync(`/proc/${pid}/task`).map((thread) => `/proc/${pid}/task/${thread}`))
    .reduce((sum, thread) => sum + wakeUps(thread), 0);
}

function wakeUps(thread: string): number {
  const status = readFileSync(join(thread, "status"), "latin1");
  return Number(/^voluntary_ctxt_switches:\s+(\d+)$/m.exec(status)?.[1] ?? Number.NaN);
}
