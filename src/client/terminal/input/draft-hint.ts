import { displayWidth } from "../../../view/terminal/display-width.ts";
import type { ActionName } from "../keys/actions.ts";
import type { KeyTable } from "../keys/key-table.ts";

/** Returns what an empty draft takes, for a person who has not sent anything yet; undefined if it does not fit. */
export function draftHint(keys: KeyTable, columns: number): string | undefined {
  const named = (action: ActionName, word: string) => {
    const [key] = keys.keysOf(action);
    return key === undefined ? [] : [`${key} ${word}`];
  };
  const help = named("app.helpIfEmpty", "keys");
  const palette = named("app.palette", "palette");
  const ways = [
    ["Ask for something", "/ commands", "@ files", "! shell", ...help, ...palette],
    ["Ask, or / @ !", ...help, ...palette],
    ["Ask, or / @ !", ...help],
  ];
  return ways.map((parts) => parts.join(" · ")).find((text) => displayWidth(text) <= columns);
}
