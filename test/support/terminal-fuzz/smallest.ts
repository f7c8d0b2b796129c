import type { FuzzCounts } from "./run-sequence.ts";
import { NO_COUNTS, runSequence } from "./run-sequence.ts";
import type { Sequence, Step } from "./sequences.ts";

/** Runs that look for a smaller sequence at most. */
const RUNS_MAX = 400;

/** Returns the sentence about the first invariant that a sequence breaks; undefined if all hold. */
export async function faultOf(
  sequence: Sequence,
  counts: FuzzCounts = { ...NO_COUNTS },
): Promise<string | undefined> {
  try {
    await runSequence(sequence, counts);
    return undefined;
  } catch (thrown) {
    return thrown instanceof Error ? thrown.message : String(thrown);
  }
}

/** Returns a sequence without the steps that a fault does not need, and plainer where that keeps it. */
export async function smallest(sequence: Sequence, fault: string): Promise<Sequence> {
  let left = RUNS_MAX;
  const kind = kindOf(fault);
  const breaks = async (candidate: Sequence) => {
    left -= 1;
    return kindOf((await faultOf(candidate)) ?? "") === kind;
  };
  let found = sequence;
  for (let size = Math.ceil(found.steps.length / 2); size >= 1 && left > 0; size = Math.floor(size / 2))
    for (let at = found.steps.length - size; at >= 0 && left > 0; at -= size) {
      const steps = found.steps.toSpliced(at, size);
      if (await breaks({ ...found, steps })) found = { ...found, steps };
    }
  for (const plainer of PLAINER) {
    const candidate = { ...found, ...plainer };
    if (left > 0 && (await breaks(candidate))) found = candidate;
  }
  for (let at = 0; at < found.steps.length && left > 0; at += 1)
    for (const step of plainerSteps(found.steps[at] as Step)) {
      const candidate = { ...found, steps: found.steps.with(at, step) };
      if (left > 0 && (await breaks(candidate))) found = candidate;
    }
  return found;
}

const PLAINER: readonly Partial<Sequence>[] = [
  { isLong: false },
  { isHostile: false },
  { hostWorks: true },
  { hasLast: false },
  { settings: "" },
  { size: { columns: 80, rows: 24 } },
  { answers: { kitty: false, attributes: false, focus: false, background: false } },
  { ending: "quit" },
];

/** Faults of one kind differ in numbers and quoted texts. */
function kindOf(fault: string): string {
  return fault
    .replace(/^step \d+ \{.*?\}: (?=[a-z])/s, "")
    .replaceAll(/"(?:[^"\\]|\\.)*"|\d+/g, "…")
    .replaceAll(/[\u4e00-\u9fff]/g, "…")
    .slice(0, 60);
}

function plainerSteps(step: Step): readonly Step[] {
  if (step.do === "events") return step.events.map((event) => ({ ...step, events: [event] }));
  if (step.do === "storm") return step.sizes.map((size) => ({ do: "resize", size }));
  if (step.do === "type") return [{ do: "type", text: "" }];
  if (step.do === "paste") return [{ ...step, text: "" }];
  return [];
}
