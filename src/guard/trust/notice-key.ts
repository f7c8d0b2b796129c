import type { TrustItem } from "../../session/guard/trust.ts";

/**
 * Returns a key by which a sentence about a file is recognised after a handover to another session: the same words
 * about the same bytes are reported once, and again when the file has changed.
 */
export function noticeKey(sentence: string, items: readonly TrustItem[]): string {
  const about = items.filter(({ path }) => sentence.includes(path));
  return JSON.stringify([sentence, ...about.flatMap(({ files }) => files.map((file) => file.sha256))]);
}
