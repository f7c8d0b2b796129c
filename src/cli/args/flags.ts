import { CONFORMANCE_FLAGS } from "../commands/conformance/conformance-words.ts";
import { SESSIONS_FLAGS } from "../commands/sessions/sessions-verbs.ts";
import { TASKS_FLAGS } from "../commands/tasks-words.ts";
import { SERVE_FLAGS } from "./serve-words.ts";

/**
 * The command line as data: the parser, the help and the hints for misspelt words are all made of these tables.
 *
 * A flag stands here once what it asks for is so; until then it is unknown, never accepted as if it were.
 */
export interface Flag {
  readonly name: string;
  readonly short?: string;
  /** What its value is called in the help; absent for a switch. */
  readonly value?: string;
  /** The value may be left out. */
  readonly optional?: boolean;
  readonly help: string;
  readonly for: readonly Mode[];
}

/** What a command line asks for: the line client, one prompt, or one of the commands. */
export type Mode = "line" | "print" | CommandName;

const RUNS = ["line", "print", "debug", "serve"] as const;
/** What works with an engine whose sessions are begun elsewhere too. */
const WORKS = [...RUNS, "acp", "mcp"] as const;
/** What may look at the settings of such a session without beginning one. */
const SETS = [...WORKS, "profile"] as const;
const ALL = [
  "line",
  "print",
  "debug",
  "models",
  "ack",
  "verify-ack",
  "permissions",
  "profile",
  "sessions",
  "skills",
  "agents",
  "plugins",
  "tasks",
  "doctor",
  "serve",
  "token",
  "acp",
  "mcp",
] as const;
const EVERY = [...ALL, "demo"] as const;

