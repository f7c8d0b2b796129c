import type { Theme } from "../drawing/paint.ts";

/** The sixteen colours of the terminal itself: readable wherever its own palette is. */
export const SIXTEEN: Theme = {
  name: "sixteen",
  roles: {
    dim: { isDim: true },
    accent: { foreground: "36" },
    heading: { foreground: "36", isBold: true },
    code: { foreground: "33" },
    link: { foreground: "34" },
    quote: { isDim: true },
    border: { isDim: true },
    prompt: { foreground: "97", isBold: true },
    promptArea: { foreground: "97", background: "44" },
    added: { foreground: "32" },
    removed: { foreground: "31" },
    addedWord: { foreground: "32", isReversed: true },
    removedWord: { foreground: "31", isReversed: true },
    success: { foreground: "32" },
    warning: { foreground: "33" },
    failure: { foreground: "31" },
    selected: { isReversed: true },
    match: { foreground: "30", background: "43" },
    currentMatch: { foreground: "30", background: "46" },
    keyword: { foreground: "35" },
    string: { foreground: "32" },
    number: { foreground: "36" },
    comment: { isDim: true },
    name: { foreground: "34" },
    type: { foreground: "33" },
  },
};
