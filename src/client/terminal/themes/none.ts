import type { Theme } from "../drawing/paint.ts";

/** No colours (NO_COLOR): weight, underline and reverse video alone. */
export const NO_COLOURS: Theme = {
  name: "none",
  roles: {
    heading: { isBold: true },
    prompt: { isBold: true },
    addedWord: { isReversed: true },
    removedWord: { isReversed: true },
    failure: { isBold: true },
    warning: { isBold: true },
    selected: { isReversed: true },
    match: { isReversed: true },
    currentMatch: { isReversed: true, isBold: true, isUnderlined: true },
  },
};
