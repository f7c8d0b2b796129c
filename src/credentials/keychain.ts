import { deadline, whileAlive } from "../base/async/deadline.ts";
import { HarnessError } from "../base/errors.ts";
import type { Clock } from "../base/world.ts";
import type { Keychain } from "./machine-key.ts";

const ENTRY = { service: "cinch", name: "machine key" } as const;

/** How long the keychain may take for one answer: a person may have to unlock it first. */
export const KEYCHAIN_MS_MAX = 60_000;

/** The keychain of this system: the login keychain of macOS, the Secret Service of Linux by D-Bus. */
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
 * A keychain that is waited for no longer than `KEYCHAIN_MS_MAX`: whoever wants a key waits for it, and most of them
 * cannot be asked to give up (REL-03).
 *
 * One that is locked is there all the same, so that nothing takes its place.
 * @throws HarnessError MachineKeyUnusable when the time is over.
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
