import type { TopSection } from "../../session/config-section.ts";

export const PROFILE_SCHEMA_VERSION = 1;
/** Appears in logs, in texts for people and in telemetry. */
const NAME = /^[^\p{C}\p{Zl}\p{Zp}]{1,64}$/u;
export const TOOL_EXECUTIONS = ["sequential", "parallel-read-only"] as const;

/** The profile of a session that names none. */
export const profileChoiceSection = {
  shape: "top",
  name: "profile-choice",
  in: "config",
  about: "The profile of a session that names none.",
  keys: {
    defaultProfile: {
      kind: "text",
      key: "default_profile",
      meaning:
        "The profile of a session without `--profile`: a name, or the path of a file. A relative path is one of the working directory.",
      default: "default",
      example: "self",
    },
  },
} as const satisfies TopSection;

/** The keys at the top of a profile that name it. */
export const profileHeadSection = {
  shape: "top",
  name: "profile-head",
  in: "profile",
  about: "The name of a profile, and the rules that it takes.",
  inRepositoryProfile: true,
  keys: {
    schemaVersion: {
      kind: "integer",
      key: "schema_version",
      min: 1,
      meaning: "The version of the format. A profile of a newer version is refused.",
      default: PROFILE_SCHEMA_VERSION,
      example: PROFILE_SCHEMA_VERSION,
    },
    name: {
      kind: "text",
      key: "name",
      meaning: "The name that sessions show.",
      otherwise: "the file's own name",
      example: "review",
      check: (name: string) =>
        NAME.test(name) ? undefined : "must be one line of 1 to 64 printable characters",
    },
  },
} as const satisfies TopSection;

/** The system text, the packs and the calls of a session. Features add keys: `SectionPart`. */
export const profileContentSection = {
  shape: "top",
  name: "profile-content",
  in: "profile",
  about: "The instructions, tools and skills of a session, at the top of a profile.",
  keys: {
    promptHeader: {
      kind: "text",
      key: "prompt_header",
      order: 10,
      meaning: "The first text of the system prompt.",
      default: "",
      example: "You review changes. Name what is wrong, and leave it as it is.",
      as: (text: string) => text.trim(),
    },
    toolPacks: {
      kind: "texts",
      key: "tool_packs",
      order: 40,
      meaning:
        "Tools of the program: `builtin` for all, or some of `fs`, `search`, `shell`, `git`, `plan`, `tasks`, `web`, `memory`, `agents`, `skills` ([tools.md](../tools.md)).",
      default: ["builtin"],
      example: ["fs", "search"],
      inRepositoryProfile: true,
    },
    toolExecution: {
      kind: "word",
      key: "tool_execution",
      order: 60,
      words: TOOL_EXECUTIONS,
      meaning: "Runs the calls of one answer one by one, or those that only read at the same time.",
      default: TOOL_EXECUTIONS[0],
      example: "parallel-read-only",
      inRepositoryProfile: true,
    },
  },
} as const satisfies TopSection;
