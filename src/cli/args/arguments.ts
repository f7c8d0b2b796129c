import { near } from "../../base/text/near.ts";
import type { TokenCommand } from "../../server/auth/tokens/token-command.ts";
import type { ListenFlags } from "../../server/http/targets.ts";
import type { CliFlag } from "../../session/cli-command.ts";
import { neutraliseLine } from "../../view/terminal/terminal-text.ts";
import { SUBCOMMANDS } from "../commands/commands.ts";
import type { ConformanceWords } from "../commands/conformance/conformance-words.ts";
import type { ConnectWords } from "../commands/line/connect-words.ts";
import { readConnect } from "../commands/line/connect-words.ts";
import type { SessionsWords } from "../commands/sessions/sessions-words.ts";
import { readSessions } from "../commands/sessions/sessions-words.ts";
import type { TasksWords } from "../commands/tasks-words.ts";
import { tasksWords } from "../commands/tasks-words.ts";
import type { Settings } from "../settings.ts";
import { settingsOf } from "../settings.ts";
import type { Call } from "./call.ts";
import type { Flags } from "./flag-values.ts";
import { Misuse, numberOf, oneOf, textOf } from "./flag-values.ts";
import type { Words } from "./flag-words.ts";
import { GIVEN, readWords } from "./flag-words.ts";
import type { CommandName, Flag, Mode } from "./flags.ts";
import { COMMANDS, FLAGS } from "./flags.ts";
import { readCall } from "./parse-command.ts";
import type { AuthChannel } from "./serve-words.ts";
import { AUTH_CHANNELS, allowedOrigins, listenFlags, tokenCommand } from "./serve-words.ts";

export const OUTPUT_FORMATS = ["text", "json", "stream-json"] as const;
export type OutputFormat = (typeof OUTPUT_FORMATS)[number];

/** What a command line asks for. Nothing outside the words themselves has been looked at yet. */
export type Invocation =
  | Call
  | { readonly kind: "version" }
  | { readonly kind: "licenses" }
  /** Of everything, or of a command and what follows it. */
  | { readonly kind: "help"; readonly about: readonly string[] }
  | { readonly kind: "usage"; readonly problem: string; readonly format: OutputFormat }
  | { readonly kind: "models"; readonly settings: Settings; readonly json: boolean }
  | { readonly kind: "show-dump"; readonly settings: Settings; readonly path: string }
  | { readonly kind: "demo"; readonly settings: Settings; readonly fixed: boolean }
  | {
      readonly kind: "ack";
      readonly settings: Settings;
      readonly all: boolean;
      /** Where the lock file goes; "-" is standard output. Absent: none is asked for. */
      readonly emit?: string;
      /** The files to look at; empty: all. */
      readonly paths: readonly string[];
    }
  | {
      readonly kind: "creds";
      readonly settings: Settings;
      /** What follows: add, list or delete, a provider, an account. */
      readonly words: readonly string[];
      /** The variable that holds the key to add. */
      readonly fromEnv?: string;
    }
  | { readonly kind: "verify-ack"; readonly settings: Settings }
  | {
      readonly kind: "permissions";
      readonly settings: Settings;
      /** What follows: explain and a command, or list. */
      readonly words: readonly string[];
      /** Calls come from standard input, one JSON object a line. */
      readonly json: boolean;
      readonly tool?: string;
      /** JSON. */
      readonly input?: string;
    }
  | {
      readonly kind: "profile";
      readonly settings: Settings;
      /** What follows: list, show or check, and a profile. */
      readonly words: readonly string[];
      readonly json: boolean;
    }
  | SessionsInvocation
  | {
      readonly kind: "doctor";
      readonly settings: Settings;
      readonly full: boolean;
      readonly json: boolean;
    }
  | {
      readonly kind: "agents";
      readonly settings: Settings;
      /** What follows: list, check and paths, worktrees, or remove and an id. */
      readonly words: readonly string[];
      readonly json: boolean;
    }
  | {
      readonly kind: "plugins";
      readonly settings: Settings;
      /** What follows: list, or check and a path. */
      readonly words: readonly string[];
      readonly json: boolean;
    }
  | {
      readonly kind: "skills";
      readonly settings: Settings;
      /** What follows: list, show and a name, or check and paths. */
      readonly words: readonly string[];
      readonly json: boolean;
    }
  | ({ readonly kind: "tasks"; readonly settings: Settings } & TasksWords)
  | {
      readonly kind: "serve";
      readonly settings: Settings;
      readonly listen: ListenFlags;
      /** It ends by itself. */
      readonly untilIdle: boolean;
      /** Where codes for tokens are shown; absent: wherever a person is. */
      readonly authChannel?: AuthChannel;
      /** Of pages that may call. */
      readonly origins: readonly string[];
    }
  | { readonly kind: "acp"; readonly settings: Settings; readonly listen: boolean }
  | {
      readonly kind: "mcp";
      readonly settings: Settings;
      readonly listen: boolean;
      readonly tokenFile?: string;
    }
  | { readonly kind: "token"; readonly settings: Settings; readonly token: TokenCommand }
  | { readonly kind: "token-revoke"; readonly settings: Settings; readonly words: readonly string[] }
  | { readonly kind: "conformance"; readonly words: ConformanceWords }
  | {
      readonly kind: "line";
      readonly settings: Settings;
      readonly raw: boolean;
      /** False: the engine is for this client alone. */
      readonly listen: boolean;
      /** The engine to work with; absent: this user's own. */
      readonly connect?: ConnectWords;
    }
  | {
      readonly kind: "print";
      readonly settings: Settings;
      readonly raw: boolean;
      /** Absent: standard input is the prompt. */
      readonly prompt?: string;
      readonly format: OutputFormat;
    };

