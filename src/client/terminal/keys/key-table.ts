import type { ActionName, KeyContext } from "./actions.ts";
import { ACTION_NAMES, ACTIONS } from "./actions.ts";

/** Keys that a person has chosen for some actions; an empty list takes all keys from one. */
export type KeyChoices = Readonly<Partial<Record<ActionName, readonly string[]>>>;

/** The keys of all actions. */
export class KeyTable {
  readonly #keys: ReadonlyMap<ActionName, readonly string[]>;
  readonly #actions: ReadonlyMap<string, ActionName>;

  constructor(choices: KeyChoices = {}) {
    this.#keys = new Map(ACTION_NAMES.map((name) => [name, choices[name] ?? ACTIONS[name].keys]));
    const actions = new Map<string, ActionName>();
    for (const [name, keys] of this.#keys)
      for (const key of keys) {
        const place = placeOf(ACTIONS[name].context, key);
        if (!actions.has(place)) actions.set(place, name);
      }
    this.#actions = actions;
  }

  /** Returns what a key does in the nearest of these contexts in which it does something, then in `global`. */
  find(key: string, contexts: readonly KeyContext[]): ActionName | undefined {
    for (const context of [...contexts, "global" as const]) {
      const found = this.#actions.get(placeOf(context, key));
      if (found !== undefined) return found;
    }
    return undefined;
  }

  /** Returns the keys of an action, the first one for help lines. */
  keysOf(name: ActionName): readonly string[] {
    return this.#keys.get(name) ?? [];
  }
}

function placeOf(context: KeyContext, key: string): string {
  return `${context} ${key}`;
}
