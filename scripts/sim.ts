import { parseArgs } from "node:util";
import { runSeed, STEPS } from "../test/simulation/run.ts";

/**
 * Plays seeds of the simulation (REL-05): the real engine, multiplexer, bus and history on a simulated world
 * that fails.
 *
 *     npm run sim -- --seeds 1000              seeds nobody has played before
 *     npm run sim -- --seeds 200 --from 1      these, which are the same each time
 *     npm run sim -- --seed 71 --trace         one, told step by step
 *
 * Prints the seeds per second and each seed that failed, with what did not hold; the exit code is 1 when one did.
 */
const { values } = parseArgs({
  options: {
    seeds: { type: "string", default: "1000" },
    from: { type: "string", default: String(Date.now() % 1_000_000_000) },
    seed: { type: "string" },
    steps: { type: "string", default: String(STEPS) },
    trace: { type: "boolean", default: false },
  },
});

const TOLD_VIOLATIONS_MAX = 3;
const from = number("from", values.seed ?? values.from);
const seeds = values.seed === undefined ? number("seeds", values.seeds) : 1;
const steps = number("steps", values.steps);

const startMs = performance.now();
let failed = 0;
let events = 0;
let played = 0;
for (let seed = from; seed < from + seeds; seed++) {
  const report = await runSeed(seed, { steps });
  played += report.steps;
  events += report.events;
  if (values.trace) console.log([...report.trace, "", ...report.log].join("\n"));
  if (report.violations.length === 0) continue;
  failed += 1;
  console.log(`seed ${seed} failed:`);
  for (const violation of report.violations.slice(0, TOLD_VIOLATIONS_MAX)) console.log(`  ${violation}`);
  console.log(`  again: npm run sim -- --seed ${seed} --trace`);
}
const perSecond = Math.round(seeds / ((performance.now() - startMs) / 1_000));
console.log(
  `${seeds} seeds from ${from}, ${played} steps, ${events} events, ${perSecond} seeds/s: ${failed} failed`,
);
process.exit(failed > 0 ? 1 : 0);

function number(name: string, text: string): number {
  const value = Number(text);
  if (Number.isSafeInteger(value) && value >= 0) return value;
  console.error(`--${name} takes a whole number, and '${text}' is none`);
  process.exit(2);
}