export type SessionsInvocation = SessionsWords & { readonly settings: Settings };

/** Reads a command line. Never throws: what is wrong with it is said in one sentence, with the nearest known word. */
export function parseArguments(argv: readonly string[]): Invocation {
  const words = readWords(argv, KNOWN_FLAGS);
  const format = OUTPUT_FORMATS.find((known) => known === words.flags.get("output-format")) ?? "text";
  const usage = (problem: string): Invocation => ({
    kind: "usage",
    problem: neutraliseLine(problem),
    format,
  });
  if (words.flags.has("help")) return { kind: "help", about: words.plain.map(({ text }) => text) };
  if (words.flags.has("version")) return { kind: "version" };
  if (words.flags.has("licenses")) return { kind: "licenses" };
  if (words.problem !== undefined) return usage(words.problem);
  try {
    return invocationOf(words, format);
  } catch (thrown) {
    if (thrown instanceof Misuse) return usage(thrown.message);
    throw thrown;
  }
}

function invocationOf(words: Words, format: OutputFormat): Invocation {
  const { flags, plain } = words;
  const [first] = plain;
  const listed =
    first?.afterPrint === false ? SUBCOMMANDS.find(({ name }) => name === first.text) : undefined;
  if (listed !== undefined) {
    const rest = plain.slice(1).map(({ text }) => text);
    return readCall(listed, rest, flags, SUBCOMMANDS);
  }
  const command = first === undefined || first.afterPrint ? undefined : commandOf(first.text);
  const rest = plain.slice(command === undefined ? 0 : 1);
  const ownWords =
    command !== undefined && OWN_WORDS.has(command) ? rest.map((word) => word.text) : undefined;
  const prompt = promptOf(flags, ownWords === undefined ? rest : [], command);
  if (command === "help") return { kind: "help", about: ownWords ?? [] };
  const mode: Mode = command ?? (flags.has("print") ? "print" : "line");
  // What is gone on with is the line client's.
  checkFlags(flags, mode === "sessions" && ownWords?.[0] === "resume" ? ["sessions", "line"] : [mode]);
  const settings = settingsOf(flags);
  if (mode === "models") return { kind: "models", settings, json: flags.has("json") };
  if (mode === "verify-ack") return { kind: "verify-ack", settings };
  if (mode === "ack") {
    const emit = textOf(flags, "emit-lockfile");
    const target = emit === undefined ? {} : { emit: emit === GIVEN ? "-" : emit };
    return { kind: "ack", settings, all: flags.has("all"), paths: ownWords ?? [], ...target };
  }
  if (mode === "creds") {
    const fromEnv = textOf(flags, "from-env");
    return { kind: "creds", settings, words: ownWords ?? [], ...(fromEnv === undefined ? {} : { fromEnv }) };
  }
  if (mode === "permissions") {
    const tool = textOf(flags, "tool");
    const input = textOf(flags, "input");
    return {
      kind: "permissions",
      settings,
      words: ownWords ?? [],
      json: flags.has("json"),
      ...(tool === undefined ? {} : { tool }),
      ...(input === undefined ? {} : { input }),
    };
  }
  if (mode === "profile") {
    const json = oneOf(flags, "output-format", ["text", "json"]) === "json" || flags.has("json");
    return { kind: "profile", settings, words: ownWords ?? [], json };
  }
  if (mode === "agents") return { kind: "agents", settings, words: ownWords ?? [], json: flags.has("json") };
  if (mode === "plugins")
    return { kind: "plugins", settings, words: ownWords ?? [], json: flags.has("json") };
  if (mode === "skills") return { kind: "skills", settings, words: ownWords ?? [], json: flags.has("json") };
  if (mode === "tasks") {
    const words = tasksWords(ownWords ?? [], flags.has("json"), (name) => textOf(flags, name));
    return { kind: "tasks", settings, ...words };
  }
  if (mode === "sessions") return sessionsOf(flags, ownWords ?? [], settings);
  if (mode === "doctor")
    return { kind: "doctor", settings, full: flags.has("full"), json: flags.has("json") };
  if (mode === "serve") {
    const origins = textOf(flags, "allow-origin");
    const authChannel = oneOf(flags, "auth-channel", AUTH_CHANNELS);
    return {
      kind: "serve",
      settings,
      listen: listenFlags((name) => textOf(flags, name)),
      untilIdle: flags.has("until-idle"),
      ...(authChannel === undefined ? {} : { authChannel }),
      origins: origins === undefined ? [] : allowedOrigins(origins),
    };
  }
  if (mode === "acp") return { kind: "acp", settings, listen: !flags.has("no-listen") };
  if (mode === "mcp") {
    const tokenFile = textOf(flags, "auth-token-file");
    const file = tokenFile === undefined ? {} : { tokenFile };
    return { kind: "mcp", settings, listen: !flags.has("no-listen"), ...file };
  }
  if (mode === "token") {
    const [verb, ...words] = ownWords ?? [];
    if (verb === "revoke") return { kind: "token-revoke", settings, words };
    if (verb !== undefined)
      throw new Misuse(`cinch token takes no "${verb}"; to revoke one: cinch token revoke ID`);
    const token = tokenCommand((name) => textOf(flags, name), flags.has("can-mint"));
    if (token === undefined) throw new Misuse("cinch token needs --identity-class human or agent");
    return { kind: "token", settings, token };
  }
  if (mode === "conformance") return { kind: "conformance", words: conformanceOf(flags) };
  if (mode === "demo") return { kind: "demo", settings, fixed: flags.has("fixed") };
  const shown = textOf(flags, "show");
  if (shown !== undefined) {
    if (flags.has("raw")) throw new Misuse("--show reads a dump, and --raw writes one; give one of them");
    return { kind: "show-dump", settings, path: shown };
  }
  if (mode === "debug" && !flags.has("raw"))
    throw new Misuse("cinch debug needs --raw, to dump the traffic, or --show FILE, to read such a dump");
  const raw = flags.has("raw");
  if (!flags.has("print")) {
    if (flags.has("output-format")) throw new Misuse("--output-format goes with -p");
    return { kind: "line", settings, raw, listen: !flags.has("no-listen"), ...connectOf(flags) };
  }
  oneOf(flags, "output-format", OUTPUT_FORMATS);
  if (settings.orphans !== undefined && settings.resume === undefined)
    throw new Misuse("--orphans goes with --continue or --resume");
  return { kind: "print", settings, raw, format, ...(prompt === undefined ? {} : { prompt }) };
}

