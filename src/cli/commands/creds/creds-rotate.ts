import { existsSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { HarnessError } from "../../../base/errors.ts";
import type { MachineKey } from "../../../credentials/machine-key.ts";
import { openMachineKey } from "../../../credentials/machine-key.ts";
import { changeKeyStore, readKeyStore } from "../../../credentials/store/key-store.ts";
import { checkpointsFolder } from "../../../features/checkpoints/store/checkpoints-folder.ts";
import { checkpointKey, earlierKeyMark } from "../../../features/checkpoints/store/earlier-key.ts";
import { hostClock } from "../../../platform/clock.ts";
import { hostRandom } from "../../../platform/random.ts";
import { rotateStore } from "../../../session/sqlite/keys/rotate.ts";

export interface Rotation {
  /** Key store; it need not exist. */
  readonly credentials: string;
  /** The directory of the session store. */
  readonly data: string;
  /** The configuration directory, where the salt of passphrases is. */
  readonly directory: string;
  /** Current machine key. */
  readonly now: MachineKey;
  /** The old CINCH_MACHINE_KEY or CINCH_PASSPHRASE, or the bytes of machine.key in hex. */
  readonly before: string;
}

/**
 * Re-encrypts everything that was sealed with the old machine key: the key store, and the keys of the session store (SES-04).
 * Parts under the current key are left alone, so that the next rotation finishes an interrupted one.
 * @returns a sentence for each store.
 * @throws HarnessError CredentialsLocked, SessionsLocked if the old key does not fit; that store is then unchanged.
 */
export async function rotate(rotation: Rotation): Promise<readonly string[]> {
  using old = await oldKey(rotation);
  return [await rotateCredentials(rotation, old), rotateSessions(rotation, old)];
}

/** Returns the key that a text holds, else the one derived from it as a passphrase. */
async function oldKey({ before, directory }: Rotation): Promise<MachineKey> {
  try {
    return await openMachineKey({ directory, machineKey: before, random: hostRandom });
  } catch (thrown) {
    if (!(thrown instanceof HarnessError) || thrown.reason !== "MachineKeyUnusable") throw thrown;
    return await openMachineKey({ directory, passphrase: before, random: hostRandom });
  }
}

async function rotateCredentials({ credentials: path, now }: Rotation, old: MachineKey): Promise<string> {
  if (!existsSync(path)) return "There is no key store.";
  try {
    await readKeyStore({ path, machineKey: now });
    return `The key store ${path} is under this machine key already.`;
  } catch (thrown) {
    if (!(thrown instanceof HarnessError) || thrown.reason !== "CredentialsLocked") throw thrown;
  }
  const keys = await readKeyStore({ path, machineKey: old });
  const fresh = `${path}.rotated`;
  rmSync(fresh, { force: true });
  await changeKeyStore({ path: fresh, machineKey: now, random: hostRandom, clock: hostClock }, () => keys);
  renameSync(fresh, path);
  return `The key store ${path} is under the machine key from ${now.source} now.`;
}

function rotateSessions({ data, now }: Rotation, old: MachineKey): string {
  const path = join(data, "sessions.db");
  const logKey = (key: MachineKey) => ({ key: key.derive("cinch log v1"), source: key.source });
  const done = existsSync(path)
    ? rotateStore(path, {
        from: logKey(old),
        to: logKey(now),
        random: hostRandom.bytes,
        before: () => markCheckpoints(data, now),
      })
    : ({ kind: "none" } as const);
  switch (done.kind) {
    case "none":
      return "There are no sealed sessions.";
    case "done before":
      return `The session store ${path} is under this machine key already.`;
    case "rotated":
      return `The session store ${path} is under the machine key from ${now.source} now. Output and files that earlier sessions have kept can no longer be read, nor set back.`;
  }
}

/** Marks all checkpoints as sealed with an earlier key, so that they do not count as damaged. */
function markCheckpoints(data: string, now: MachineKey): void {
  const all = checkpointsFolder(data);
  if (!existsSync(all)) return;
  const logKey = now.derive("cinch log v1");
  for (const entry of readdirSync(all, { withFileTypes: true })) {
    if (!entry.isDirectory()) continue;
    const [log, folder] = [entry.name, join(all, entry.name)];
    const sealer = { key: checkpointKey(logKey, log), random: hostRandom.bytes };
    const mark = earlierKeyMark({ folder, log, names: readdirSync(folder) }, sealer);
    if (mark !== undefined) writeFileSync(mark.path, mark.bytes, { mode: 0o600 });
  }
}
