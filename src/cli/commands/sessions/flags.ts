import type { CliFlag } from "../../../session/commands/cli-command.ts";
import { NO_LISTEN } from "../../args/settings-flags.ts";

export const EXPORT_FORMATS = ["jsonl", "markdown", "md"] as const;

export const SESSIONS_FLAGS = [
  {
    name: "session",
    kind: "text",
    placeholder: "ID",
    help: "The session, instead of the word that names it.",
  },
  { name: "all", kind: "switch", help: "Sessions of every directory." },
  { name: "archived", kind: "switch", help: "Archived sessions too." },
  { name: "json", kind: "switch", help: "Write JSON, one object a line, for programs." },
  { name: "limit", kind: { whole: [1, 1_000_000] }, placeholder: "N", help: "At most N. Default: 20." },
  { name: "cost", kind: "switch", help: "Show what each turn, model and tool cost." },
  {
    name: "at",
    kind: "place",
    placeholder: "TURN|eN",
    help: "The end of a turn by its number, or an event, such as e120. Default: the last turn.",
  },
  {
    name: "from",
    kind: "place",
    placeholder: "TURN|eN",
    help: "Begin at a turn, or at an event such as e120.",
  },
  {
    name: "to",
    kind: "text",
    placeholder: "TURN|eN",
    help: "Back to right before a turn, or to an event such as e120; 0 is the beginning.",
  },
  {
    name: "files",
    kind: "switch",
    help: "Rewind the files only.",
    excludes: ["conversation", "both"],
  },
  { name: "conversation", kind: "switch", help: "Rewind the conversation only.", excludes: ["both"] },
  { name: "both", kind: "switch", help: "Rewind files and conversation. The default." },
  { name: "preview", kind: "switch", help: "Print what would be done, and change nothing." },
  { name: "force", kind: "switch", help: "Also rewind files that somebody else has changed since." },
  {
    name: "speed",
    kind: { number: [0.01, 1_000] },
    placeholder: "X",
    help: "Play with the original pauses, X times as fast.",
    excludes: ["step"],
  },
  { name: "step", kind: "switch", help: "Step by keys. The default at a terminal." },
  {
    name: "format",
    kind: { oneOf: EXPORT_FORMATS },
    placeholder: "FORMAT",
    help: "jsonl (default; the envelopes) or markdown.",
  },
  {
    name: "output",
    kind: "text",
    placeholder: "FILE",
    help: "Write to this file, readable by you alone, instead of to standard output.",
  },
  { name: "unverified", kind: "switch", help: "Import what can be read of a damaged or edited file." },
  { name: "yes", kind: "switch", help: "Do it without asking." },
  {
    name: "older-than",
    kind: { whole: [0, 100_000] },
    placeholder: "DAYS",
    help: "Content older than DAYS days. Default: as the profile says.",
  },
  { name: "plain", kind: "switch", help: "Use the line client, whatever the terminal can do." },
  NO_LISTEN,
] as const satisfies readonly CliFlag[];
