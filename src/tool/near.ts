const DISTANCE_MAX = 2;
const NEAR_MAX = 3;

/** The few of these names that somebody who wrote `name` may have meant, the likeliest first. */
export function nearest(name: string, names: readonly string[]): readonly string[] {
  const wanted = fold(name);
  return names
    .map((candidate) => ({ candidate, rank: rank(wanted, fold(candidate)) }))
    .filter((entry) => entry.rank <= DISTANCE_MAX)
    .sort((a, b) => a.rank - b.rank)
    .slice(0, NEAR_MAX)
    .map((entry) => entry.candidate);
}

function fold(name: string): string {
  return name.normalize("NFC").toLowerCase();
}

function rank(wanted: string, candidate: string): number {
  if (wanted === candidate) return 0;
  if (wanted.length > 2 && (candidate.includes(wanted) || wanted.includes(candidate))) return 1;
  return distance(wanted, candidate);
}

/** Edits (insert, delete, replace a character) between two short names; gives up above `DISTANCE_MAX`. */
function distance(a: string, b: string): number {
  if (Math.abs(a.length - b.length) > DISTANCE_MAX) return DISTANCE_MAX + 1;
  let above = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = (above[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      row.push(Math.min(replaced, (above[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1));
    }
    above = row;
  }
  return above[b.length] ?? DISTANCE_MAX + 1;
}
