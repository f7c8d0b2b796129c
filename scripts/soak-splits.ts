import { cutAt, readRecording, recordings } from "../test/support/recordings.ts";

/**
 * Reads every recording of `test/data/streams` once for each byte at which it can be cut in two (PROV-10, R06); gives
 * what was read otherwise than in one piece. About 1,450,000 readings of up to 170 KB: a quarter of an hour.
 */
export async function soakSplits(): Promise<readonly string[]> {
  const failures: string[] = [];
  const all = recordings();
  let cuts = 0;
  for (const [index, recording] of all.entries()) {
    const { name, bytes } = recording;
    const startMs = performance.now();
    const straight = await readRecording(recording, [bytes]);
    for (let at = 1; at < bytes.length; at++) {
      const cut = await readRecording(recording, cutAt(bytes, at));
      if (!Bun.deepEquals(cut, straight)) failures.push(`${name}: cut at byte ${at} it is read otherwise`);
    }
    cuts += bytes.length - 1;
    const seconds = ((performance.now() - startMs) / 1000).toFixed(1);
    console.log(`${index + 1}/${all.length} ${name}: ${bytes.length - 1} cuts, ${seconds} s`);
  }
  console.log(`${all.length} recordings, ${cuts} cuts`);
  return failures;
}
