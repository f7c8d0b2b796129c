const NEAR_MAX = 3;
/** Longer words are not compared: they are no typing errors, and the cost grows with their length. */
const WORD_CHARACTERS_MAX = 256;

/**
 * Returns the few known words that a mistyped one probably means, the likeliest first.
 *
 * Likely are the same word in another case, and a word that begins with the other. So is one in which at most a third
 * of the letters, but at least one, differ, are missing, added or swapped.
 */
export function nearestWords(word: string, known: readonly string[]): readonly string[] {
  if (word === "" || word.length > WORD_CHARACTERS_MAX) return [];
  const wanted = fold(word);
  const distanceMax = Math.max(1, Math.floor(wanted.length / 3));
  return known
    .filter(({ length }) => length <= WORD_CHARACTERS_MAX)
    .map((candidate) => ({ candidate, rank: rank(wanted, fold(candidate)) }))
    .filter((entry) => entry.rank <= distanceMax)
    .sort((a, b) => a.rank - b.rank)
    .slice(0, NEAR_MAX)
    .map((entry) => entry.candidate);
}

/** Returns a hint for an error about an unknown word: the probable ones, else all known ones. */
export function hintFor(word: string, known: readonly string[]): string {
  const [meant] = nearestWords(word, known);
  return meant === undefined ? `There are: ${known.join(", ") || "none"}.` : `Did you mean ${meant}?`;
}

function fold(word: string): string {
  return word.normalize("NFC").toLowerCase();
}

function rank(wanted: string, candidate: string): number {
  if (wanted === candidate) return 0;
  if (wanted.length > 2 && begins(wanted, candidate)) return 1;
  return editDistance(wanted, candidate);
}

function begins(a: string, b: string): boolean {
  return b !== "" && (a.startsWith(b) || b.startsWith(a));
}

/** Letters to insert, remove, replace or swap with their neighbour (optimal string alignment). */
function editDistance(from: string, to: string): number {
  let beforeLast: readonly number[] = [];
  let last: readonly number[] = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (let row = 1; row <= from.length; row++) {
    const current = [row];
    for (let column = 1; column <= to.length; column++) {
      const same = from[row - 1] === to[column - 1];
      let cost = Math.min(
        (last[column] ?? 0) + 1,
        (current[column - 1] ?? 0) + 1,
        (last[column - 1] ?? 0) + (same ? 0 : 1),
      );
      const swapped = from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1];
      if (swapped) cost = Math.min(cost, (beforeLast[column - 2] ?? 0) + 1);
      current.push(cost);
    }
    beforeLast = last;
    last = current;
  }
  return last[to.length] ?? from.length;
}
