import type { ActionName, KeyContext } from "./actions.ts";
import { ACTION_NAMES, ACTIONS } from "./actions.ts";
import { VIM_MODES } from "./context-titles.ts";
import { keyName } from "./key-name.ts";

/**
 * Keys that a person has chosen for some actions; an empty list takes all keys from one. A key counts in the context of
 * its action, or behind `vim-insert:`, `vim-normal:` or `vim-visual:` in that mode alone.
 */
export type KeyChoices = Readonly<Partial<Record<ActionName, readonly string[]>>>;

/** A key in a context. */
export interface KeyLocation {
  readonly context: KeyContext;
  readonly key: string;
}

/** A key in a context that several actions have. The first one counts. */
export interface SharedKey extends KeyLocation {
  readonly actions: readonly ActionName[];
}

/** The keys of all actions. */
export class KeyTable {
  readonly choices: KeyChoices;
  readonly #actions = new Map<string, ActionName[]>();
  readonly #places = new Map<string, KeyLocation>();

  constructor(choices: KeyChoices = {}) {
    this.choices = choices;
    // What a person has chosen counts more than what is there without a file.
    const isChosen = (name: ActionName) => choices[name] !== undefined;
    for (const name of [...ACTION_NAMES.filter(isChosen), ...ACTION_NAMES.filter((each) => !isChosen(each))])
      for (const key of this.#writtenOf(name)) this.#add(name, keyLocation(name, key));
  }

  /** Returns what a key does in the nearest of these contexts in which it does something, then in `global`. */
  find(key: string, contexts: readonly KeyContext[]): ActionName | undefined {
    const name = keyName(key) ?? key;
    for (const context of [...contexts, "global" as const]) {
      const [found] = this.#actions.get(textOf({ context, key: name })) ?? [];
      if (found !== undefined) return found;
    }
    return undefined;
  }

  /** Returns the keys that an action has and no other has taken, the first one for help lines. */
  keysOf(name: ActionName): readonly string[] {
    return this.#writtenOf(name).filter(
      (key) => this.#actions.get(textOf(keyLocation(name, key)))?.[0] === name,
    );
  }

  /** Returns the first key of an action, for help lines. @param otherwise words for an action without a key. */
  label(name: ActionName, otherwise = "-"): string {
    return this.keysOf(name)[0] ?? otherwise;
  }

  /** Returns the contexts in which a key does something, with the action. */
  usesOf(key: string): readonly (KeyLocation & { readonly action: ActionName })[] {
    const name = keyName(key) ?? key;
    return [...this.#places].flatMap(([text, place]) => {
      const [action] = this.#actions.get(text) ?? [];
      return place.key === name && action !== undefined ? [{ ...place, action }] : [];
    });
  }

  /** The names of all keys that do something. */
  get keys(): readonly string[] {
    return [...new Set([...this.#places.values()].map(({ key }) => key))];
  }

  /** Returns the keys that several actions have in one context. */
  get shared(): readonly SharedKey[] {
    return [...this.#places].flatMap(([text, place]) => {
      const actions = this.#actions.get(text) ?? [];
      return actions.length > 1 ? [{ ...place, actions }] : [];
    });
  }

  #writtenOf(name: ActionName): readonly string[] {
    return this.choices[name] ?? ACTIONS[name].keys;
  }

  #add(name: ActionName, place: KeyLocation): void {
    const text = textOf(place);
    const known = this.#actions.get(text);
    if (known === undefined) {
      this.#actions.set(text, [name]);
      this.#places.set(text, place);
    } else if (!known.includes(name)) known.push(name);
  }
}

/** Returns where a key of an action counts. */
export function keyLocation(name: ActionName, written: string): KeyLocation {
  const [, mode = "", rest = ""] = /^(vim-\w+):(.+)$/s.exec(written) ?? [];
  const context = VIM_MODES.get(mode);
  const key = context === undefined ? written : rest;
  return { context: context ?? ACTIONS[name].context, key: keyName(key) ?? key };
}

function textOf({ context, key }: KeyLocation): string {
  return `${context} ${key}`;
}
