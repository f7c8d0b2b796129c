import type { Clock } from "../../base/world.ts";
import { TurnLimits } from "../../engine/loop/turn-limits.ts";
import type { HarnessConfig } from "./embedder.ts";
import { PROMPT_ROUNDS_MAX } from "./embedder.ts";

/** Opens the limits of a prompt: its rounds and its time. */
export function promptLimits(
  {
    maxTurns: roundsMax = PROMPT_ROUNDS_MAX,
    timeoutMs: msMax,
  }: Pick<HarnessConfig, "maxTurns" | "timeoutMs">,
  clock: Clock,
): { readonly roundsMax: number; readonly limits: TurnLimits } {
  const values = { roundsMax, ...(msMax === undefined ? {} : { msMax }) };
  const limits = new TurnLimits({ clock, limits: () => values });
  return { roundsMax, limits };
}
