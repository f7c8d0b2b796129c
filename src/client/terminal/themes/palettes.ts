import type { Rgb } from "./colour.ts";
import { fixedColour, rgb } from "./colour.ts";

/** Backgrounds of whole rows and of changed words. */
export type FillName = "selected" | "prompt" | "added" | "removed" | "addedWord" | "removedWord";

/** Colours of texts, before they are fitted to a background. */
export type InkName =
  | "text"
  | "dim"
  | "accent"
  | "heading"
  | "code"
  | "link"
  | "added"
  | "removed"
  | "success"
  | "warning"
  | "failure"
  | "keyword"
  | "string"
  | "number"
  | "comment"
  | "name"
  | "type";

/** Colours of a theme. They are fitted to the background of the terminal. */
export interface ThemePalette {
  readonly name: string;
  /** Background that is taken for that of a terminal which has not named its own. */
  readonly background: Rgb;
  readonly inks: Readonly<Record<InkName, Rgb>>;
  /** The colour that each fill adds to the background, and its share, from 0 to 1. */
  readonly tints: Readonly<Record<FillName, readonly [colour: Rgb, share: number]>>;
  /** The fills in a terminal of 256 colours, where a slight tint would be grey. */
  readonly fixedFills: Readonly<Record<FillName, Rgb>>;
}

/** Colours of a match of a search, in all palettes. */
export const MATCH = { text: rgb("000000"), match: rgb("ffd75f"), currentMatch: rgb("ff8700") } as const;

export const DARK: ThemePalette = {
  name: "dark",
  background: rgb("16181d"),
  inks: inksOf({
    ...{ text: "d7dae0", dim: "9aa1ad", accent: "61c8d8", heading: "7fd1e0", code: "e5c07b", link: "7ab4ff" },
    ...{ added: "7ee2a0", removed: "ff9a93", success: "7ee2a0", warning: "f0c060", failure: "ff8a80" },
    ...{ keyword: "d7a4f5", string: "a5d6a7", number: "f5b681", comment: "9aa3b2" },
    ...{ name: "82b7ff", type: "f0d08a" },
  }),
  tints: tintsOf({ selected: "3a7bd5", prompt: "8a94a8", added: "1f9d4d", removed: "d1383d" }, 0.2),
  fixedFills: fixedOf({ selected: 238, prompt: 236, added: 22, removed: 52, addedWord: 28, removedWord: 88 }),
};

export const LIGHT: ThemePalette = {
  name: "light",
  background: rgb("ffffff"),
  inks: inksOf({
    ...{ text: "1f2328", dim: "59636e", accent: "0b6b7c", heading: "0b5563", code: "7a4d00", link: "0a58ca" },
    ...{ added: "116329", removed: "a40e26", success: "116329", warning: "7a4d00", failure: "a40e26" },
    ...{ keyword: "7a2e9d", string: "0a5d38", number: "8a3b00", comment: "59636e" },
    ...{ name: "0b4fb3", type: "6b5000" },
  }),
  tints: tintsOf({ selected: "3a7bd5", prompt: "6b7688", added: "1f9d4d", removed: "d1383d" }, 0.16),
  fixedFills: fixedOf({
    ...{ selected: 153, prompt: 255, added: 194, removed: 224, addedWord: 114, removedWord: 217 },
  }),
};

/** Blue and orange instead of green and red: people who cannot tell those apart can tell these. */
export const DARK_COLOUR_BLIND: ThemePalette = {
  ...DARK,
  name: "dark-colour-blind",
  inks: {
    ...DARK.inks,
    ...{ added: rgb("85bbff"), success: rgb("85bbff"), removed: rgb("ffb35c"), failure: rgb("ff9e3d") },
    ...{ warning: rgb("f4e27a"), string: rgb("9ecbff"), keyword: rgb("f0e68c"), number: rgb("ffc27a") },
  },
  tints: tintsOf({ selected: "8a94a8", prompt: "8a94a8", added: "1f6feb", removed: "d47616" }, 0.22),
  fixedFills: fixedOf({ selected: 239, prompt: 236, added: 17, removed: 52, addedWord: 25, removedWord: 94 }),
};

export const LIGHT_COLOUR_BLIND: ThemePalette = {
  ...LIGHT,
  name: "light-colour-blind",
  inks: {
    ...LIGHT.inks,
    ...{ added: rgb("0a4fb0"), success: rgb("0a4fb0"), removed: rgb("8f4700"), failure: rgb("8f4700") },
    ...{ warning: rgb("6b5a00"), string: rgb("0a4fb0"), keyword: rgb("4b3f00"), number: rgb("8f4700") },
  },
  tints: tintsOf({ selected: "6b7688", prompt: "6b7688", added: "1f6feb", removed: "d47616" }, 0.18),
  fixedFills: fixedOf({
    ...{ selected: 252, prompt: 255, added: 153, removed: 223, addedWord: 117, removedWord: 215 },
  }),
};

function inksOf(hex: Readonly<Record<InkName, string>>): ThemePalette["inks"] {
  return recordOf(hex, rgb);
}

/** Returns tints of one share. A changed word has twice that of its row, and a prompt less. */
function tintsOf(
  { selected, prompt, added, removed }: Readonly<Record<Exclude<FillName, `${string}Word`>, string>>,
  share: number,
): ThemePalette["tints"] {
  return {
    selected: [rgb(selected), share * 1.5],
    prompt: [rgb(prompt), share / 2],
    added: [rgb(added), share],
    removed: [rgb(removed), share],
    addedWord: [rgb(added), share * 2.2],
    removedWord: [rgb(removed), share * 2.2],
  };
}

function fixedOf(indexes: Readonly<Record<FillName, number>>): ThemePalette["fixedFills"] {
  return recordOf(indexes, fixedColour);
}

function recordOf<Name extends string, From, To>(
  from: Readonly<Record<Name, From>>,
  change: (value: From) => To,
): Record<Name, To> {
  const entries = Object.entries<From>(from).map(([name, value]) => [name, change(value)] as const);
  return Object.fromEntries(entries) as Record<Name, To>;
}
