import { existsSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { PROGRAM_FEATURES } from "../../../app/plan/feature-set.ts";
import { markEarlierKey } from "../../../app/sessions/retention/log-files.ts";
import { HarnessError } from "../../../base/errors.ts";
import type { MachineKey } from "../../../credentials/machine-key.ts";
import { openMachineKey } from "../../../credentials/machine-key.ts";
import { changeKeyStore, readKeyStore } from "../../../credentials/store/key-store.ts";
import { hostClock } from "../../../platform/clock.ts";
import { hostFiles } from "../../../platform/files/files.ts";
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
 * Encrypts again everything that was sealed with the old machine key: the key store, and the keys of the session
 * store (SES-04). Parts under the current key are left alone, so that the next rotation finishes an interrupted one.
 * @returns a sentence for each store.
 * @throws HarnessError CredentialsLocked, SessionsLocked if the old key does not fit; that store is then unchanged.
 */
export async function rotate(rotation: Rotation): Promise<readonly string[]> {
  using old = await oldKey(rotation);
  return [await rotateCredentials(rotation, old), await rotateSessions(rotation, old)];
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

async function rotateSessions({ data, now }: Rotation, old: MachineKey): Promise<string> {
  const world = { files: hostFiles, random: hostRandom };
  const path = join(data, "sessions.db");
  const logKey = (key: MachineKey) => ({ key: key.derive("cinch log v1"), source: key.source });
  const done = existsSync(path)
    ? await rotateStore(path, {
        from: logKey(old),
        to: logKey(now),
        random: hostRandom.bytes,
        before: () =>
          markEarlierKey(now.derive("cinch log v1"), { world, paths: { data }, features: PROGRAM_FEATURES }),
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
