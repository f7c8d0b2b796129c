import type { SectionPart } from "../../session/config-section.ts";

/** `skill_packs` at the top of a profile (SKL-01). */
export const skillPacksPart = {
  shape: "part",
  name: "profile-content",
  keys: {
    skillPacks: {
      kind: "texts",
      key: "skill_packs",
      order: 30,
      meaning:
        "Skills of the program: `builtin`, or some of `review`, `authoring` ([skills.md](../skills.md)).",
      default: [],
      example: ["builtin"],
      inRepositoryProfile: true,
    },
  },
} as const satisfies SectionPart;
