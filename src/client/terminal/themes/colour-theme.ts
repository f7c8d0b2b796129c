import type { RoleColours, Theme } from "../drawing/paint.ts";
import type { Role } from "../drawing/span.ts";
import type { Rgb } from "./colour.ts";
import {
  BLACK,
  CONTRAST_MIN,
  fixedColour,
  lowestContrast,
  mixedColour,
  nearestFixed,
  readable,
  readableFixed,
  WHITE,
} from "./colour.ts";
import type { FillName, ThemePalette } from "./palettes.ts";
import { MATCH } from "./palettes.ts";

/** A weaker tint than this share is not seen. */
const SHARE_MIN = 0.02;

/** Number of colours that a terminal shows, and the background that it has named. */
export interface Ground {
  readonly colours: 256 | "all";
  /** Absent: the palette's own. */
  readonly background?: Rgb;
}

/**
 * Returns the theme of a palette on a background. Each text has a contrast of at least `CONTRAST_MIN` on the background
 * and on every fill, whatever the background is.
 */
export function colourTheme(
  palette: ThemePalette,
  { colours, background = palette.background }: Ground,
): Theme {
  const fills = fillsOf(palette, { colours, background });
  const { selected, prompt, added, removed, addedWord, removedWord } = fills;
  const grounds = [background, selected, prompt, added, removed];
  const fitted = colours === 256 ? readableFixed : readable;
  const code = (colour: Rgb) =>
    colours === 256 ? `5;${nearestFixed(colour)}` : `2;${colour.map(String).join(";")}`;
  const inks = palette.inks;
  const ink = (colour: Rgb): RoleColours => ({ foreground: `38;${code(fitted(colour, grounds))}` });
  const on = (fill: Rgb, colour: Rgb): RoleColours => ({
    foreground: `38;${code(fitted(colour, [fill]))}`,
    background: `48;${code(fill)}`,
  });
  const row = (fill: Rgb, colour: Rgb): RoleColours => ({ ...ink(colour), fill: `48;${code(fill)}` });
  const roles: Readonly<Record<Role, RoleColours>> = {
    text: {},
    dim: ink(inks.dim),
    accent: ink(inks.accent),
    heading: { ...ink(inks.heading), isBold: true },
    code: ink(inks.code),
    link: ink(inks.link),
    quote: ink(inks.dim),
    border: ink(inks.dim),
    prompt: row(prompt, inks.text),
    added: row(added, inks.added),
    removed: row(removed, inks.removed),
    addedWord: on(addedWord, inks.text),
    removedWord: on(removedWord, inks.text),
    success: ink(inks.success),
    warning: ink(inks.warning),
    failure: ink(inks.failure),
    selected: row(selected, inks.text),
    match: on(MATCH.match, MATCH.text),
    currentMatch: on(MATCH.currentMatch, MATCH.text),
    keyword: ink(inks.keyword),
    string: ink(inks.string),
    number: ink(inks.number),
    comment: ink(inks.comment),
    name: ink(inks.name),
    type: ink(inks.type),
  };
  return { name: palette.name, roles };
}

/**
 * Returns the backgrounds of rows: tints of the terminal's own, as strong as black or white stays readable on them. In
 * 256 colours they are those of the palette, unless its background is of another kind.
 */
function fillsOf(
  palette: ThemePalette,
  { colours, background }: Required<Ground>,
): Readonly<Record<FillName, Rgb>> {
  const end = lowestContrast(WHITE, [background]) >= lowestContrast(BLACK, [background]) ? WHITE : BLACK;
  const isReadable = (fill: Rgb) => lowestContrast(end, [fill]) >= CONTRAST_MIN;
  const shown = (colour: Rgb) => (colours === 256 ? fixedColour(nearestFixed(colour)) : colour);
  const fill = (name: FillName): Rgb => {
    if (colours === 256 && isReadable(palette.fixedFills[name])) return palette.fixedFills[name];
    const [colour, share] = palette.tints[name];
    for (let part = share; part > SHARE_MIN; part *= 0.7) {
      const tried = shown(mixedColour(background, colour, part));
      if (isReadable(tried)) return tried;
    }
    return shown(background);
  };
  return {
    selected: fill("selected"),
    prompt: fill("prompt"),
    added: fill("added"),
    removed: fill("removed"),
    addedWord: fill("addedWord"),
    removedWord: fill("removedWord"),
  };
}
