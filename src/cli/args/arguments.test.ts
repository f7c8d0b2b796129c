import { expect, test } from "bun:test";
import fc from "fast-check";
import manifest from "../../../package.json" with { type: "json" };
import { HarnessError } from "../../base/errors.ts";
import type { TurnEndReason } from "../../protocol/events/events.ts";
import { EXIT } from "../../session/commands/cli-command.ts";
import { COMMANDS } from "../commands/commands.ts";
import { cinchPaths, userEnvironment } from "../environment.ts";
import { exitCodeOf, exitCodeOfTurn } from "../exit-codes.ts";
import { VERSION } from "../version.ts";
import type { CommandLine } from "./arguments.ts";
import { knownFlags, parseArguments } from "./arguments.ts";

const PLAIN = {
  autoApprove: false,
  strictPermissions: false,
  planMode: false,
  withoutProject: false,
  allowProjectHooks: false,
  insecureDevKey: false,
  logToStderr: false,
  logLevels: new Map(),
};

test("[CLI-01] every flag of a run is read, with = or a space", () => {
  const line =
    "-p hello --output-format=json --model mock:a/b:c --profile ./p.toml --cwd /tmp --level ReadOnly --auto-approve --strict-permissions --plan --max-turns 7 --max-cost=0.5 --record out.jsonl --resume log_1 --quiet-cost --log-to-stderr --log-level warn,engine=debug --no-listen";
  expect(parse(line)).toEqual({
    command: "-p",
    words: ["hello"],
    flags: { print: "hello", "output-format": "json", "no-listen": true },
    settings: {
      model: "mock:a/b:c",
      profile: "./p.toml",
      cwd: "/tmp",
      level: "ReadOnly",
      autoApprove: true,
      strictPermissions: true,
      planMode: true,
      maxTurns: 7,
      maxCostUsd: 0.5,
      record: "out.jsonl",
      resume: { kind: "id", id: "log_1" },
      withoutProject: false,
      allowProjectHooks: false,
      insecureDevKey: false,
      quietCost: true,
      logToStderr: true,
      logLevels: new Map([
        ["", "warn"],
        ["engine", "debug"],
      ]),
    },
  });
});

test("[CLI-01] no words start the line client; commands, help and version are distinct", () => {
  expect(parse("")).toEqual({ command: "", settings: PLAIN });
  expect(parse("--plain -c")).toEqual({
    command: "",
    flags: { plain: true },
    settings: { ...PLAIN, resume: { kind: "last" } },
  });
  expect(parse("models")).toEqual({ command: "models", settings: PLAIN });
  expect(parse("models --json")).toEqual({ command: "models", flags: { json: true }, settings: PLAIN });
  expect(parse("--json models")).toEqual(parse("models --json"));
  expect(parse("debug --raw")).toEqual({ command: "debug", flags: { raw: true }, settings: PLAIN });
  expect(parse("debug --show x")).toEqual({ command: "debug", flags: { show: "x" }, settings: PLAIN });
  expect(parse("debug --raw -p x")).toMatchObject({ command: "debug", words: ["x"], flags: { raw: true } });
  expect(parse("--version")).toEqual({ kind: "version" });
});

test("[CLI-02] help is about everything, a topic, a command or its verb, and an unknown word is an error", () => {
  const about = (line: string) => parse(line)["about"];
  expect(["help", "--help", "-h", "help help"].map(about)).toEqual(Array(4).fill([]));
  expect(["models -h", "help models", "models x --nonsense --help"].map(about)).toEqual(
    Array(3).fill(["models"]),
  );
  expect(["memory list --help", "help memory list"].map(about)).toEqual(Array(2).fill(["memory", "list"]));
  expect(["-p --help", "-p hello --help"].map(about)).toEqual(Array(2).fill(["-p"]));
  expect(["help flags", "help exit-codes"].map(about)).toEqual([["flags"], ["exit-codes"]]);
  expect(parse("help memry")).toMatchObject({
    kind: "usage",
    problem: 'there is no command "memry"; did you mean cinch help memory?',
  });
  expect(parse("frobnicate --help")).toMatchObject({
    problem: 'there is no command "frobnicate"; cinch --help lists them',
  });
});

test("[CLI-01] the prompt is the value of -p, the word after the flags, or standard input", () => {
  const words = (...argv: readonly string[]) => shapeOf(parseArguments(argv, COMMANDS))["words"];
  expect(words("-p", "--model", "a:b", "do it")).toEqual(["do it"]);
  expect(words("--print=-x")).toEqual(["-x"]);
  expect(words("-p", "--", "--version")).toEqual(["--version"]);
  expect(words("-p", "models")).toEqual(["models"]);
  expect(words("-p")).toBeUndefined();
  expect(words("-p", "-")).toEqual(["-"]);
});

