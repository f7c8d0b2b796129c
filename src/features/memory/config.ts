import type { TableSection } from "../../session/config-section.ts";

/** `[memory]`: memories between sessions (CTX-02). */
export const memorySection = {
  shape: "table",
  name: "memory",
  about: "Memories that are kept between sessions: [memory.md](../memory.md).",
  keys: {
    enabled: {
      kind: "boolean",
      key: "enabled",
      meaning: "Offers the tools that write memories, and reads the index of memories into each session.",
      default: true,
      example: false,
    },
  },
} as const satisfies TableSection;
