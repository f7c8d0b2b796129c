import { durationMs } from "../../base/text/duration.ts";
import type { ConfigKey, Merge } from "../../session/config-section.ts";

/** A value, and whoever gives it. Written values and those of the code are merged by the same rules. */
export interface Given<From> {
  readonly value: unknown;
  readonly from: From;
}

/** The values of one key, the weightiest first, apart from those of the project. */
export interface GivenValues<From> {
  readonly own: readonly Given<From>[];
  readonly project: readonly Given<From>[];
  readonly fallback: Given<From>;
}

/** The value that counts, and those that do not. For `add` every value counts, each in an entry of its own. */
export interface Merged<From> extends Given<From> {
  readonly instead: readonly Given<From>[];
}

/** Merges the values of a key by its declaration: the only place that knows which of them counts (PROF-03). */
export function mergeKey<From>(
  key: ConfigKey,
  merge: Merge,
  { own, project, fallback }: GivenValues<From>,
): readonly Merged<From>[] {
  if (merge === "add") return added([...own, ...project], own[0] ?? fallback);
  const all = own.length === 0 ? [fallback] : own;
  const chosen = merge === "lower" ? tightest(key, all) : all[0];
  const first = chosen ?? fallback;
  const rest = all.filter((each) => each !== first);
  const restricting = key.project === "restrict" ? tightest(key, project) : undefined;
  if (restricting !== undefined && isTighter(key, restricting.value, first.value)) {
    const others = project.filter((each) => each !== restricting);
    return [{ ...restricting, instead: [first, ...rest, ...others] }];
  }
  return [{ ...first, instead: [...rest, ...project] }];
}

/** The lists that hold something; one that is empty if none does. */
function added<From>(given: readonly Given<From>[], empty: Given<From>): readonly Merged<From>[] {
  const entries = given.filter(({ value }) => !Array.isArray(value) || value.length > 0);
  return (entries.length > 0 ? entries : [empty]).map((one) => ({ ...one, instead: [] }));
}

function tightest<From>(key: ConfigKey, given: readonly Given<From>[]): Given<From> | undefined {
  return given.reduce<Given<From> | undefined>(
    (best, each) => (best === undefined || isTighter(key, each.value, best.value) ? each : best),
    undefined,
  );
}

/** True if the first value allows less than the second. Any value is tighter than none. */
function isTighter(key: ConfigKey, one: unknown, other: unknown): boolean {
  if (other === undefined || other === null) return one !== undefined;
  const order: readonly unknown[] | undefined = key.tightestFirst;
  if (order !== undefined) return order.indexOf(one) < order.indexOf(other);
  return numberOf(key, one) < numberOf(key, other);
}

function numberOf({ kind }: ConfigKey, value: unknown): number {
  return kind === "duration" && typeof value === "string" ? durationMs(value) : Number(value);
}
