import type { CliVerb } from "../../../session/commands/cli-command.ts";
import { COMMON_SETTINGS } from "../../../session/commands/cli-command.ts";
import type { CommandContext } from "../../args/parsed-call.ts";
import { LINE_SETTINGS } from "../line/flags.ts";
import type { SESSIONS_FLAGS } from "./flags.ts";

const words = [
  {
    name: "ID",
    help: "a session or log id, the beginning of one, or last: the newest session of this directory",
    flag: "session",
  },
];

export const SESSIONS_VERBS = [
  {
    name: "list",
    summary: "Lists those of this directory, the newest first.",
    flags: ["all", "archived", "limit", "json"],
    examples: [
      { line: "cinch sessions list --all --limit 5", does: "the newest five anywhere" },
      { line: "cinch sessions list --json", does: "for a program" },
    ],
  },
  {
    name: "show",
    summary: "Shows turns, open calls, checkpoints and cost.",
    words,
    flags: ["session", "cost", "json"],
    examples: [
      { line: "cinch sessions show last --cost", does: "the newest one, with its cost" },
      { line: "cinch sessions show last --json", does: "for a program" },
    ],
  },
  {
    name: "resume",
    summary: "Resumes it, as cinch --resume ID does.",
    words,
    flags: ["session", "plain", "no-listen"],
    settings: LINE_SETTINGS,
    needs: "shared-engine-at-terminal",
    examples: [
      { line: "cinch sessions resume last", does: "resumes the newest one", needs: "a person" },
      { line: "cinch sessions resume last --plain", does: "with the line client", needs: "a person" },
    ],
  },
  {
    name: "branch",
    summary: "Makes a new session from its first turns.",
    words,
    flags: ["session", "at", "json"],
    examples: [
      { line: "cinch sessions branch last --at 1", does: "branches after the first turn" },
      { line: "cinch sessions branch last --json", does: "branches at the last end; for a program" },
    ],
  },
  {
    name: "rewind",
    summary: "Sets files and conversation back to before a turn. Files that others changed since stay.",
    words,
    flags: ["session", "to", "files", "conversation", "both", "preview", "force", "json"],
    settings: [...COMMON_SETTINGS, "orphans"],
    required: [["to"]],
    examples: [
      { line: "cinch sessions rewind last --to 1 --preview", does: "shows what would change" },
      { line: "cinch sessions rewind last --to 1 --files", does: "sets the files back" },
    ],
  },
  {
    name: "replay",
    summary: "Shows again what happened. Nothing runs again.",
    words,
    flags: ["session", "from", "speed", "step", "json"],
    examples: [
      { line: "cinch sessions replay last --speed 1000", does: "plays it fast" },
      { line: "cinch sessions replay last --from 1 --json", does: "for a program" },
    ],
  },
  {
    name: "export",
    summary: "Writes it for import, or for people.",
    words,
    flags: ["session", "format", "output"],
    examples: [
      { line: "cinch sessions export last --output session.jsonl", does: "writes a file to import" },
      { line: "cinch sessions export last --format markdown", does: "prints it for people" },
    ],
  },
  {
    name: "import",
    summary: "Makes a session here from a JSONL export.",
    words: [{ name: "FILE", help: "an export" }],
    flags: ["unverified", "json"],
    examples: [
      { line: "cinch sessions import session.jsonl", does: "prints the id of the new one" },
      { line: "cinch sessions import session.jsonl --unverified", does: "takes what can be read" },
    ],
  },
  {
    name: "pin",
    summary: "Keeps it: a pinned session does not expire.",
    words,
    flags: ["session", "json"],
    examples: [
      { line: "cinch sessions pin last", does: "pins it" },
      { line: "cinch sessions pin last --json", does: "for a program" },
    ],
  },
  {
    name: "unpin",
    summary: "Lets it expire again.",
    words,
    flags: ["session", "json"],
    examples: [
      { line: "cinch sessions unpin last", does: "unpins it" },
      { line: "cinch sessions unpin last --json", does: "for a program" },
    ],
  },
  {
    name: "rename",
    summary: "Gives it a title, or takes that back.",
    words: [
      ...words,
      {
        name: "TITLE",
        help: "its new title; without one, the beginning of its first prompt is its title again",
        optional: true,
        many: true,
      },
    ],
    flags: ["session", "json"],
    examples: [
      { line: 'cinch sessions rename last "Fix the parser"', does: "names it" },
      { line: "cinch sessions rename last --json", does: "takes the name back; for a program" },
    ],
  },
  {
    name: "archive",
    summary: "Leaves it out of lists.",
    words,
    flags: ["session", "json"],
    examples: [
      { line: "cinch sessions archive last", does: "archives it" },
      { line: "cinch sessions archive last --json", does: "for a program" },
    ],
  },
  {
    name: "unarchive",
    summary: "Shows it in lists again.",
    words,
    flags: ["session", "json"],
    examples: [
      { line: "cinch sessions unarchive last", does: "shows it again" },
      { line: "cinch sessions unarchive last --json", does: "for a program" },
    ],
  },
  {
    name: "delete",
    summary: "Deletes it and all that belongs to it, for good.",
    words,
    flags: ["session", "yes", "json"],
    examples: [
      { line: "cinch sessions delete last --yes", does: "deletes it without asking" },
      { line: "cinch sessions delete last --yes --json", does: "for a program" },
    ],
  },
  {
    name: "expire",
    summary: "Destroys old content, with --yes.",
    flags: ["older-than", "yes", "json"],
    examples: [
      { line: "cinch sessions expire --older-than 90", does: "lists what would be destroyed" },
      { line: "cinch sessions expire --older-than 90 --yes", does: "removes it" },
    ],
  },
  {
    name: "dismiss",
    summary: "Hides the warning that sessions expire soon.",
    flags: [],
    examples: [{ line: "cinch sessions dismiss", does: "hides it" }],
  },
] as const satisfies readonly CliVerb[];

export type SessionsVerb = (typeof SESSIONS_VERBS)[number]["name"];

export type SessionsContext = CommandContext<typeof SESSIONS_FLAGS, SessionsVerb>;
