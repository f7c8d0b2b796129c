import { join } from "node:path";
import type { RandomBytes } from "../../../session/store/seal.ts";
import { openBytes, SealBroken, sealBytes, subKey } from "../../../session/store/seal.ts";

const SUFFIX = ".earlier-key";
const RECORD_NAME = /^(\d+)\.record$/;
const MARK_NAME = /^(\d+)\.earlier-key$/;

/** Returns the key of one log's checkpoints. @param logKey the installation's key for logs. */
export function checkpointKey(logKey: Uint8Array, log: string): Uint8Array {
  return subKey(logKey, `cinch checkpoints v1 ${log}`);
}

/** A file to write: it records that records up to a number were sealed under an earlier machine key. */
export interface EarlierKeyMark {
  readonly path: string;
  readonly bytes: Uint8Array;
}

/**
 * Returns the mark for a folder of checkpoints whose machine key is about to change, or undefined if it has no record.
 *
 * The mark is sealed under the new key. It therefore counts only while that key is in use.
 * @param names the files of the folder. @param key the new key of this log's checkpoints.
 */
export function earlierKeyMark(
  {
    folder,
    log,
    names,
  }: { readonly folder: string; readonly log: string; readonly names: readonly string[] },
  { key, random }: { readonly key: Uint8Array; readonly random: RandomBytes },
): EarlierKeyMark | undefined {
  const last = Math.max(0, ...numbersIn(names, RECORD_NAME));
  if (last === 0) return undefined;
  const bytes = sealBytes({ key: markKey(key), random }, markText(log, last), new Uint8Array(0));
  return { path: join(folder, `${last}${SUFFIX}`), bytes };
}

/**
 * Returns the number of the last record under an earlier machine key; 0 if there is none.
 * @param read returns the bytes of a file of the folder.
 */
export async function lastEarlierKeyRecord(
  { log, names, key }: { readonly log: string; readonly names: readonly string[]; readonly key: Uint8Array },
  read: (name: string) => Promise<Uint8Array>,
): Promise<number> {
  for (const number of numbersIn(names, MARK_NAME).sort((a, b) => b - a)) {
    try {
      openBytes(markKey(key), markText(log, number), await read(`${number}${SUFFIX}`));
      return number;
    } catch (thrown) {
      if (!(thrown instanceof SealBroken)) throw thrown; // a mark of another rotation does not open
    }
  }
  return 0;
}

function numbersIn(names: readonly string[], pattern: RegExp): number[] {
  return names.flatMap((name) => {
    const digits = pattern.exec(name)?.[1];
    return digits === undefined ? [] : [Number.parseInt(digits, 10)];
  });
}

function markKey(key: Uint8Array): Uint8Array {
  return subKey(key, "cinch checkpoint earlier key v1");
}

function markText(log: string, number: number): string {
  return ["cinch checkpoint earlier key v1", log, number].join("\0");
}
