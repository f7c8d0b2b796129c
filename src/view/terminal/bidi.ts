/** The direction in which a paragraph is read. */
export type Direction = "ltr" | "rtl";

/** Letters that are read from the right to the left, and the marks that say so. */
const RIGHT =
  "\\u0590\\u05be\\u05c0\\u05c3\\u05c6\\u05d0-\\u05f4\\u0608\\u060b\\u060d\\u061b-\\u064a\\u066d-\\u066f\\u0671-\\u06d5" +
  "\\u06e5\\u06e6\\u06ee\\u06ef\\u06fa-\\u0710\\u0712-\\u072f\\u074d-\\u07a5\\u07b1-\\u07ea\\u07f4\\u07f5\\u07fa-\\u0815" +
  "\\u081a\\u0824\\u0828\\u0830-\\u0858\\u085e-\\u088e\\u08a0-\\u08c9\\u200f\\ufb1d\\ufb1f-\\ufb28\\ufb2a-\\ufd3d" +
  "\\ufd50-\\ufdcf\\ufdf0-\\ufdfc\\ufe70-\\ufefc\\u{10800}-\\u{10fff}\\u{1e800}-\\u{1efff}";
/** Marks and joiners behind a letter. */
const MARKS = "[\\p{M}\\u200c\\u200d]*";
const HAS_RIGHT = new RegExp(`[${RIGHT}]`, "u");
const IS_RIGHT = new RegExp(`^[${RIGHT}]`, "u");
const ARABIC = /^[\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}]/u;
const LETTER = /^[\p{L}\p{Mc}\p{Nl}\u200e]/u;
const FIRST_STRONG = new RegExp(`[${RIGHT}]|[\\p{L}\\u200e]`, "u");
const DIGIT = /^[0-9\u06f0-\u06f9\u00b2\u00b3\u00b9\u2070-\u2079\u2080-\u2089\uff10-\uff19]/;
const ARABIC_DIGIT = /^[\u0600-\u0605\u0660-\u0669\u066b\u066c\u06dd]/;
const SIGN = /^[+\-\u207a\u207b\u208a\u208b\u2212\uff0b\uff0d]/;
const COMMON = /^[,./:\u00a0\u060c\u202f\u2044\uff0c\uff0e\uff0f\uff1a]/;
const TERMINATOR = /^(?:[#%\u00b0\u00b1\u066a\u2030-\u2034]|\p{Sc})/u;
const BLANK = /^\s/;
/** Brackets by the one that opens, and other signs that are turned where they are read from the right. */
const OPENING = pairsOf(["()", "[]", "{}", "⟨⟩", "「」", "『』", "【】", "《》", "（）", "［］", "｛｝"]);
const TURNED = new Map([...OPENING, ...pairsOf(["<>", "«»", "‹›", "≤≥"])]);
const MIRRORED = new Map([...TURNED, ...Array.from(TURNED, ([open, close]) => [close, open] as const)]);
/** Units that are searched for the first letter of a paragraph. */
const SEARCHED_UNITS_MAX = 4_096;

function pairsOf(pairs: readonly string[]): ReadonlyMap<string, string> {
  return new Map(pairs.map((pair) => [pair.slice(0, 1), pair.slice(1)]));
}

/** Returns true for a text with letters that are read from the right to the left. */
export function hasRightToLeft(text: string): boolean {
  return HAS_RIGHT.test(text);
}

/** Returns the direction of a paragraph: that of its first letter; from the left without one. */
export function directionOf(paragraph: string): Direction {
  const [first = ""] = FIRST_STRONG.exec(paragraph.slice(0, SEARCHED_UNITS_MAX)) ?? [];
  return IS_RIGHT.test(first) ? "rtl" : "ltr";
}

/**
 * Runs of words that are read from the right to the left, with the blanks and digits between two of them. Letters of
 * another direction, separators of fields, and wider gaps end a run.
 */
export const RIGHT_RUNS = new RegExp(
  `[${RIGHT}]${MARKS}(?:(?:(?! {2})[^\\p{L}${RIGHT}·│|/\\\\]|[${RIGHT}])*[${RIGHT}]${MARKS})?`,
  "gu",
);

/** A cluster of a row, in the order in which it is shown. */
export interface ShownCluster {
  /** Its index among the clusters in the order in which they are read. */
  readonly index: number;
  /** The cluster; of a bracket that is read from the right the one that opens to the other side. */
  readonly text: string;
}

type Kind = "L" | "R" | "AL" | "EN" | "AN" | "ES" | "ET" | "CS" | "WS" | "ON";

/**
 * Returns the clusters of a row in the order in which they are seen from the left to the right: Unicode's bidirectional
 * algorithm (UAX #9) without explicit embeddings, which no shown text has.
 */
export function visualOrder(clusters: readonly string[], direction: Direction): readonly ShownCluster[] {
  const base = direction === "rtl" ? 1 : 0;
  const levels = levelsOf(clusters, base);
  // Blanks at the end of a row stand at its end (L1).
  for (let at = clusters.length - 1; at >= 0 && BLANK.test(clusters[at] ?? ""); at -= 1) levels[at] = base;
  return turned(levels).map((index) => {
    const cluster = clusters[index] ?? "";
    const isRight = (levels[index] ?? 0) % 2 === 1;
    return { index, text: isRight ? (MIRRORED.get(cluster) ?? cluster) : cluster };
  });
}

/** Returns the kind of a cluster: that of its first character, which its marks follow (W1). */
function kindOf(cluster: string): Kind {
  if (ARABIC_DIGIT.test(cluster)) return "AN";
  if (IS_RIGHT.test(cluster)) return ARABIC.test(cluster) ? "AL" : "R";
  if (DIGIT.test(cluster)) return "EN";
  if (SIGN.test(cluster)) return "ES";
  if (COMMON.test(cluster)) return "CS";
  if (TERMINATOR.test(cluster)) return "ET";
  if (BLANK.test(cluster)) return "WS";
  return LETTER.test(cluster) ? "L" : "ON";
}

/** Returns the level of each cluster: even ones are read from the left, odd ones from the right. */
function levelsOf(clusters: readonly string[], base: 0 | 1): number[] {
  const edge: Kind = base === 1 ? "R" : "L";
  const numbered = resolvedNumbers(clusters.map(kindOf), edge);
  const kinds = resolvedNeutrals(resolvedBrackets(numbered, clusters, edge), edge);
  return kinds.map((kind) => {
    if (kind === "R") return 1;
    if (kind === "L") return base === 1 ? 2 : 0;
    return 2;
  });
}

/** Resolves numbers and what belongs to them (W2 to W7). */
function resolvedNumbers(given: readonly Kind[], edge: Kind): Kind[] {
  const kinds = [...given];
  let strong = edge;
  for (const [at, kind] of kinds.entries()) {
    if (kind === "EN" && strong === "AL") kinds[at] = "AN";
    if (isStrong(kind)) strong = kind;
  }
  for (const [at, kind] of kinds.entries()) if (kind === "AL") kinds[at] = "R";
  for (const [at, kind] of kinds.entries()) {
    const [before, after] = [kinds[at - 1], kinds[at + 1]];
    if (kind === "ES" && before === "EN" && after === "EN") kinds[at] = "EN";
    if (kind === "CS" && before === after && (before === "EN" || before === "AN")) kinds[at] = before;
  }
  for (const [from, to] of runsOf(kinds, (kind) => kind === "ET"))
    if (kinds[from - 1] === "EN" || kinds[to] === "EN") kinds.fill("EN", from, to);
  strong = edge;
  for (const [at, kind] of kinds.entries()) {
    if (kind === "ES" || kind === "ET" || kind === "CS") kinds[at] = "ON";
    if (kind === "EN" && strong === "L") kinds[at] = "L";
    if (isStrong(kind)) strong = kind;
  }
  return kinds;
}

/**
 * Gives a pair of brackets the direction of the paragraph if a letter in it has that one, else that of the letters in
 * it if what is before it has it too (N0).
 */
function resolvedBrackets(given: readonly Kind[], clusters: readonly string[], edge: Kind): Kind[] {
  const kinds = [...given];
  const strongAt = (at: number): Kind | undefined => {
    const kind = kinds[at];
    if (kind === "L") return "L";
    return kind === "R" || kind === "EN" || kind === "AN" ? "R" : undefined;
  };
  for (const [open, close] of bracketPairs(kinds, clusters)) {
    const within = new Set<Kind>();
    for (let at = open + 1; at < close; at += 1) within.add(strongAt(at) ?? "ON");
    const other: Kind = edge === "L" ? "R" : "L";
    let before: Kind | undefined;
    for (let at = open - 1; at >= 0 && before === undefined; at -= 1) before = strongAt(at);
    if (!within.has(edge) && !within.has(other)) continue;
    const kind = !within.has(edge) && (before ?? edge) === other ? other : edge;
    [kinds[open], kinds[close]] = [kind, kind];
  }
  return kinds;
}

/** Returns the places of brackets that open and close each other, by the opening one. */
function bracketPairs(
  kinds: readonly Kind[],
  clusters: readonly string[],
): readonly (readonly [number, number])[] {
  const pairs: [number, number][] = [];
  const open: number[] = [];
  for (const [at, cluster] of clusters.entries()) {
    if (kinds[at] !== "ON") continue;
    if (OPENING.has(cluster)) open.push(at);
    const found = open.findLastIndex((place) => OPENING.get(clusters[place] ?? "") === cluster);
    const place = open[found];
    if (place === undefined) continue;
    pairs.push([place, at]);
    open.length = found;
  }
  return pairs.toSorted(([one], [two]) => one - two);
}

/** Gives what has no direction that of both its neighbours, else that of the paragraph (N1, N2). */
function resolvedNeutrals(given: readonly Kind[], edge: Kind): Kind[] {
  const kinds = [...given];
  const directionAt = (at: number): Kind => {
    const kind = kinds[at] ?? edge;
    return kind === "L" ? "L" : "R";
  };
  for (const [from, to] of runsOf(kinds, (kind) => kind === "WS" || kind === "ON")) {
    const before = from === 0 ? edge : directionAt(from - 1);
    const after = to === kinds.length ? edge : directionAt(to);
    kinds.fill(before === after ? before : edge, from, to);
  }
  return kinds;
}

function isStrong(kind: Kind): boolean {
  return kind === "L" || kind === "R" || kind === "AL";
}

/** Returns the beginning and the end of each run of kinds that are meant. */
function runsOf(
  kinds: readonly Kind[],
  isMeant: (kind: Kind) => boolean,
): readonly (readonly [number, number])[] {
  const runs: [number, number][] = [];
  for (const [at, kind] of kinds.entries()) {
    if (!isMeant(kind)) continue;
    const last = runs.at(-1);
    if (last?.[1] === at) last[1] = at + 1;
    else runs.push([at, at + 1]);
  }
  return runs;
}

/** Returns the indices in the order in which they are shown: runs of each level are turned, the highest first (L2). */
function turned(levels: readonly number[]): readonly number[] {
  const order = levels.map((_, index) => index);
  for (let level = 2; level >= 1; level -= 1) {
    let from = 0;
    while (from < order.length) {
      if ((levels[order[from] ?? 0] ?? 0) < level) {
        from += 1;
        continue;
      }
      let to = from;
      while (to < order.length && (levels[order[to] ?? 0] ?? 0) >= level) to += 1;
      order.splice(from, to - from, ...order.slice(from, to).reverse());
      from = to;
    }
  }
  return order;
}
