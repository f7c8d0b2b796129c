/**
 * Tells whether the memory of this process has grown by less than a limit since it had `before` bytes.
 *
 * What is garbage counts only where collecting it leaves too much: when a busy machine collects is its own affair.
 */
export function hasGrownLessThan(bytesMax: number, before: number): boolean {
  if (process.memoryUsage.rss() - before < bytesMax) return true;
  Bun.gc(true);
  Bun.gc(true);
  return process.memoryUsage.rss() - before < bytesMax;
}
