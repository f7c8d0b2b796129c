import type { RoleColours, Theme } from "../drawing/paint.ts";
import type { Role } from "../drawing/span.ts";

/** Kind of the terminal's background, as far as it is known. */
export type Shade = "dark" | "light" | "unknown";

/**
 * Colours that differ by the background. Yellow and cyan cannot be read on white, and blue not on black: on an unknown
 * background they are left out, and weight and underline take their place.
 */
const BY_SHADE: Readonly<Record<Shade, Readonly<Partial<Record<Role, RoleColours>>>>> = {
  dark: {
    accent: { foreground: "36" },
    heading: { foreground: "36", isBold: true },
    code: { foreground: "33" },
    link: { foreground: "96" },
    warning: { foreground: "33" },
    keyword: { foreground: "95" },
    number: { foreground: "36" },
    name: { foreground: "96" },
    type: { foreground: "33" },
  },
  light: {
    accent: { foreground: "34" },
    heading: { foreground: "34", isBold: true },
    code: { foreground: "35" },
    link: { foreground: "34" },
    warning: { foreground: "35" },
    keyword: { foreground: "35" },
    number: { foreground: "31" },
    name: { foreground: "34" },
    type: { foreground: "34" },
  },
  unknown: {
    accent: { foreground: "35" },
    heading: { isBold: true },
    code: { isBold: true },
    warning: { foreground: "35" },
    keyword: { foreground: "35" },
    name: { isBold: true },
  },
};

/** Returns the theme of the terminal's own sixteen colours: it can be read wherever the person's palette can. */
export function sixteenColours(shade: Shade): Theme {
  return {
    name: "sixteen",
    roles: {
      dim: { isDim: true },
      quote: { isDim: true },
      border: { isDim: true },
      prompt: { isBold: true },
      added: { foreground: "32" },
      removed: { foreground: "31" },
      addedWord: { foreground: "32", isReversed: true },
      removedWord: { foreground: "31", isReversed: true },
      success: { foreground: "32" },
      failure: { foreground: "31" },
      selected: { isReversed: true },
      match: { isReversed: true },
      currentMatch: { isReversed: true, isBold: true, isUnderlined: true },
      string: { foreground: "32" },
      comment: { isDim: true },
      ...BY_SHADE[shade],
    },
  };
}
