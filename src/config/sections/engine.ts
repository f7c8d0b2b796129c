import type { TableSection } from "../../session/config-section.ts";

/** `[engine]`: the engine that the commands of one user share. */
export const engineSection = {
  shape: "table",
  name: "engine",
  in: "config",
  about:
    "The engine that your commands share: [a prompt in an engine that runs](../clients.md#a-prompt-in-an-engine-that-runs).",
  keys: {
    stayMs: {
      kind: "duration",
      key: "stay",
      max: "7d",
      fixedAtStart: true,
      meaning:
        "Keeps a shared engine this long after its last client. `cinch -p` then starts a shared one if none runs, except in CI.",
      otherwise: "5 seconds after the last client of a terminal or editor; `cinch -p` starts none",
      example: "10m",
    },
  },
} as const satisfies TableSection;
