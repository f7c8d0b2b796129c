import type { CliFlag, CliVerb } from "../../../session/commands/cli-command.ts";
import type { CommandContext } from "../../args/parsed-call.ts";

export const PROFILE_FLAGS = [
  { name: "json", kind: "switch", help: "Write JSON, for programs." },
  {
    name: "output-format",
    kind: { oneOf: ["text", "json"] },
    placeholder: "FORMAT",
    help: "text (default) or json, which is the same as --json.",
  },
] as const satisfies readonly CliFlag[];

const PROFILE = { name: "NAME|PATH", help: "a profile", optional: true };
const flags = ["json", "output-format"] as const;

export const PROFILE_VERBS = [
  {
    name: "list",
    summary: "Lists the profiles and marks the one in use.",
    flags,
    examples: [
      { line: "cinch profile list", does: "lists them" },
      { line: "cinch profile list --json", does: "for a program" },
    ],
  },
  {
    name: "show",
    summary: "Shows every setting that a session here would have, and where each comes from.",
    words: [PROFILE],
    flags,
    examples: [
      { line: "cinch profile show default", does: "shows what it sets" },
      { line: "cinch profile show --max-turns 7", does: "with a flag that a session would get" },
    ],
  },
  {
    name: "check",
    summary: "Reports what is wrong in the files. Exit code 2 if a session would not start.",
    words: [PROFILE],
    flags,
    examples: [
      { line: "cinch profile check", does: "checks all files" },
      { line: "cinch profile check --json", does: "for a program" },
    ],
  },
] as const satisfies readonly CliVerb[];

export type ProfileContext = CommandContext<typeof PROFILE_FLAGS, (typeof PROFILE_VERBS)[number]["name"]>;
