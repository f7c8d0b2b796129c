/** Counts the leading items that two lists share, by identity: every request repeats most of the previous one. */
export function commonStart(list: readonly unknown[], before: readonly unknown[]): number {
  const most = Math.min(list.length, before.length);
  let same = 0;
  while (same < most && list[same] === before[same]) same += 1;
  return same;
}