test.each([
  ["--modle x:y", "there is no flag --modle; did you mean --model?"],
  ["--frobnicate", "there is no flag --frobnicate; cinch help flags lists them"],
  ["--wire", "there is no flag --wire; cinch help flags lists them"],
  ["-x", "there is no flag -x; cinch help flags lists them"],
  ["models --frobnicate", "there is no flag --frobnicate; cinch models --help lists them"],
  ["--model", "--model needs a value (PROVIDER:NAME)"],
  ["-p x --resume", "--resume needs a value (ID); cinch sessions list lists them"],
  [
    "--model --plain",
    "--model needs a value (PROVIDER:NAME); if it begins with a dash, write --model=PROVIDER:NAME",
  ],
  ["--plain=yes", "--plain takes no value"],
  ["--model a:b --model c:d", "--model is given twice"],
  ["--max-turns 0", '--max-turns takes a whole number from 1 to 999999, not "0"'],
  ["--max-cost=-1", '--max-cost takes US dollars, such as 0.50, not "-1"'],
  ["--max-time 9", '--max-time takes a length of time such as 90s, 10m or 2h, not "9"'],
  ["--level Root", '--level is one of ReadOnly, WorkspaceWrite, DangerFullAccess, not "Root"'],
  ["-p x --output-format xml", '--output-format is one of text, json, stream-json, not "xml"'],
  ["--output-format json", "--output-format goes with -p, cinch debug or cinch profile, not with cinch"],
  [
    "models --output-format json",
    "--output-format goes with -p, cinch debug or cinch profile, not with cinch models; write cinch models --json",
  ],
  [
    "ack --output-format json",
    "--output-format goes with -p, cinch debug or cinch profile, not with cinch ack",
  ],
  ["--log-level loud", '--log-level: "loud" is none of trace, debug, info, warn, error'],
  ["--resume x --continue", "--resume and --continue exclude each other"],
  [
    "model",
    'there is no command "model"; did you mean cinch models? to begin a conversation with this word: cinch -- model; with more: cinch "…"',
  ],
  ["models extra", 'cinch models takes no "extra"; cinch models --help shows what it takes'],
  ["token extra", "cinch token has no such subcommand; write cinch token or cinch token revoke ID…"],
  ["token", "cinch token needs --identity-class human|agent"],
  ["token --identity-class bot", '--identity-class is one of human, agent, not "bot"'],
  ["models --record x", "--record does not go with cinch models; cinch models --help lists its flags"],
  ["debug", "cinch debug needs --raw or --show FILE"],
  ["debug --raw --show x", "--raw and --show exclude each other"],
  ["--raw", "--raw goes with cinch debug, not with cinch"],
  ["debug --raw --output-format json", "--output-format goes with -p"],
  ["-p a b", "-p takes PROMPT; put the prompt in quotes"],
  ["-p --plain x", "--plain goes with cinch or cinch sessions, not with -p"],
  ["-p x --orphans fail", "--orphans goes with -c or --resume"],
  ["--connect https://a:1 --no-listen", "--connect and --no-listen exclude each other"],
  ["--tls-ca x", "--tls-ca goes with --connect"],
  ["memory", "write cinch memory list, cinch memory show NAME or cinch memory forget NAME"],
  [
    "memory shw x",
    "cinch memory has no such subcommand; did you mean cinch memory show? write cinch memory list, cinch memory show NAME or cinch memory forget NAME",
  ],
  ["memory show", "cinch memory show needs NAME: the name of a memory, as cinch memory list shows it"],
  ["memory show a b", 'cinch memory show takes NAME; "b" is one too many'],
  ["tasks add a b --every 1d --cron x", "--cron and --every exclude each other"],
  ["tasks add a b", "cinch tasks add needs --cron LINE, --every TIME or --at MOMENT"],
  ["tasks list --cron x", "--cron goes with cinch tasks add, not with cinch tasks list"],
])("[CLI-01] wrong usage names flag or word, and the right form: cinch %s", (line, problem) => {
  expect(parse(line)).toMatchObject({ kind: "usage", problem });
});

test("[CRED-01] a key on the command line is never repeated", () => {
  for (const line of [
    "creds add openai default sk-abcdefghijklmnop",
    "creds delete openai default sk-abcdefghijklmnop",
    "creds list sk-abcdefghijklmnop",
    "creds sk-abcdefghijklmnop",
  ])
    expect(JSON.stringify(parse(line)["problem"] ?? "")).not.toContain("sk-");
  expect(parse("creds delete openai default sk-abc")["problem"]).toContain("stays in the shell's history");
});

test("[TOFU-04 CLI-01] ack takes paths, a bulk switch and a lock file to write; verify-ack one to read", () => {
  expect(parse("ack")).toEqual({ command: "ack", settings: PLAIN });
  expect(parse("ack --all a b/c")).toMatchObject({ words: ["a", "b/c"], flags: { all: true } });
  expect(parse("ack --emit-lockfile")).toMatchObject({ flags: { "emit-lockfile": true } });
  expect(parse("ack --emit-lockfile ci.lock")).toMatchObject({ flags: { "emit-lockfile": "ci.lock" } });
  expect(parse("verify-ack --lockfile ci.lock")).toEqual({
    command: "verify-ack",
    settings: { ...PLAIN, lockfile: "ci.lock" },
  });
  expect(parse("-p x --lockfile ci.lock --without-project")).toMatchObject({
    settings: { lockfile: "ci.lock", withoutProject: true },
  });
  expect(parse("-p x --all")).toMatchObject({
    kind: "usage",
    problem: "--all goes with cinch ack or cinch sessions, not with -p",
  });
});

