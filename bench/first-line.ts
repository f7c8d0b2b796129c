import type { Row } from "./report.ts";
import { cinchLine, compiledPrompt, homeFor, openScreen, SESSION_SHOWN } from "./screen.ts";
import { sampled } from "./statistics.ts";
import type { BenchSetup, Home, Program } from "./subject.ts";

const FIRST_LINE_MS_MAX = 60;

/** Measures what a person sees first of an interactive session, and when it is open (PERF-01). */
export async function measureFirstLine(place: BenchSetup): Promise<readonly Row[]> {
  const prompt = await compiledPrompt(place);
  const homes = {
    none: homeFor(place, "none"),
    used: homeFor(place, "used"),
    shared: homeFor(place, "none"),
  };
  const cold = { none: [] as number[], used: [] as number[] };
  const ready = { none: [] as number[], used: [] as number[] };
  const shared: number[] = [];
  const bare: number[] = [];
  await using running = openScreen(cinchLine(place), homes.shared);
  await running.shows(SESSION_SHOWN);
  for (let run = 0; run <= (place.quick ? 5 : 15); run++) {
    for (const keys of ["none", "used"] as const) {
      const [firstMs, readyMs] = await startMs(cinchLine(place), homes[keys]);
      if (run === 0) continue; // it makes the session store
      cold[keys].push(firstMs);
      ready[keys].push(readyMs);
    }
    const [sharedMs] = await startMs(cinchLine(place), homes.shared);
    await using screen = openScreen(prompt, homes.none);
    const bareMs = await screen.firstLineMs;
    if (run === 0) continue;
    shared.push(sharedMs);
    bare.push(bareMs);
  }
  const row = (what: string, times: readonly number[], aim?: number): Row => ({
    what,
    unit: "ms",
    cinch: sampled(times),
    bare: sampled(bare),
    comparison: "alone",
    ...(aim === undefined ? {} : { aim }),
  });
  return [
    row("first line of an interactive session, no engine runs", cold.none, FIRST_LINE_MS_MAX),
    row("first line, no engine runs, a key is used", cold.used, FIRST_LINE_MS_MAX),
    row("first line, an engine runs", shared, FIRST_LINE_MS_MAX),
    row("interactive session open, no engine ran", ready.none),
    row("interactive session open, no engine ran, a key is used", ready.used),
  ];
}

/** Returns the time to the first line, and to the open session. What was started is ended then. */
async function startMs(program: Program, home: Home): Promise<readonly [firstMs: number, readyMs: number]> {
  const fromMs = performance.now();
  await using screen = openScreen(program, home);
  const firstMs = await screen.firstLineMs;
  await screen.shows(SESSION_SHOWN);
  return [firstMs, performance.now() - fromMs];
}
