import type { Row } from "./report.ts";
import type { BenchServer } from "./server.ts";
import { openServer } from "./server.ts";
import { sampled } from "./statistics.ts";
import type { BenchSetup, Home, Keys, Program } from "./subject.ts";
import { bare, cinchPrompt, finished, hello, makeHome, start, versionOf } from "./subject.ts";
import { saysEvents } from "./wire.ts";

/** Aims of the start by the keys of the run, as ratios to the bare script. */
const AIMS: Readonly<Partial<Record<Keys, number>>> = { none: 4.5, used: 5 };
/** Aim of a start that uses a running engine, as a ratio to the bare script. */
const SHARED_AIM = 1.6;

/** Measures the start (PERF-01, PERF-07). */
export async function measureStart(place: BenchSetup): Promise<readonly Row[]> {
  return [
    ...(await measureVersion(place)),
    ...(await measureFirstRequest(place)),
    ...(await measureSharedEngine(place)),
  ];
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
  const homes = {
    none: makeHome(place),
    present: makeHome(place, { keys: "present" }),
    used: makeHome(place, { keys: "used" }),
  };
  const kinds = ["none", "present", "used"] as const;
  const cinch = { none: [] as number[], present: [] as number[], used: [] as number[] };
  const script: number[] = [];
  const fresh: number[] = [];
  for (let run = 0; run <= (place.quick ? 8 : 25); run++) {
    for (const keys of kinds) {
      const ms = await firstRequestMs(homes[keys], () => cinchPrompt(place));
      if (run > 0) cinch[keys].push(ms); // the first run makes the session store
    }
    const bareMs = await firstRequestMs(homes.none, (baseUrl) => bare(place, baseUrl));
    if (run > 0) script.push(bareMs);
  }
  for (let run = 0; run < (place.quick ? 3 : 8); run++) {
    fresh.push(await firstRequestMs(makeHome(place), () => cinchPrompt(place)));
  }
  const row = (what: string, times: readonly number[], aim?: number) => startRow(what, times, script, aim);
  return [
    row("start to first request, no key", cinch.none, AIMS.none),
    row("start to first request, another provider has a key", cinch.present),
    row("start to first request, a key is used", cinch.used, AIMS.used),
    row("start to first request, no key, the very first session of a home", fresh),
  ];
}

function startRow(what: string, cinch: readonly number[], script: readonly number[], aim?: number): Row {
  return {
    what,
    unit: "ms",
    cinch: sampled(cinch),
    bare: sampled(script),
    comparison: "ratio",
    ...(aim === undefined ? {} : { aim }),
  };
}

/** The engine is that of `cinch serve`, in the same home. It keeps one connection to the provider for all runs. */
async function measureSharedEngine(place: BenchSetup): Promise<readonly Row[]> {
  const runs = place.quick ? 8 : 25;
  const rows: Row[] = [];
  for (const keys of ["none", "used"] as const) {
    const home = makeHome(place, { keys });
    using server = openServer({
      answer: (number) => ({ kind: "events", events: saysEvents(["Done."], number) }),
    });
    home.point(server.baseUrl);
    await using _engine = await servingEngine(place, home);
    const cinch: number[] = [];
    const script: number[] = [];
    for (let run = 0; run <= runs; run++) {
      const shared = await requestMs(home, server, cinchPrompt(place));
      const bareMs = await requestMs(home, server, bare(place, server.baseUrl));
      if (run === 0) continue; // the first session of the engine
      cinch.push(shared);
      script.push(bareMs);
    }
    if (server.connections >= 2 * runs) throw new Error("the prompts did not go through the running engine");
    const key = keys === "used" ? ", a key is used" : "";
    rows.push(startRow(`start to first request, through a running engine${key}`, cinch, script, SHARED_AIM));
  }
  return rows;
}

/** Starts an engine for the prompts of a home, and waits until it serves. */
async function servingEngine(place: BenchSetup, home: Home): Promise<AsyncDisposable> {
  const engine = start([...place.cinch, "serve"], home);
  const reader = engine.stderr.getReader();
  let text = "";
  while (!text.includes("serving")) {
    const { value, done } = await reader.read();
    if (done) throw new Error(`the engine does not serve: ${text}`);
    text += new TextDecoder().decode(value);
  }
  return {
    async [Symbol.asyncDispose]() {
      engine.kill();
      await engine.exited;
    },
  };
}

/** From before the process is started to the first byte of its request at a server that also serves others. */
async function requestMs(home: Home, server: BenchServer, program: Program): Promise<number> {
  const before = server.asked.length;
  const startMs = performance.now();
  const child = start(program, home);
  await server.request(before + 1);
  const atMs = (server.asked[before]?.atMs ?? Number.NaN) - startMs;
  await finished(child);
  return atMs;
}

/** From before the process is started to the first byte of its request at the server. */
export async function firstRequestMs(home: Home, program: (baseUrl: string) => Program): Promise<number> {
  using server: BenchServer = openServer({
    answer: (number) => ({ kind: "events", events: saysEvents(["Done."], number) }),
  });
  home.point(server.baseUrl);
  return await requestMs(home, server, program(server.baseUrl));
}
