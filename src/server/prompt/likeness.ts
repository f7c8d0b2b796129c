import type { Likeness } from "./frames.ts";

type Fact = Exclude<keyof Likeness, "place">;

/** Facts in the order in which they are compared, with the sentence for the log. */
const DIFFERENCES: readonly (readonly [Fact, string])[] = [
  ["build", "it is another build of cinch"],
  ["config", "config.toml has changed since it was started"],
  ["keys", "its provider keys or its machine key differ"],
  ["passed", "the values of variables that pass_env names differ"],
];

/** Returns why two processes cannot share an engine; undefined if they can (PERF-07). */
export function differenceOf(engine: Likeness, client: Likeness): string | undefined {
  const [first] = DIFFERENCES.filter(([fact]) => engine[fact] !== client[fact]);
  if (first?.[0] === "build") return first[1];
  const names = Object.keys({ ...engine.place, ...client.place });
  const unlike = names.filter((name) => engine.place[name] !== client.place[name]);
  if (unlike.length > 0) return `these differ: ${unlike.join(", ")}`;
  return first?.[1];
}
