/**
 * What `cinch sessions` can do, as data: its parser, its help and its hints are made of these tables.
 *
 * The flags stand beside the global ones, and each verb names those that it takes.
 */
const sessions = ["sessions"] as const;

export const SESSIONS_FLAGS = [
  {
    name: "session",
    value: "ID",
    help: "The session, in place of the word that names it.",
    for: [...sessions, "token"],
  },
  { name: "limit", value: "N", help: "At most so many; 20 where nothing is said.", for: sessions },
  { name: "cost", help: "What each turn, model and tool has cost.", for: sessions },
  {
    name: "at",
    value: "TURN|eN|MOMENT",
    help: "Where: a turn by its number (its end), or an event by its number behind an e, such as e120. With tasks add: once, such as 2026-03-01T09:00+01:00.",
    for: [...sessions, "tasks"],
  },
  {
    name: "from",
    value: "TURN|eN",
    help: "Begin there: a turn by its number, or an event by its number behind an e.",
    for: sessions,
  },
  {
    name: "to",
    value: "TURN|eN",
    help: "Back to right before a turn, by its number, or to an event by its number behind an e; 0 is the beginning.",
    for: sessions,
  },
  { name: "files", help: "Set back the files alone.", for: sessions },
  { name: "conversation", help: "Set back the conversation alone.", for: sessions },
  {
    name: "both",
    help: "Set back files and conversation; what is done where neither is named.",
    for: sessions,
  },
  { name: "preview", help: "Only tell what would be done.", for: sessions },
  { name: "force", help: "Also set back what somebody else has changed since.", for: sessions },
  { name: "speed", value: "X", help: "Play with the pauses as they were, X times as fast.", for: sessions },
  { name: "step", help: "Step by step, by keys; what a terminal does by itself.", for: sessions },
  { name: "format", value: "FORMAT", help: "jsonl (default; the envelopes) or markdown.", for: sessions },
  {
    name: "output",
    value: "FILE",
    help: "Write there, for you alone, in place of to standard output.",
    for: sessions,
  },
  {
    name: "unverified",
    help: "Take what can be read of a file that was cut off or edited.",
    for: sessions,
  },
  { name: "yes", help: "Ask nothing: do it.", for: sessions },
  { name: "older-than", value: "DAYS", help: "What is older than so many days.", for: sessions },
] as const;

type SessionsFlagName = (typeof SESSIONS_FLAGS)[number]["name"] | "all" | "json" | "orphans";

export interface Verb {
  readonly name: string;
  /** What follows its name. */
  readonly usage: string;
  readonly help: string;
  /** The words that follow: a session, a file, or nothing. */
  readonly takes: "session" | "file" | "nothing";
  readonly flags: readonly SessionsFlagName[];
}

export const VERBS = [
  {
    name: "list",
    usage: "[--all] [--limit N] [--json]",
    help: "The sessions of this directory, the newest first; with --all, of every directory.",
    takes: "nothing",
    flags: ["all", "limit", "json"],
  },
  {
    name: "show",
    usage: "ID [--cost] [--json]",
    help: "One session: its turns, what is open, its checkpoints, where it came from, what it cost.",
    takes: "session",
    flags: ["session", "cost", "json"],
  },
  {
    name: "resume",
    usage: "ID",
    help: "Go on with it, line by line, as cinch --resume ID does. It gets a new sess_ id each time; the earlier ones still name it.",
    takes: "session",
    flags: ["session"],
  },
  {
    name: "branch",
    usage: "ID [--at TURN|eN] [--json]",
    help: "Make a new session of it up to the end of a turn, the last one where nothing is said.",
    takes: "session",
    flags: ["session", "at", "json"],
  },
  {
    name: "rewind",
    usage:
      "ID --to TURN|eN [--files | --conversation | --both] [--preview] [--force] [--orphans FATE] [--json]",
    help: "Set files and conversation back to before a turn. What others changed since stays, but for --force.",
    takes: "session",
    flags: ["session", "to", "files", "conversation", "both", "preview", "force", "orphans", "json"],
  },
  {
    name: "replay",
    usage: "ID [--from TURN|eN] [--step | --speed X] [--json]",
    help: "See again what happened. Nothing runs again.",
    takes: "session",
    flags: ["session", "from", "speed", "step", "json"],
  },
  {
    name: "export",
    usage: "ID [--format jsonl|markdown] [--output FILE]",
    help: "Write it out: as envelopes that cinch can import and programs can read, or to be read by people.",
    takes: "session",
    flags: ["session", "format", "output"],
  },
  {
    name: "import",
    usage: "FILE [--unverified] [--json]",
    help: "Make a new session, in this directory, of a JSONL export.",
    takes: "file",
    flags: ["unverified", "json"],
  },
  {
    name: "pin",
    usage: "ID [--json]",
    help: "Keep it: it does not expire, and does not end for want of work.",
    takes: "session",
    flags: ["session", "json"],
  },
  {
    name: "unpin",
    usage: "ID [--json]",
    help: "Let it expire again.",
    takes: "session",
    flags: ["session", "json"],
  },
  {
    name: "delete",
    usage: "ID [--yes] [--json]",
    help: "Remove it with everything of it, for good. One that is pinned or in use stays.",
    takes: "session",
    flags: ["session", "yes", "json"],
  },
  {
    name: "expire",
    usage: "[--older-than DAYS] [--yes] [--json]",
    help: "Destroy the content that is older than its days; what happened when stays. Tells only, without --yes.",
    takes: "nothing",
    flags: ["older-than", "yes", "json"],
  },
  {
    name: "dismiss",
    usage: "",
    help: "Say no more that these sessions expire soon, until there are others.",
    takes: "nothing",
    flags: [],
  },
] as const satisfies readonly Verb[];

export type VerbName = (typeof VERBS)[number]["name"];
