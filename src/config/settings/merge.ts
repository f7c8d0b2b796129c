import { durationMs } from "../../base/text/duration.ts";
import type { ConfigKey, Merge } from "../../session/config-section.ts";

/** A value with its source. Written values and defaults of the code are merged by the same rules. */
export interface SourcedValue<From> {
  readonly value: unknown;
  readonly from: From;
}

/** The values of one key, the weightiest first, apart from those of the project. */
export interface SourcedValues<From> {
  readonly userValues: readonly SourcedValue<From>[];
  readonly project: readonly SourcedValue<From>[];
  readonly fallback: SourcedValue<From>;
}

/** The effective value, and those it overrides. For `add` every value is effective, each in a separate entry. */
export interface Merged<From> extends SourcedValue<From> {
  readonly instead: readonly SourcedValue<From>[];
}

/** Merges the values of a key by its declaration. No other code decides which of them is effective (PROF-03). */
export function mergeKey<From>(
  key: ConfigKey,
  merge: Merge,
  { userValues, project, fallback }: SourcedValues<From>,
): readonly Merged<From>[] {
  if (merge === "add") return added([...userValues, ...project], userValues[0] ?? fallback);
  const all = userValues.length === 0 ? [fallback] : userValues;
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

/** Returns the lists that are not empty; one empty list if all are. */
function added<From>(
  values: readonly SourcedValue<From>[],
  empty: SourcedValue<From>,
): readonly Merged<From>[] {
  const entries = values.filter(({ value }) => !Array.isArray(value) || value.length > 0);
  return (entries.length > 0 ? entries : [empty]).map((one) => ({ ...one, instead: [] }));
}

function tightest<From>(
  key: ConfigKey,
  values: readonly SourcedValue<From>[],
): SourcedValue<From> | undefined {
  return values.reduce<SourcedValue<From> | undefined>(
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
