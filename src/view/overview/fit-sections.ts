import type { OverviewName, Section, SectionEntry } from "./sections.ts";

/** A line of a sidebar. */
export type OverviewLine =
  | { readonly kind: "title"; readonly section: Section; readonly isFolded: boolean }
  | { readonly kind: "entry"; readonly section: Section; readonly entry: SectionEntry }
  /** Entries that have no room. */
  | { readonly kind: "more"; readonly section: Section; readonly hidden: number }
  | { readonly kind: "gap" };

export interface FitOptions {
  /** Number of lines. */
  readonly rows: number;
  readonly folded: ReadonlySet<OverviewName>;
}

/** Entries that a section gets before another gets more. */
const SHARE = 3;

/**
 * Returns the lines of the sections that have entries, as many as there is room for. Each section gets a line in
 * turn, so that a long list leaves some to the others, and says how many of its entries are missing. If not even the
 * titles fit, the last sections are left out.
 */
export function fitSections(all: readonly Section[], { rows, folded }: FitOptions): readonly OverviewLine[] {
  const sections = all.filter(({ entries }) => entries.length > 0);
  const wanted = sections.map(({ name, entries }) => (folded.has(name) ? 0 : entries.length));
  const counts = shares(wanted, rows - sections.length);
  const used = counts.reduce((sum, each) => sum + each, sections.length);
  let gaps = Math.max(0, Math.min(sections.length - 1, rows - used));
  const lines = sections.flatMap((section, at): readonly OverviewLine[] => {
    const { name, entries } = section;
    const hasGap = at > 0 && gaps > 0;
    if (hasGap) gaps -= 1;
    return [
      ...(hasGap ? [{ kind: "gap" } as const] : []),
      { kind: "title", section, isFolded: folded.has(name) },
      ...entryLines(section, counts[at] ?? 0, entries),
    ];
  });
  return lines.slice(0, rows);
}

/** Returns all lines, for a panel that scrolls. Empty sections are titles alone. */
export function allLines(
  sections: readonly Section[],
  folded: ReadonlySet<OverviewName>,
): readonly OverviewLine[] {
  return sections.flatMap((section): readonly OverviewLine[] => {
    const isFolded = folded.has(section.name);
    return [
      { kind: "title", section, isFolded },
      ...(isFolded ? [] : section.entries.map((entry) => ({ kind: "entry", section, entry }) as const)),
    ];
  });
}

/** Returns the lines of each section out of so many in all: first a share for each, then the rest in turns. */
function shares(wanted: readonly number[], rows: number): readonly number[] {
  const counts = wanted.map(() => 0);
  let left = Math.max(0, rows);
  for (const limit of [SHARE, Number.POSITIVE_INFINITY]) {
    let isGiving = true;
    while (left > 0 && isGiving) {
      isGiving = false;
      for (const [at, want] of wanted.entries()) {
        const has = counts[at] ?? 0;
        if (left === 0 || has >= Math.min(want, limit)) continue;
        counts[at] = has + 1;
        left -= 1;
        isGiving = true;
      }
    }
  }
  return counts;
}

/**
 * Returns the lines of entries, among them the first that is at work; the last line is the count of those that are
 * missing.
 */
function entryLines(
  section: Section,
  rows: number,
  entries: readonly SectionEntry[],
): readonly OverviewLine[] {
  if (rows === 0) return [];
  const shown = rows >= entries.length ? entries.length : rows - 1;
  const hidden = entries.length - shown;
  const atWork = entries.findIndex(({ tone }) => tone === "accent");
  const from = Math.max(0, Math.min(atWork - 1, hidden));
  return [
    ...entries.slice(from, from + shown).map((entry) => ({ kind: "entry", section, entry }) as const),
    ...(hidden === 0 ? [] : [{ kind: "more", section, hidden } as const]),
  ];
}
