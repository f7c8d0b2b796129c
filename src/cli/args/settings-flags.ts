import { EFFORT_WORDS } from "../../protocol/effort.ts";
import type { CliFlag, SettingName } from "../../session/cli-command.ts";
import { LEVELS } from "../../tools/tool-facts.ts";

type Setting = Omit<CliFlag, "name">;

/** The flags of a session, defined once for all commands that name them. */
const SETTINGS: Readonly<Record<SettingName, Setting>> = {
  model: { kind: "text", placeholder: "PROVIDER:NAME", help: "The model. `cinch models` lists them." },
  profile: { kind: "text", placeholder: "NAME|PATH", help: "The profile; a path must exist." },
  cwd: { kind: "text", placeholder: "DIRECTORY", help: "Work there instead of in the current directory." },
  continue: { short: "c", kind: "switch", help: "Resume the last session of this directory." },
  resume: {
    kind: "text",
    placeholder: "ID",
    help: "Resume this session: any sess_ id it had, or its log_ id.",
    excludes: ["continue"],
  },
  orphans: {
    kind: "text",
    placeholder: "FATE",
    help: "Decide open calls: fail, done, done=NOTE or abort.",
  },
  level: {
    kind: { oneOf: LEVELS },
    placeholder: "LEVEL",
    help: "ReadOnly, WorkspaceWrite or DangerFullAccess: what rules can allow.",
  },
  "auto-approve": { kind: "switch", help: "Answer yes to permission questions. Deny rules still apply." },
  "strict-permissions": { kind: "switch", help: "Ask for each call that no allow rule names, reads too." },
  plan: { kind: "switch", help: "Start in plan mode: only reads run until you approve a plan." },
  effort: {
    kind: { oneOf: EFFORT_WORDS },
    placeholder: "WORD",
    help: "How much the model thinks: off, low, medium, high, xhigh or max.",
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
};

/** Returns the flag of a setting. */
export function settingFlag(name: SettingName): CliFlag {
  return { name, ...SETTINGS[name] };
}
