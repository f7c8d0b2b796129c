import type { TrustItem } from "../../session/guard/trust.ts";

/**
 * By what a sentence about a file is known again in a session that takes the place of another one: the same words about
 * the same bytes are told once, and again when the file has become another one.
 */
export function toldKey(sentence: string, items: readonly TrustItem[]): string {
  const about = items.filter(({ path }) => sentence.includes(path));
  return JSON.stringify([sentence, ...about.flatMap(({ files }) => files.map((file) => file.sha256))]);
}