export const FLAGS = [
  {
    name: "print",
    short: "p",
    value: "PROMPT",
    optional: true,
    help: "Answer one prompt and exit, asking nobody. Without PROMPT, standard input is the prompt; with it, what is piped in goes along as an attachment.",
    for: ["print", "debug"],
  },
  {
    name: "output-format",
    value: "FORMAT",
    help: "With -p: text (default; the answer), json (one object), stream-json (one event a line). With profile: text or json.",
    for: ["print", "debug", "profile"],
  },
  { name: "model", value: "PROVIDER:NAME", help: "The model to work with.", for: [...SETS, "tasks"] },
  {
    name: "profile",
    value: "NAME|PATH",
    help: "The profile to work under; a path must exist.",
    for: [...ALL, "conformance"],
  },
  { name: "cwd", value: "DIRECTORY", help: "Work there instead of in the current directory.", for: ALL },
  { name: "continue", short: "c", help: "Resume the last session of this directory.", for: RUNS },
  {
    name: "resume",
    value: "ID",
    help: "Resume this session: any sess_ id it ever had, or its log_ id.",
    for: RUNS,
  },
  {
    name: "orphans",
    value: "FATE",
    help: "With -p and --continue or --resume, and with sessions rewind: decides calls that were running when the last run was killed. fail (they failed), done or done=NOTE (they succeeded; the model reads the note), abort (end the session and leave them undecided). Without it such a session is not resumed (exit code 2).",
    for: ["print", "debug", "sessions"],
  },
  {
    name: "level",
    value: "LEVEL",
    help: "The highest level that rules can allow: ReadOnly, WorkspaceWrite or DangerFullAccess. Calls above it need an answer (with -p: they are refused). It allows nothing by itself.",
    for: [...SETS, "permissions", "tasks"],
  },
  {
    name: "auto-approve",
    help: "Answer yes to permission questions, also above the level. Deny rules, a strict level and protected files still apply.",
    for: WORKS,
  },
  {
    name: "strict-permissions",
    help: "Ask for every call that no allow rule of your own names: also for known reads, edits, and commands in the sandbox.",
    for: [...SETS, "permissions"],
  },
  {
    name: "plan",
    help: "Begin in plan mode: only reads run until you approve a plan; with -p the plan is the answer.",
    for: WORKS,
  },
  {
    name: "effort",
    value: "WORD",
    help: "How much the model thinks: off, low, medium, high, xhigh or max.",
    for: SETS,
  },
  {
    name: "max-turns",
    value: "N",
    help: "End after N rounds with the model (exit code 4).",
    for: [...SETS, "tasks"],
  },
  {
    name: "max-cost",
    value: "USD",
    help: "Start no request that could exceed this cost (exit code 4).",
    for: [...SETS, "tasks"],
  },
  {
    name: "max-time",
    value: "TIME",
    help: "End a turn after this long, sub-agents and waits included: 90s, 10m, 2h (exit code 4). With -p: the whole run.",
    for: [...SETS, "tasks"],
  },
  {
    name: "quiet-cost",
    help: "Do not print the cost after each turn. /cost still prints it, and limits still apply.",
    for: ["line", "print", "debug"],
  },
  {
    name: "without-project",
    help: "Load nothing from the project: no AGENTS.md or similar files, and no settings.",
    for: SETS,
  },
  {
    name: "allow-project-hooks",
    help: "Run the project's hooks, once you have acknowledged each of their files.",
    for: SETS,
  },
  {
    name: "lockfile",
    value: "PATH",
    help: "Treat what this lock file approves as acknowledged. cinch ack --emit-lockfile makes one.",
    for: [...SETS, "verify-ack"],
  },
  {
    name: "all",
    help: "With ack: also trust your own skills and aliases, in one decision. Files of a project are always shown one by one.",
    for: ["ack", "sessions"],
  },
  {
    name: "emit-lockfile",
    value: "PATH",
    optional: true,
    help: "With ack: write what is acknowledged here as a lock file for CI; without PATH, to standard output.",
    for: ["ack"],
  },
  { name: "record", value: "FILE", help: "Record the model's answers to a cassette.", for: RUNS },
  {
    name: "raw",
    help: "With debug: dump all provider traffic, unredacted, to a sealed file, which is removed after a week.",
    for: ["debug"],
  },
  { name: "show", value: "FILE", help: "With debug: print such a file.", for: ["debug"] },
  {
    name: "fixed",
    help: "With demo: start with the bug already fixed, and see the recording refuse to play.",
    for: ["demo"],
  },
  {
    name: "log-to-stderr",
    help: "Write the operational log, and what happens, to standard error too.",
    for: EVERY,
  },
  {
    name: "log-level",
    value: "LEVELS",
    help: "trace, debug, info, warn or error, for all or by component: engine=debug,provider.openai=trace.",
    for: EVERY,
  },
  {
    name: "insecure-dev-key",
    help: "Encrypt keys and logs under a passphrase that everybody knows, for experiments.",
    for: [...EVERY, "creds"],
  },
  {
    name: "from-env",
    value: "NAME",
    help: "With creds add: take the key from this variable of the environment. With creds rotate: the machine key that was used before.",
    for: ["creds"],
  },
  {
    name: "tool",
    value: "NAME",
    help: "With permissions explain: the tool that is called; Bash where it is not given.",
    for: ["permissions"],
  },
  {
    name: "input",
    value: "JSON",
    help: "With permissions explain --tool: what it is called with.",
    for: ["permissions"],
  },
  {
    name: "json",
    help: 'Write JSON, for programs. With permissions explain: read {"tool": …, "input": …} from standard input, one a line, and write a verdict for each.',
    for: [
      "permissions",
      "models",
      "profile",
      "sessions",
      "agents",
      "skills",
      "tasks",
      "plugins",
      "doctor",
      "conformance",
    ],
  },
  {
    name: "full",
    help: "With doctor: look at everything, which takes longer: every stored content is opened.",
    for: ["doctor"],
  },
  { name: "plain", help: "The line client, whatever the terminal can do.", for: ["line"] },
  { name: "no-listen", help: "Open no socket for other clients.", for: WORKS },
  { name: "help", short: "h", help: "Show this help.", for: [...EVERY, "creds", "conformance"] },
  { name: "version", short: "V", help: "Show the version.", for: [...EVERY, "creds"] },
  { name: "licenses", help: "Print the licences of cinch and of everything in it.", for: ["line"] },
  ...SESSIONS_FLAGS,
  ...SERVE_FLAGS,
  ...CONFORMANCE_FLAGS,
  ...TASKS_FLAGS,
] as const satisfies readonly Flag[];