test("[CLI-01] an empty value is named as the flag is typed, with what to write", () => {
  const problemOf = (...words: readonly string[]) => parseArguments(words, COMMANDS);
  expect(problemOf("-p", "")).toMatchObject({ problem: "-p is empty: write -p PROMPT, or leave it out" });
  expect(problemOf("--profile", " ")).toMatchObject({
    problem: "--profile is empty: write --profile NAME|PATH, or leave it out",
  });
});

test("[CLI-01 TUI-07] wrong words cannot drive the terminal, and no words make the parser throw", () => {
  expect(parseArguments(["--\u001b[2Jx"], COMMANDS)).toMatchObject({
    problem: "there is no flag --x; cinch help flags lists them",
  });
  const words = fc.oneof(
    fc.constantFrom(
      ...knownFlags(COMMANDS).map((flag) => `--${flag.name}`),
      ...COMMANDS.flatMap((command) => [command.name, ...(command.verbs ?? []).map(({ name }) => name)]),
      "-p",
      "--",
      "-",
    ),
    fc.string(),
  );
  const kinds = ["command", "usage", "help", "version", "licenses"];
  for (const { name } of COMMANDS) expect(kinds).toContain(parseArguments([name], COMMANDS).kind);
  fc.assert(
    fc.property(fc.array(words), (argv) => {
      expect(kinds).toContain(parseArguments(argv, COMMANDS).kind);
    }),
  );
});

test("[CLI-01] exit codes are those that scripts depend on", () => {
  expect(EXIT).toEqual({ done: 0, failed: 1, usage: 2, refused: 3, limit: 4, trust: 5, cancelled: 130 });
  const code = (reason: Parameters<typeof ended>[0], refused = 0) =>
    exitCodeOfTurn({ ...ended(reason), refused });
  expect([
    code("complete"),
    code("yield"),
    code("complete", 1),
    code("turn_limit", 1),
    code("budget"),
  ]).toEqual([0, 0, 3, 4, 4]);
  expect([code("cancelled"), code("error"), code("length"), code("empty"), code("no_progress")]).toEqual([
    130, 1, 1, 1, 1,
  ]);
  expect(exitCodeOfTurn({ ...ended("error"), error: { reason: "ProviderKeyRefused", message: "" } })).toBe(2);
  expect(exitCodeOfTurn({ refused: 0 })).toBe(1);
  expect(exitCodeOf(new HarnessError("UsageInvalid", { problem: "x" }))).toBe(2);
  expect(exitCodeOf(new Error("x"))).toBe(1);
});

test("[CLI-01] the version is that of package.json", () => {
  expect(VERSION).toBe(manifest.version);
});

test("[CLI-01] files lie where XDG says; relative paths count as absent; a missing home is reported", () => {
  expect(cinchPaths({ HOME: "/h", XDG_DATA_HOME: "/d", XDG_STATE_HOME: "relative" })).toEqual({
    config: "/h/.config/cinch",
    data: "/d/cinch",
    state: "/h/.local/state/cinch",
  });
  expect(cinchPaths({ XDG_CONFIG_HOME: "/c", XDG_DATA_HOME: "/d", XDG_STATE_HOME: "/s" }).state).toBe(
    "/s/cinch",
  );
  expect(() => cinchPaths({})).toThrow(
    "there is no home directory: set HOME, or XDG_CONFIG_HOME, to an absolute path",
  );
});

test("[TOOL-10 S35] what drives our own runtime, and tokens for cinch, never reach a child", () => {
  const environment = {
    PATH: "/bin",
    BUN_OPTIONS: "--preload x",
    BUN_BE_BUN: "1",
    BUN_INSPECT: "x",
    BUN_INSPECT_PRELOAD: "x",
    NODE_OPTIONS: "--require x",
    CINCH_TOKEN: "secret",
    CINCH_PASSPHRASE: "secret",
    EMPTY: undefined,
  };
  expect(userEnvironment(environment)).toEqual({ PATH: "/bin" });
});

function ended(reason: TurnEndReason) {
  return { reason, refused: 0 };
}

function parse(line: string): Readonly<Record<string, unknown>> {
  return shapeOf(parseArguments(line === "" ? [] : line.split(" "), COMMANDS));
}

/** Returns a command line without flags that were not given, and without what is empty. */
function shapeOf(line: CommandLine): Readonly<Record<string, unknown>> {
  if (line.kind !== "command") return { ...line };
  const { command, verb, words, settings } = line;
  const flags = Object.entries(line.flags).filter(([, value]) => value !== undefined && value !== false);
  return {
    command: command.name,
    ...(verb === "" ? {} : { verb }),
    ...(words.length === 0 ? {} : { words }),
    ...(flags.length === 0 ? {} : { flags: Object.fromEntries(flags) }),
    settings,
  };
}
