import { EFFORT_WORDS } from "../../protocol/effort.ts";
import type { CliFlag, FlagValue, SettingName } from "../../session/commands/cli-command.ts";
import { COMMON_SETTINGS } from "../../session/commands/cli-command.ts";
import { LEVELS } from "../../tools/tool-facts.ts";

/** The flags of a session, defined once for all commands that name them. */
const SETTINGS = {
  model: { kind: "text", placeholder: "PROVIDER:NAME", help: "The model. `cinch models` lists them." },
  profile: { kind: "text", placeholder: "NAME|PATH", help: "The profile; a path must exist." },
  cwd: { kind: "text", placeholder: "DIRECTORY", help: "Work there instead of in the current directory." },
  continue: { short: "c", kind: "switch", help: "Resume the last session of this directory." },
  resume: {
    kind: "optional-text",
    placeholder: "ID",
    valuesFrom: "cinch sessions list",
    help: "Resume this session: any sess_ id it had, or its log_ id. Without an ID a person chooses it from the list.",
    excludes: ["continue"],
  },
  orphans: {
    kind: "text",
    placeholder: "FATE",
    help: "Decide calls that a killed run left open: fail, done, done=NOTE (the model reads it) or abort (end the session). Without it, such a session is not resumed (exit code 2).",
    needs: ["continue", "resume"],
  },
  level: {
    kind: { oneOf: LEVELS },
    placeholder: "LEVEL",
    help: "The most that rules can allow: ReadOnly, WorkspaceWrite or DangerFullAccess. Calls above it need an answer; with -p they are refused.",
  },
  "auto-approve": {
    kind: "switch",
    help: "Answer yes to permission questions, also above the level. Deny rules, a strict level and protected files still apply.",
  },
  "strict-permissions": {
    kind: "switch",
    help: "Ask for each call that no allow rule of yours names, also for reads and edits.",
  },
  plan: {
    kind: "switch",
    help: "Start in plan mode: only reads run until you approve a plan. With -p the plan is the answer.",
  },
  effort: {
    kind: { oneOf: EFFORT_WORDS },
    placeholder: "WORD",
    help: "How much the model thinks: off, low, medium, high, xhigh or max.",
  },
  allow: {
    kind: "texts",
    placeholder: "RULE",
    help: "Allow calls that RULE names, such as 'Bash:npm *', in this run of the session. Lifts no deny rule. Repeatable.",
  },
  "add-dir": {
    kind: "texts",
    placeholder: "DIRECTORY",
    help: "Work in this folder too, in this run of the session. Nothing of it is loaded. Repeatable.",
  },
  "append-system-prompt": {
    kind: "text",
    placeholder: "TEXT",
    help: "Add TEXT at the end of the system text, for this run of the session.",
  },
  "max-turns": {
    kind: { whole: [1, 999_999] },
    placeholder: "N",
    help: "End after N rounds with the model (exit code 4).",
  },
  "max-cost": {
    kind: "text",
    placeholder: "USD",
    help: "Start no request that could exceed this cost (exit code 4).",
  },
  "max-time": {
    kind: "duration",
    placeholder: "TIME",
    help: "End a turn, with -p the run, after 90s, 10m or 2h (exit code 4).",
  },
  "quiet-cost": { kind: "switch", help: "Do not print the cost after each turn." },
  "without-project": { kind: "switch", help: "Load no instructions and no settings of the project." },
  "allow-project-hooks": { kind: "switch", help: "Run the project's hooks that you have acknowledged." },
  lockfile: {
    kind: "text",
    placeholder: "PATH",
    help: "Accept what this lock file approves (cinch ack --emit-lockfile).",
  },
  record: { kind: "text", placeholder: "FILE", help: "Record the model's answers to a cassette." },
  "log-to-stderr": { kind: "switch", help: "Write log and events to standard error too." },
  "log-level": {
    kind: "text",
    placeholder: "LEVELS",
    help: "trace, debug, info, warn or error; or engine=debug,cli=info.",
  },
  "insecure-dev-key": { kind: "switch", help: "Encrypt under a passphrase that everybody knows; for tests." },
} as const satisfies Readonly<Record<SettingName, Omit<CliFlag, "name">>>;

/** The values of the settings by name. */
export type SettingValues = {
  readonly [Name in SettingName]: FlagValue<(typeof SETTINGS)[Name]["kind"]>;
};

/** A flag of every command that runs an engine. */
export const NO_LISTEN = {
  name: "no-listen",
  kind: "switch",
  help: "Open no socket for other clients.",
} as const satisfies CliFlag;

/** Settings of a session that a command only inspects. */
export const SESSION_SETTINGS = [
  ...COMMON_SETTINGS,
  ...(["model", "level", "strict-permissions", "effort", "max-turns", "max-cost", "max-time"] as const),
  ...(["without-project", "allow-project-hooks", "lockfile"] as const),
] as const satisfies readonly SettingName[];

/** Settings of a command whose sessions clients open. */
export const SERVING_SETTINGS: readonly SettingName[] = [...SESSION_SETTINGS, "auto-approve", "plan"];

/** Settings of a command that opens a session or resumes one. */
export const RUN_SETTINGS: readonly SettingName[] = [...SERVING_SETTINGS, "continue", "resume", "record"];

/** Settings that hold for the session of one command line alone, never for those of other clients. */
export const ONE_SESSION_SETTINGS: readonly SettingName[] = ["add-dir", "allow", "append-system-prompt"];

/** Returns the flag of a setting. */
export function settingFlag<Name extends SettingName>(
  name: Name,
): CliFlag & { readonly name: Name; readonly kind: (typeof SETTINGS)[Name]["kind"] } {
  return { name, ...SETTINGS[name] };
}

export const SETTING_NAMES = Object.keys(SETTINGS) as readonly SettingName[];

/** Flags that every command takes. They go before everything else. */
export const EVERYWHERE: readonly CliFlag[] = [
  { name: "help", short: "h", kind: "switch", help: "Show help." },
  { name: "version", short: "V", kind: "switch", help: "Show the version." },
  { name: "licenses", kind: "switch", help: "Print the licences of cinch and of everything in it." },
];
