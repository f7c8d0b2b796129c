import type { Likeness } from "./frames.ts";

/** Facts in the order in which they are compared, with the sentence for the log. */
const DIFFERENCES: readonly (readonly [keyof Likeness, string])[] = [
  ["build", "it is another build of cinch"],
  ["place", "its folders, namespaces, rights, limits, or variables of an engine such as proxies differ"],
  ["config", "config.toml has changed since it was started"],
  ["keys", "its provider keys or its machine key differ"],
  ["passed", "the values of variables that pass_env names differ"],
];

/** Returns why two processes cannot share an engine; undefined if they can (PERF-07). */
export function differenceOf(engine: Likeness, client: Likeness): string | undefined {
  return DIFFERENCES.find(([fact]) => engine[fact] !== client[fact])?.[1];
}
