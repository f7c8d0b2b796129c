import { deadline, whileAlive } from "../base/async/deadline.ts";
import { HarnessError } from "../base/errors.ts";
import type { Clock } from "../base/world.ts";
import type { Keychain } from "./machine-key.ts";

const ENTRY = { service: "cinch", name: "machine key" } as const;

/** Limit of one keychain call: the user may have to unlock it first. */
export const KEYCHAIN_MS_MAX = 60_000;

/** Returns the system keychain: the login keychain of macOS, the Secret Service of Linux by D-Bus. */
export function systemKeychain(): Keychain {
  return {
    async read() {
      const text = await Bun.secrets.get(ENTRY);
      return text === null ? undefined : new Uint8Array(Buffer.from(text, "base64"));
    },
    async store(key) {
      await Bun.secrets.set({ ...ENTRY, value: Buffer.from(key).toString("base64") });
    },
  };
}

/**
 * Limits each call of a keychain to `KEYCHAIN_MS_MAX`, since most callers cannot be cancelled (REL-03).
 *
 * A locked keychain still counts as present, so that no other source replaces it.
 * @throws HarnessError MachineKeyUnusable at the time limit.
 */
export function timedKeychain(keychain: Keychain, clock: Clock): Keychain {
  async function timed<Value>(answer: Promise<Value>): Promise<Value> {
    using limit = deadline(clock, KEYCHAIN_MS_MAX, new AbortController().signal);
    try {
      return await whileAlive(answer, limit.signal);
    } catch (cause) {
      if (!limit.reached) throw cause;
      const problem = `it did not answer within ${KEYCHAIN_MS_MAX / 1_000} s; unlock it and start cinch again`;
      throw new HarnessError("MachineKeyUnusable", { source: "the keychain", problem }, { cause });
    }
  }
  return { read: () => timed(keychain.read()), store: (key) => timed(keychain.store(key)) };
}
