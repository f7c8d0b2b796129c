import type { KeyContext } from "./actions.ts";
import { CONTEXT_TITLES } from "./context-titles.ts";
import type { KeyTable } from "./key-table.ts";

/**
 * Contexts of the draft that hide keys of farther ones. A key may mean something else in a list or a question, and in
 * one mode of vim, where that is written in the file.
 */
const HIDES: Readonly<Partial<Record<KeyContext, readonly KeyContext[]>>> = {
  input: ["global"],
  vim: ["input", "global"],
};

/**
 * Returns a sentence for each key that does not do all that a person has chosen: two actions have it in one context, or
 * the draft hides it. Keys that nobody has chosen are not named.
 */
export function keyConflicts(table: KeyTable): readonly string[] {
  return [...sharedKeys(table), ...hiddenKeys(table)];
}

function sharedKeys(table: KeyTable): readonly string[] {
  return table.shared.map(({ key, context, actions: [winner, ...losers] }) => {
    const lost = losers.map((loser) => `${loser} = []`).join(" and ");
    return `${key}: ${losers.join(" and ")} cannot have it, because ${winner} has it ${whereOf(context)}. If that is meant, write ${lost}.`;
  });
}

function hiddenKeys(table: KeyTable): readonly string[] {
  const isChosen = (action: string) => Object.hasOwn(table.choices, action);
  return table.keys.flatMap((key) => {
    const uses = table.usesOf(key);
    return uses.flatMap((far) =>
      uses
        .filter((near) => HIDES[near.context]?.includes(far.context) === true && near.action !== far.action)
        .filter((near) => isChosen(near.action) || isChosen(far.action))
        .map(
          (near) =>
            `${key}: ${far.action} does not count ${whereOf(near.context)}, where ${near.action} has it.`,
        ),
    );
  });
}

/** Returns the title of a context inside of a sentence. */
function whereOf(context: KeyContext): string {
  const title = CONTEXT_TITLES[context];
  return `${title.slice(0, 1).toLowerCase()}${title.slice(1)}`;
}