function conformanceOf(flags: Flags): ConformanceWords {
  const [against, tokenFile] = [textOf(flags, "against"), textOf(flags, "auth-token-file")];
  if (against === undefined) throw new Misuse("cinch conformance needs --against URL, the server to walk");
  const names = textOf(flags, "scenario")?.split(",");
  const patience = numberOf(flags, "patience", /^[1-9]\d{0,2}$/, "whole seconds from 1 to 999");
  return {
    against,
    quick: flags.has("quick"),
    failFast: flags.has("fail-fast"),
    ...(patience === undefined ? {} : { patienceMs: patience * 1_000 }),
    json: flags.has("json"),
    profile: textOf(flags, "profile") ?? "conformance",
    ...(tokenFile === undefined ? {} : { tokenFile }),
    ...(names === undefined ? {} : { scenarios: names.map((name) => name.trim()) }),
  };
}

function connectOf(flags: Words["flags"]): { readonly connect?: ConnectWords } {
  const read = readConnect(
    (name) => textOf(flags, name),
    (name) => flags.has(name),
  );
  if (read.kind === "problem") throw new Misuse(read.problem);
  return read.connect === undefined ? {} : { connect: read.connect };
}

function sessionsOf(flags: Flags, words: readonly string[], settings: Settings): Invocation {
  const read = readSessions(flags, words);
  if (read.kind === "problem") throw new Misuse(read.problem);
  if (read.kind === "sessions") return { ...read, settings };
  const resumed = { ...settings, resume: { kind: "id", id: read.id } } as const;
  return { kind: "line", settings: resumed, raw: false, listen: true };
}

