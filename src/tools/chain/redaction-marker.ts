const MARKER = /«redacted:[^»\n]{0,200}»?/gu;

/**
 * Returns the first redaction marker that `next` contains more often than `before`, if any.
 *
 * Such a marker stands for a secret that the author of `next` never saw. Written to the file it would destroy the
 * secret, so the caller must refuse (decisions § Redaction and truth).
 */
export function addedMarker(before: string, next: string): string | undefined {
  const earlierCounts = counted(before);
  return [...counted(next)].find(([marker, times]) => times > (earlierCounts.get(marker) ?? 0))?.[0];
}

function counted(text: string): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const [marker] of text.matchAll(MARKER)) counts.set(marker, (counts.get(marker) ?? 0) + 1);
  return counts;
}
