import { assert } from "../../base/assert.ts";

/** Joins the entries of a slot of all features by their keys. A key that two features have is a mistake. */
export function joinSlots<Entries extends object>(
  slot: string,
  all: readonly (Entries | undefined)[],
): Entries {
  const keys = all.flatMap((each) => Object.keys(each ?? {}));
  const twice = keys.find((key, at) => keys.indexOf(key) !== at);
  assert(twice === undefined, `one feature has ${slot}.${twice}`);
  return Object.assign({}, ...all); // typed by the result: the entries have no key in common
}
