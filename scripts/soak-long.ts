import { openTalkingEngine } from "../test/support/engine-life.ts";
import type { Held } from "../test/support/long-life.ts";
import { liveLong } from "../test/support/long-life.ts";

const TURNS = 10_000;
const SESSIONS = 1_000;
const IDLE_SESSIONS = 50;
const IDLE_MS = 10_000;
/** Allowed random growth; a leak per turn or session would be thousands. */
const ADDED_MAX = 150;
/** Processor time of an idle engine in ten seconds, which Bun itself needs. */
const IDLE_CPU_MS_MAX = 50;

/**
 * Lets one session take 10,000 turns and one engine open and end 1,000 sessions; gives what grew that may not
 * (REL-04), and what an engine of idle sessions took of the processor (PERF-04).
 */
export async function soakLong(): Promise<readonly string[]> {
  const life = await liveLong({ turns: TURNS, sessions: SESSIONS });
  const failures: string[] = [];
  for (const [of, added] of Object.entries(life)) {
    console.log(`${of}: ${JSON.stringify(added)}`);
    for (const [what, count] of Object.entries(added as Held))
      if (count > ADDED_MAX) failures.push(`${of} left ${count} of ${what} behind`);
  }
  const cpuMs = await idleCpuMs();
  console.log(`${IDLE_SESSIONS} idle sessions took ${cpuMs.toFixed(1)} ms of ${IDLE_MS / 1_000} s`);
  if (cpuMs > IDLE_CPU_MS_MAX) failures.push(`idle sessions took ${Math.round(cpuMs)} ms of the processor`);
  return failures;
}

async function idleCpuMs(): Promise<number> {
  await using engine = await openTalkingEngine();
  for (let session = 0; session < IDLE_SESSIONS; session++) await engine.talk(await engine.create(), 3);
  await engine.heldWhenIdle();
  await Bun.sleep(IDLE_MS / 2); // what Bun still compiles and collects
  const before = process.cpuUsage();
  await Bun.sleep(IDLE_MS);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}
