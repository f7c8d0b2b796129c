import type { Family } from "./secret-family.ts";
import { ASSIGNED_FAMILIES } from "./secret-family-assigned.ts";
import { randomTokenFamily } from "./secret-family-drawn.ts";
import { SHAPE_FAMILIES } from "./secret-family-shapes.ts";
import { TOKEN_FAMILIES } from "./secret-family-tokens.ts";
import { WORD_FAMILIES } from "./secret-family-words.ts";

/** All secret families, the most specific first. */
export const FAMILIES: readonly Family[] = [
  ...TOKEN_FAMILIES,
  ...SHAPE_FAMILIES,
  ...ASSIGNED_FAMILIES,
  ...WORD_FAMILIES,
  randomTokenFamily(),
];
