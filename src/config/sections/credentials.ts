import type { TableSection } from "../../session/config-section.ts";

/** `[credentials]`: the place of the machine key (CRED-01). */
export const credentialsSection = {
  shape: "table",
  name: "credentials",
  in: "config",
  about: "The place of the machine key: [keys and secrets](../keys.md).",
  keys: {
    keychain: {
      kind: "boolean",
      key: "keychain",
      fixedAtStart: true,
      meaning: "Keeps the machine key in the keychain of the system.",
      default: false,
      example: true,
    },
  },
} as const satisfies TableSection;