export type FlagName = (typeof FLAGS)[number]["name"];

export const COMMANDS = [
  { name: "demo", help: "Watch a recorded model fix a real bug with real tools; needs no key." },
  { name: "models", help: "List what the configured providers offer." },
  { name: "ack", help: "Look at the files of this project that steer the model, and acknowledge them." },
  {
    name: "verify-ack",
    help: "Check that they are still what was acknowledged; exit code 5 where one is not.",
  },
  {
    name: "creds",
    help: "Keep provider keys, encrypted: creds add PROVIDER [ACCOUNT], creds list, creds delete PROVIDER [ACCOUNT]. creds login copilot, creds logout copilot: GitHub Copilot, by a code in a browser. creds login mcp:SERVER, creds logout mcp:SERVER: an MCP server that is elsewhere. creds rotate: put keys and sessions under another machine key.",
  },
  {
    name: "permissions",
    help: "See what would be allowed, and why, without running it: permissions explain 'COMMAND', permissions list.",
  },
  {
    name: "profile",
    help: "Profiles and settings: profile list; profile show [NAME|PATH], every setting and where it comes from; profile check [NAME|PATH], what is wrong in the files (exit code 2).",
  },
  {
    name: "sessions",
    help: "Look at stored sessions and keep them: list, show, resume, branch, rewind, replay, export, import, pin, unpin, delete, expire. cinch sessions --help tells more.",
  },
  {
    name: "plugins",
    help: "Plugins that your own configuration names: plugins list, plugins check PATH (which runs it).",
  },
  {
    name: "skills",
    help: "Look at skills: skills list, skills show NAME; skills check [PATH…] holds them to the open specification, exit code 1 where one breaks it.",
  },
  {
    name: "tasks",
    help: "Work for later: tasks add NAME PROMPT with --cron, --every or --at; tasks list, log NAME, run NAME, run-due, enable NAME, disable NAME, remove NAME. See docs/tasks.md.",
  },
  {
    name: "agents",
    help: "Kinds of sub-agents: agents list; agents check [PATH…], exit code 1 where a definition is wrong; agents worktrees and agents remove ID, what some have left.",
  },
  {
    name: "doctor",
    help: "Look for damage in what cinch keeps on this machine: configuration, sessions. Changes nothing; exit code 1 where there is some.",
  },
  {
    name: "debug",
    help: "Run as without it, with --raw: dump the provider traffic. debug --show FILE prints a dump.",
  },
  {
    name: "serve",
    help: "Run an engine that other programs attach to: over a Unix socket, and with --listen over a port. See docs/clients.md.",
  },
  {
    name: "token",
    help: "Print a token for a client of the engine that runs: token --identity-class human|agent [--session ID] [--commands A,B] [--expires 24h] [--can-mint]. token revoke ID… (or -, to read the token from standard input) refuses it for good.",
  },
  {
    name: "acp",
    help: "Serve an editor that speaks the Agent Client Protocol, over standard input and output. See docs/acp.md.",
  },
  {
    name: "mcp",
    help: "Serve the agent that starts this as an MCP server, over standard input and output. See docs/mcp-server.md.",
  },
  {
    name: "conformance",
    help: "Walk a server of the protocol through its scenarios, ours or another: conformance --against URL. See docs/conformance.md.",
  },
  { name: "help", help: "Show this help." },
] as const;

export type CommandName = (typeof COMMANDS)[number]["name"];
