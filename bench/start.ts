import type { Row } from "./report.ts";
import type { BenchServer } from "./server.ts";
import { openServer } from "./server.ts";
import { sampled } from "./statistics.ts";
import type { BenchSetup, Home, Program } from "./subject.ts";
import { aimOf, bare, cinchPrompt, finished, hello, makeHome, start, versionOf } from "./subject.ts";
import { saysEvents } from "./wire.ts";

/** Measures the start (PERF-01). */
export async function measureStart(place: BenchSetup): Promise<readonly Row[]> {
  return [...(await measureVersion(place)), ...(await measureFirstRequest(place))];
}

async function measureVersion(place: BenchSetup): Promise<readonly Row[]> {
  const home = makeHome(place);
  const times = { cinch: [] as number[], bare: [] as number[] };
  for (let run = 0; run <= (place.quick ? 10 : 30); run++) {
    const [cinch, bareMs] = [await runMs(versionOf(place), home), await runMs(hello(place), home)];
    if (run === 0) continue; // the programs come from the disk
    times.cinch.push(cinch);
    times.bare.push(bareMs);
  }
  return [
    {
      what: "`--version`, start to end, beside a Bun hello",
      unit: "ms",
      cinch: sampled(times.cinch),
      bare: sampled(times.bare),
      comparison: "ratio",
      aim: 1.5,
    },
  ];
}

async function runMs(program: Program, home: Home): Promise<number> {
  const startMs = performance.now();
  await finished(start(program, home));
  return performance.now() - startMs;
}

async function measureFirstRequest(place: BenchSetup): Promise<readonly Row[]> {
  const home = makeHome(place);
  const times = { cinch: [] as number[], bare: [] as number[], fresh: [] as number[] };
  for (let run = 0; run <= (place.quick ? 8 : 25); run++) {
    const cinch = await firstRequestMs(home, () => cinchPrompt(place));
    const bareMs = await firstRequestMs(home, (baseUrl) => bare(place, baseUrl));
    if (run === 0) continue; // and the session store is made
    times.cinch.push(cinch);
    times.bare.push(bareMs);
  }
  for (let run = 0; run < (place.quick ? 3 : 8); run++) {
    times.fresh.push(await firstRequestMs(makeHome(place), () => cinchPrompt(place)));
  }
  const bareMs = sampled(times.bare);
  return [
    {
      what: "start to first request",
      unit: "ms",
      cinch: sampled(times.cinch),
      bare: bareMs,
      comparison: "ratio",
      aim: aimOf(place, { plain: 3, keyed: 5 }),
    },
    {
      what: "the same for the very first session of a home",
      unit: "ms",
      cinch: sampled(times.fresh),
      bare: bareMs,
      comparison: "ratio",
    },
  ];
}

/** From before the process is started to the first byte of its request at the server. */
export async function firstRequestMs(home: Home, program: (baseUrl: string) => Program): Promise<number> {
  using server: BenchServer = openServer({
    answer: (number) => ({ kind: "events", events: saysEvents(["Done."], number) }),
  });
  home.point(server.baseUrl);
  const startMs = performance.now();
  const child = start(program(server.baseUrl), home);
  await server.request(1);
  const atMs = (server.asked[0]?.atMs ?? Number.NaN) - startMs;
  await finished(child);
  return atMs;
}
