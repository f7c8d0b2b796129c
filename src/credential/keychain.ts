import type { Keychain } from "./machine-key.ts";

const ENTRY = { service: "cinch", name: "machine key" } as const;

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
