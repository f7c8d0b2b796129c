import { treePssBytes } from "./processes.ts";
import type { Row } from "./report.ts";
import { cinchLine, compiledPrompt, homeFor, openScreen, SESSION_SHOWN } from "./screen.ts";
import { sampled } from "./statistics.ts";
import type { BenchSetup, Home, Program } from "./subject.ts";
import { start as startProgram } from "./subject.ts";
import { addedWakeUps, wakeUpsByThread } from "./wake-ups.ts";

const MIB = 1024 * 1024;
/** Bun's collector runs once a second until the heap has been the same for 30 s, in any program. */
const SETTLE_MS = 45_000;
const WATCH_MS = 10_000;
const WINDOWS = 3;
const WAKE_UPS_MAX = 8;
const MEMORY_SETTLE_MS = 2_000;

/** Measures wake-ups and memory of all processes of an idle session (REL-04, PERF-03). */
export async function measureIdle(place: BenchSetup): Promise<readonly Row[]> {
  const prompt = await compiledPrompt(place);
  const memory = await measureSessions(place, prompt);
  await using bare = openScreen(prompt, homeFor(place, "none"));
  await using keyless = openScreen(cinchLine(place), homeFor(place, "none"));
  await using keyed = openScreen(cinchLine(place), homeFor(place, "used"));
  const served = homeFor(place, "none");
  const serve = startProgram([...place.cinch, "serve"], served);
  await bare.firstLineMs;
  for (const session of [keyless, keyed]) await session.shows(SESSION_SHOWN);
  await Bun.sleep(SETTLE_MS);
  const pids = { bare: bare.pid, keyless: keyless.pid, keyed: keyed.pid, serve: serve.pid };
  const wakes: Record<keyof typeof pids, number[]> = { bare: [], keyless: [], keyed: [], serve: [] };
  const names = ["bare", "keyless", "keyed", "serve"] as const;
  for (let window = 0; window < (place.quick ? 1 : WINDOWS); window++) {
    const before = names.map((name) => wakeUpsByThread(pids[name]));
    await Bun.sleep(WATCH_MS);
    for (const [at, name] of names.entries())
      wakes[name].push((addedWakeUps(before[at], wakeUpsByThread(pids[name])) * 1_000) / WATCH_MS);
  }
  const rows = names.slice(1).map(
    (name): Row => ({
      what: `wake-ups of ${WHAT[name]}, all processes`,
      unit: "/s",
      cinch: sampled(wakes[name]),
      bare: sampled(wakes.bare),
      comparison: "alone",
      aim: WAKE_UPS_MAX,
    }),
  );
  serve.kill("SIGTERM");
  await serve.exited;
  return [...rows, ...memory];
}

/** Memory of one session at a time: several would share the pages of the program. */
async function measureSessions(place: BenchSetup, prompt: Program): Promise<readonly Row[]> {
  const bare = [await settledMiB(prompt, homeFor(place, "none"))];
  const row = async (keys: "none" | "used", what: string): Promise<Row> => ({
    what: `memory of ${what}, all processes (PSS)`,
    unit: "MiB",
    cinch: sampled([await settledMiB(cinchLine(place), homeFor(place, keys), SESSION_SHOWN)]),
    bare: sampled(bare),
    comparison: "ratio",
  });
  return [await row("none", WHAT.keyless), await row("used", WHAT.keyed)];
}

async function settledMiB(program: Program, home: Home, shown = ">"): Promise<number> {
  await using screen = openScreen(program, home);
  await screen.shows(shown);
  await Bun.sleep(MEMORY_SETTLE_MS);
  return treePssBytes(screen.pid) / MIB;
}

const WHAT = {
  bare: "a bare program",
  keyless: "an idle session",
  keyed: "an idle session with a key",
  serve: "an idle `cinch serve`",
} as const;
