import type { SectionPart } from "../../session/config-section.ts";

/** `context_sources` at the top of a profile (CTX-01). */
export const contextSourcesPart = {
  shape: "part",
  name: "profile-content",
  keys: {
    contextSources: {
      kind: "texts",
      key: "context_sources",
      order: 20,
      meaning: "Files of instructions in the repository, from its root down.",
      default: ["AGENTS.md"],
      example: ["AGENTS.md", "CONTRIBUTING.md"],
      inRepositoryProfile: true,
      flag: { name: "--without-project", option: "withoutProject", means: [] },
    },
  },
} as const satisfies SectionPart;
