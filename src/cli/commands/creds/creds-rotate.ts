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
  /** The key store, which need not be there. */
  readonly credentials: string;
  /** The directory of the session store. */
  readonly data: string;
  /** The configuration directory, where the salt of passphrases is. */
  readonly directory: string;
  /** The machine key as it is now. */
  readonly now: MachineKey;
  /** The old CINCH_MACHINE_KEY or CINCH_PASSPHRASE, or the bytes of machine.key in hex. */
  readonly before: string;
}

/**
 * Puts everything that was encrypted under another machine key under the one of now: the key store, and the keys of the
 * session store (SES-04). What is under it already is left alone, so that a rotation that was broken off is finished by
 * the next one. Gives a sentence for each.
 * @throws HarnessError CredentialsLocked, SessionsLocked where the old key is not the one; nothing of that store is changed.
 */
export async function rotate(rotation: Rotation): Promise<readonly string[]> {
  using old = await oldKey(rotation);
  return [await rotateCredentials(rotation, old), rotateSessions(rotation, old)];
}

/** A key where the text is one, else what a passphrase gives. */
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

/** Marks all checkpoints of now as kept under an earlier key, so that they do not count as damaged afterwards. */
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
