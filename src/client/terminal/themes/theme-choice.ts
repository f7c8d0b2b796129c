import type { Theme } from "../drawing/paint.ts";
import type { RightToLeft } from "../drawing/right-to-left.ts";
import type { Rgb } from "./colour.ts";
import { BLACK, contrast, WHITE } from "./colour.ts";
import { colourDepth } from "./colour-depth.ts";
import { colourTheme } from "./colour-theme.ts";
import { NO_COLOURS } from "./none.ts";
import type { ThemePalette } from "./palettes.ts";
import { DARK, DARK_COLOUR_BLIND, LIGHT, LIGHT_COLOUR_BLIND } from "./palettes.ts";
import type { Shade } from "./sixteen.ts";
import { sixteenColours } from "./sixteen.ts";

/** Themes that a person can choose, with what each is. */
export const THEMES = {
  auto: "dark or light, by the background of the terminal",
  dark: "for a dark background",
  light: "for a light background",
  "colour-blind": "blue and orange instead of green and red, by the background of the terminal",
  "dark-colour-blind": "blue and orange, for a dark background",
  "light-colour-blind": "blue and orange, for a light background",
  sixteen: "the sixteen colours of the terminal itself",
  none: "no colours: bold, underline and reverse alone",
} as const;

export type ThemeName = keyof typeof THEMES;
export const THEME_NAMES = Object.keys(THEMES) as readonly ThemeName[];

export interface ThemeChoiceOptions {
  readonly environment: Readonly<Record<string, string>>;
  /** False: NO_COLOR is set. `auto` heeds it, and a theme that is named counts more. */
  readonly hasColours: boolean;
  /** Returns the name of the setting. One that is unknown counts as `auto`. */
  readonly name: () => string;
  /** Returns how right-to-left words are written. Default: `isolate`. */
  readonly rightToLeft?: () => RightToLeft;
}

/** Decides with which theme the screen is painted. */
export class ThemeChoice {
  readonly #options: ThemeChoiceOptions;
  #background: Rgb | undefined;
  /** Theme that is previewed and not chosen. */
  #previewed: ThemeName | undefined;
  /** The theme of the last frame, and what it was made for. */
  #made: { readonly name: ThemeName; readonly rightToLeft: RightToLeft; readonly theme: Theme } | undefined;

  constructor(options: ThemeChoiceOptions) {
    this.#options = options;
  }

  /** The theme that counts now. */
  get theme(): Theme {
    const { name } = this;
    const rightToLeft = this.#options.rightToLeft?.() ?? "isolate";
    if (this.#made?.name !== name || this.#made.rightToLeft !== rightToLeft)
      this.#made = { name, rightToLeft, theme: { ...this.#make(name), rightToLeft } };
    return this.#made.theme;
  }

  /** The name of the theme that is shown: the previewed one, else that of the settings. */
  get name(): ThemeName {
    return this.#previewed ?? this.chosen;
  }

  /** The name of the settings. */
  get chosen(): ThemeName {
    const name = this.#options.name();
    return isThemeName(name) ? name : "auto";
  }

  /** Returns why a theme does not have its own colours here, as a sentence; undefined if it has. */
  limitation(name: ThemeName): string | undefined {
    const { environment, hasColours } = this.#options;
    if (name === "auto" && !hasColours) return "NO_COLOR is set: auto shows no colours.";
    if (name === "none" || name === "sixteen" || colourDepth(environment) !== 16) {
      const isByBackground = name === "auto" || name === "colour-blind";
      return isByBackground && this.#background === undefined
        ? "This terminal does not name its background: its own sixteen colours are shown."
        : undefined;
    }
    return "This terminal shows sixteen colours: those of the terminal itself are used.";
  }

  /** Takes the background that the terminal has named. */
  setBackground(background: Rgb): void {
    this.#background = background;
    this.#made = undefined;
  }

  /** Shows a theme without choosing it; undefined ends that. */
  preview(name: ThemeName | undefined): void {
    this.#previewed = name;
  }

  #make(name: ThemeName): Theme {
    const { environment, hasColours } = this.#options;
    const theme = name === "auto" && !hasColours ? NO_COLOURS : this.#coloured(name);
    return /^(?:linux|vt\d)/.test(environment["TERM"] ?? "") ? { ...theme, hasLinks: false } : theme;
  }

  #coloured(name: ThemeName): Theme {
    if (name === "none") return NO_COLOURS;
    const depth = colourDepth(this.#options.environment);
    const shade = this.#shade();
    const palette = paletteOf(name, shade);
    if (palette === undefined || depth === 16) return sixteenColours(shade);
    const background = this.#background;
    return colourTheme(palette, { colours: depth, ...(background === undefined ? {} : { background }) });
  }

  #shade(): Shade {
    return this.#background === undefined ? "unknown" : shadeOf(this.#background);
  }
}

function isThemeName(name: string): name is ThemeName {
  return Object.hasOwn(THEMES, name);
}

function paletteOf(name: ThemeName, shade: Shade): ThemePalette | undefined {
  switch (name) {
    case "auto":
      return shade === "unknown" ? undefined : shade === "dark" ? DARK : LIGHT;
    case "colour-blind":
      return shade === "unknown" ? undefined : shade === "dark" ? DARK_COLOUR_BLIND : LIGHT_COLOUR_BLIND;
    case "dark":
      return DARK;
    case "light":
      return LIGHT;
    case "dark-colour-blind":
      return DARK_COLOUR_BLIND;
    case "light-colour-blind":
      return LIGHT_COLOUR_BLIND;
    default:
      return undefined;
  }
}

/** Returns the kind of a background: dark if white can be read better on it than black. */
export function shadeOf(background: Rgb): "dark" | "light" {
  return contrast(WHITE, background) >= contrast(BLACK, background) ? "dark" : "light";
}
