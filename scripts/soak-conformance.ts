import type { Report } from "../src/conformance/render.ts";
import { SCENARIOS } from "../src/conformance/scenarios/all.ts";
import { BROKEN, caught, wiresOf } from "../test/conformance/broken/caught.ts";
import { cinchHome, runCinch } from "../test/support/cinch.ts";
import { startServing } from "../test/support/serving.ts";

/**
 * Highest share of failed runs of one scenario on one transport; a scenario above it is set aside until it is
 * fixed (REL-07).
 */
const FLAKE_RATE_MAX = 0.005;
/** Concurrent runs of scenarios that wait for a time limit of the server. */
const SLOW_LANES = 8;
const WALK_MS_MAX = 600_000;

/**
 * Shows every broken server every scenario, and then walks a real engine over its real sockets so many times: gives
 * what a broken server was not caught by alone, and each scenario that failed, with how often it did (CTL-13, REL-07).
 */
export async function soakConformance(runs: number): Promise<readonly string[]> {
  const failures = [...(await soakBroken())];
  await using engine = await openEngine();
  const tally = new Tally();
  const { places, walk } = engine;
  const slow = Array.from({ length: SLOW_LANES }, async (_, lane) => {
    for (let run = lane; run < runs; run += SLOW_LANES)
      for (const place of places) tally.add(place, await walk(place, ["--scenario", SLOW.join(",")]));
  });
  for (let run = 1; run <= runs; run++) {
    for (const place of places) tally.add(place, await walk(place, ["--quick"]));
    if (run % 10 === 0)
      console.log(`${run} of ${runs}: ${tally.walked} scenarios walked, ${tally.failed} failed`);
  }
  await Promise.all(slow);
  return [...failures, ...tally.failures()];
}

const SLOW = SCENARIOS.filter(({ isSlow }) => isSlow === true).map(({ id }) => id);

async function soakBroken(): Promise<readonly string[]> {
  const failures: string[] = [];
  for (const broken of BROKEN) {
    const wires = wiresOf(broken);
    const wire = wires.find((each) => each === "rest") ?? wires[0] ?? "rest";
    const by = await caught(broken, wire, SCENARIOS);
    if (by.join() !== broken.scenario)
      failures.push(`a server where ${broken.how} is caught by ${by.join(", ") || "nothing"}`);
  }
  console.log(`${BROKEN.length} broken servers, each walked through all ${SCENARIOS.length} scenarios`);
  return failures;
}

interface WalkedEngine extends AsyncDisposable {
  readonly places: readonly string[];
  /** Walks it with the command itself. */
  walk(place: string, flags: readonly string[]): Promise<Report | undefined>;
}

async function openEngine(): Promise<WalkedEngine> {
  await using undo = new AsyncDisposableStack();
  const home = undo.use(cinchHome());
  const { places, token } = undo.use(await startServing(home, ["--profile", "conformance"]));
  const moved = undo.move();
  return {
    places,
    async walk(place, flags) {
      const args = ["conformance", "--against", place, "--json", ...flags];
      const options = { home, env: { CINCH_TOKEN: token }, timeoutMs: WALK_MS_MAX };
      const { stdout, stderr } = await runCinch(args, options);
      if (stderr !== "") console.log(stderr.trimEnd());
      return stdout === "" ? undefined : (JSON.parse(stdout) as Report);
    },
    [Symbol.asyncDispose]: () => moved[Symbol.asyncDispose](),
  };
}

/** Counts the runs and failures of each scenario, by place and transport. */
class Tally {
  readonly #seen = new Map<string, { walked: number; readonly failed: string[] }>();
  walked = 0;
  failed = 0;

  add(place: string, report: Report | undefined): void {
    const results = report?.results ?? [];
    if (results.length === 0) this.#count(`${place}: the suite itself`, "it told nothing");
    for (const { scenario, wire, outcome, why = "", expected = "", got = "" } of results) {
      if (outcome === "skipped") continue;
      const problem = outcome === "failed" ? `${why}; expected ${expected}; came ${got}` : undefined;
      this.#count(`${place.replace(/:.*/, "")} ${wire} ${scenario}`, problem);
    }
  }

  /** Everything that failed at all: above the rate it has to be mended, below it is told all the same. */
  failures(): readonly string[] {
    return [...this.#seen].flatMap(([name, { walked, failed }]) => {
      if (failed.length === 0) return [];
      const rate = failed.length / walked;
      const weight = rate > FLAKE_RATE_MAX ? "above" : "within";
      return [`${name}: ${failed.length} of ${walked}, ${weight} the 0.5 % that may be: ${failed[0]}`];
    });
  }

  #count(name: string, failure: string | undefined): void {
    const known = this.#seen.get(name) ?? { walked: 0, failed: [] };
    this.#seen.set(name, known);
    known.walked += 1;
    this.walked += 1;
    if (failure === undefined) return;
    known.failed.push(failure);
    this.failed += 1;
  }
}