/** Commands that read what follows them by themselves. */
const OWN_WORDS: ReadonlySet<CommandName> = new Set<CommandName>([
  "ack",
  "creds",
  "permissions",
  "profile",
  "sessions",
  "skills",
  "agents",
  "plugins",
  "tasks",
  "token",
  "help",
]);

function commandOf(word: string): CommandName {
  const known = COMMANDS.map((command) => command.name);
  const command = known.find((name) => name === word);
  if (command !== undefined) return command;
  const [meant] = near(word, [...known, ...SUBCOMMANDS.map(({ name }) => name)]);
  const hint = meant === undefined ? "" : `did you mean cinch ${meant}? `;
  throw new Misuse(`there is no command "${word}"; ${hint}to send a prompt, write cinch -p "…"`);
}

/** The prompt of -p: its value, or the one word that follows, so that `-p --model x "prompt"` works too. */
function promptOf(flags: Flags, plain: Words["plain"], command: CommandName | undefined): string | undefined {
  const value = flags.get("print");
  const given = value === undefined || value === GIVEN ? [] : [value];
  const texts = [...given, ...plain.map((word) => word.text)];
  if (value === undefined && texts[0] !== undefined) {
    throw new Misuse(`cinch ${command ?? ""} takes no "${texts[0]}"`);
  }
  if (texts.length > 1) throw new Misuse("more than one prompt is given; put it in quotes");
  const [prompt] = texts;
  if (prompt === undefined || prompt === "-") return undefined;
  if (prompt.trim() === "") throw new Misuse("the prompt is empty");
  return prompt;
}

/** How a command is asked for JSON that has no other format. */
function insteadIn(mode: Mode): string {
  const json: Flag | undefined = FLAGS.find(({ name }) => name === "json");
  return json?.for.includes(mode) === true ? `; write cinch ${mode} --json` : "";
}

function checkFlags(flags: Flags, modes: readonly [Mode, ...Mode[]]): void {
  const [mode] = modes;
  for (const name of flags.keys()) {
    const flag: Flag | undefined = FLAGS.find((known) => known.name === name);
    if (modes.some((one) => flag?.for.includes(one) === true)) continue;
    if (name === "output-format") throw new Misuse(`--output-format goes with -p${insteadIn(mode)}`);
    if (name === "raw") throw new Misuse("--raw goes with cinch debug");
    throw new Misuse(`--${name} does not go with ${mode === "print" ? "-p" : `cinch ${mode}`}`);
  }
}

const KNOWN_FLAGS: readonly CliFlag[] = [
  ...FLAGS.map(({ name, help, ...flag }: Flag): CliFlag => {
    const short = flag.short === undefined ? {} : { short: flag.short };
    if (flag.value === undefined) return { name, help, ...short, kind: "switch" };
    const kind = flag.optional === true ? "optional-text" : "text";
    return { name, help, ...short, kind, placeholder: flag.value };
  }),
  ...SUBCOMMANDS.flatMap((command) => command.flags),
];
