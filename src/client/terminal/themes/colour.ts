/** A colour: red, green and blue, from 0 to 255. */
export type Rgb = readonly [red: number, green: number, blue: number];

/** Lowest contrast of a text on its background: WCAG 2.2, level AA. */
export const CONTRAST_MIN = 4.5;
export const BLACK: Rgb = [0, 0, 0];
export const WHITE: Rgb = [255, 255, 255];
/** Steps in which a colour is moved towards black or white. */
const STEPS = 20;
/** First of the 240 colours that are the same in every terminal of 256 colours. */
const FIXED_FIRST = 16;
const CUBE = [0, 95, 135, 175, 215, 255] as const;
const GREYS = 24;

/** Returns the colour of six hex digits, with or without `#`. */
export function rgb(hex: string): Rgb {
  const value = Number.parseInt(hex.replace("#", ""), 16);
  return [(value >> 16) & 255, (value >> 8) & 255, value & 255];
}

/** Returns the relative luminance of a colour, from 0 to 1 (WCAG 2.2). */
function luminance([red, green, blue]: Rgb): number {
  return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue);
}

function linear(value: number): number {
  const share = value / 255;
  return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
}

/** Returns the contrast of two colours, from 1 to 21 (WCAG 2.2). */
export function contrast(one: Rgb, other: Rgb): number {
  const [low = 0, high = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (high + 0.05) / (low + 0.05);
}

/** Returns the lowest contrast of a colour on several backgrounds. */
export function lowestContrast(colour: Rgb, grounds: readonly Rgb[]): number {
  return Math.min(...grounds.map((ground) => contrast(colour, ground)));
}

/** Returns the colour between two others. @param share of the second one, from 0 to 1. */
export function mixedColour(from: Rgb, to: Rgb, share: number): Rgb {
  const [red = 0, green = 0, blue = 0] = from.map((value, at) =>
    Math.round(value + ((to[at] ?? 0) - value) * share),
  );
  return [red, green, blue];
}

/**
 * Returns a colour that can be read on all these backgrounds: the colour itself, or one nearer to black or white. If
 * neither reaches `CONTRAST_MIN` on all of them, it is the better of the two.
 */
export function readable(colour: Rgb, grounds: readonly Rgb[]): Rgb {
  const end = lowestContrast(WHITE, grounds) >= lowestContrast(BLACK, grounds) ? WHITE : BLACK;
  for (let step = 0; step < STEPS; step += 1) {
    const tried = mixedColour(colour, end, step / STEPS);
    if (lowestContrast(tried, grounds) >= CONTRAST_MIN) return tried;
  }
  return end;
}

/** Returns the colour of a number from 16 to 255, which is the same in every terminal of 256 colours. */
export function fixedColour(index: number): Rgb {
  const at = index - FIXED_FIRST;
  if (at >= CUBE.length ** 3) {
    const grey = 8 + 10 * (at - CUBE.length ** 3);
    return [grey, grey, grey];
  }
  return [CUBE[Math.floor(at / 36)] ?? 0, CUBE[Math.floor(at / 6) % 6] ?? 0, CUBE[at % 6] ?? 0];
}

const FIXED: readonly Rgb[] = Array.from({ length: CUBE.length ** 3 + GREYS }, (_, at) =>
  fixedColour(FIXED_FIRST + at),
);

/** Returns the number of the fixed colour that is nearest to a colour. */
export function nearestFixed(colour: Rgb): number {
  return FIXED_FIRST + nearestOf(colour, () => true);
}

/** Returns the nearest fixed colour that can be read on these backgrounds, as `readable` does. */
export function readableFixed(colour: Rgb, grounds: readonly Rgb[]): Rgb {
  const found = nearestOf(colour, (each) => lowestContrast(each, grounds) >= CONTRAST_MIN);
  return FIXED[found] ?? readable(colour, grounds);
}

/** Returns the index in `FIXED` of the nearest colour among some; -1 if there is none. */
function nearestOf(colour: Rgb, among: (each: Rgb) => boolean): number {
  let [best, found] = [Number.POSITIVE_INFINITY, -1];
  for (const [at, each] of FIXED.entries()) {
    const distance = squaredDistance(colour, each);
    if (distance < best && among(each)) [best, found] = [distance, at];
  }
  return found;
}

/** Returns a squared distance that weighs the channels as eyes do. */
function squaredDistance(one: Rgb, other: Rgb): number {
  const [red, green, blue] = [one[0] - other[0], one[1] - other[1], one[2] - other[2]];
  return 2 * red * red + 4 * green * green + 3 * blue * blue;
}
