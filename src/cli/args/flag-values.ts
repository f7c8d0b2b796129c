import { durationMs } from "../../base/text/duration.ts";
import type { FlagName } from "./flags.ts";

/** What was written for each flag that was given. */
export type Flags = ReadonlyMap<FlagName, string>;

/** How the reading of a value ends early, with what is wrong; `parseArguments` tells it. */
export class Misuse extends Error {}

export function textOf(flags: Flags, name: FlagName): string | undefined {
  const value = flags.get(name);
  if (value?.trim() === "") throw new Misuse(`--${name} is empty`);
  return value;
}

export function oneOf<Value extends string>(
  flags: Flags,
  name: FlagName,
  known: readonly Value[],
): Value | undefined {
  const value = flags.get(name);
  if (value === undefined) return undefined;
  const found = known.find((candidate) => candidate === value);
  if (found === undefined) throw new Misuse(`--${name} is one of ${known.join(", ")}, not "${value}"`);
  return found;
}

/** A length of time with its unit: a bare number could be meant as anything. */
export function durationOf(flags: Flags, name: FlagName): number | undefined {
  const value = flags.get(name);
  if (value === undefined) return undefined;
  const ms = durationMs(value.trim());
  if (!(ms > 0)) throw new Misuse(`--${name} takes a length of time such as 90s, 10m or 2h, not "${value}"`);
  return ms;
}

export function numberOf(flags: Flags, name: FlagName, form: RegExp, words: string): number | undefined {
  const value = flags.get(name);
  if (value === undefined) return undefined;
  if (!form.test(value)) throw new Misuse(`--${name} takes ${words}, not "${value}"`);
  return Number(value);
}
