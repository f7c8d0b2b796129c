import { expect, test } from "bun:test";
import fc from "fast-check";
import manifest from "../../../package.json" with { type: "json" };
import { HarnessError } from "../../base/errors.ts";
import type { TurnEndReason } from "../../protocol/events/events.ts";
import { EXIT } from "../../session/cli-command.ts";
import { pathsOf, userEnvironment } from "../environment.ts";
import { EXIT_TEXTS, exitCodeOf, exitCodeOfTurn } from "../exit-codes.ts";
import { VERSION } from "../version.ts";
import type { Invocation } from "./arguments.ts";
import { parseArguments } from "./arguments.ts";
import type { Flag } from "./flags.ts";
import { COMMANDS, FLAGS } from "./flags.ts";
import { helpText } from "./help.ts";

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
    kind: "print",
    prompt: "hello",
    format: "json",
    raw: false,
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

test("[CLI-01] no words start the line client; commands, help and version are told apart", () => {
  expect(parse("")).toEqual({ kind: "line", raw: false, listen: true, settings: PLAIN });
  expect(parse("--plain -c")).toEqual({
    kind: "line",
    raw: false,
    listen: true,
    settings: { ...PLAIN, resume: { kind: "last" } },
  });
  expect(parse("models")).toEqual({ kind: "models", settings: PLAIN, json: false });
  expect(parse("models --json")).toEqual({ kind: "models", settings: PLAIN, json: true });
  expect(parse("debug --raw")).toEqual({ kind: "line", raw: true, listen: true, settings: PLAIN });
  expect(parse("debug --show x")).toEqual({ kind: "show-dump", settings: PLAIN, path: "x" });
  expect(parse("debug --raw -p x")).toMatchObject({ kind: "print", raw: true, prompt: "x" });
  expect(["help", "--help", "-h", "models -h"].map((line) => parse(line).kind)).toEqual(
    Array(4).fill("help"),
  );
  expect(parse("--version")).toEqual({ kind: "version" });
});

test("[CLI-01] the prompt is the value of -p, the word after the flags, or standard input", () => {
  expect(parseArguments(["-p", "--model", "a:b", "do it"])).toMatchObject({ prompt: "do it" });
  expect(parseArguments(["--print=-x"])).toMatchObject({ prompt: "-x" });
  expect(parseArguments(["-p", "--", "--version"])).toMatchObject({ kind: "print", prompt: "--version" });
  expect(parseArguments(["-p", "models"])).toMatchObject({ kind: "print", prompt: "models" });
  for (const line of ["-p", "-p -", "-p --output-format json"])
    expect(parse(line)).not.toHaveProperty("prompt");
});

test.each([
  ["--modle x:y", "there is no flag --modle; did you mean --model?"],
  ["--frobnicate", "there is no flag --frobnicate; cinch --help lists them"],
  ["--wire", "there is no flag --wire; cinch --help lists them"],
  ["-x", "there is no flag -x; cinch --help lists them"],
  ["--model", "--model needs a value (PROVIDER:NAME)"],
  [
    "--model --plain",
    "--model needs a value (PROVIDER:NAME); if it begins with a dash, write --model=PROVIDER:NAME",
  ],
  ["--plain=yes", "--plain takes no value"],
  ["--model a:b --model c:d", "--model is given twice"],
  ["--max-turns 0", '--max-turns takes a whole number from 1 to 999999, not "0"'],
  ["--max-cost=-1", '--max-cost takes US dollars, such as 0.50, not "-1"'],
  ["--level Root", '--level is one of ReadOnly, WorkspaceWrite, DangerFullAccess, not "Root"'],
  ["-p x --output-format xml", '--output-format is one of text, json, stream-json, not "xml"'],
  ["--output-format json", "--output-format goes with -p"],
  ["models --output-format json", "--output-format goes with -p; write cinch models --json"],
  ["ack --output-format json", "--output-format goes with -p"],
  ["--log-level loud", '--log-level: "loud" is none of trace, debug, info, warn, error'],
  ["--resume x --continue", "--resume and --continue exclude each other"],
  ["model", 'there is no command "model"; did you mean cinch models? to send a prompt, write cinch -p "…"'],
  ["models extra", 'cinch models takes no "extra"'],
  ["token extra", 'cinch token takes no "extra"; to revoke one: cinch token revoke ID'],
  ["models --record x", "--record does not go with cinch models"],
  ["debug", "cinch debug needs --raw, to dump the traffic, or --show FILE, to read such a dump"],
  ["debug --raw --show x", "--show reads a dump, and --raw writes one; give one of them"],
  ["--raw", "--raw goes with cinch debug"],
  ["-p a b", "more than one prompt is given; put it in quotes"],
  ["-p --plain x", "--plain does not go with -p"],
])("[CLI-01] wrong usage is told with what is meant: cinch %s", (line, problem) => {
  expect(parse(line)).toMatchObject({ kind: "usage", problem });
});

test("[TOFU-04 CLI-01] ack takes paths, a bulk switch and a lock file to write; verify-ack one to read", () => {
  const base = { kind: "ack", settings: PLAIN, all: false, paths: [] };
  expect(parse("ack")).toEqual(base as Invocation);
  expect(parse("ack --all a b/c")).toEqual({ ...base, all: true, paths: ["a", "b/c"] } as Invocation);
  expect(parse("ack --emit-lockfile")).toEqual({ ...base, emit: "-" } as Invocation);
  expect(parse("ack --emit-lockfile ci.lock")).toEqual({ ...base, emit: "ci.lock" } as Invocation);
  expect(parse("verify-ack --lockfile ci.lock")).toEqual({
    kind: "verify-ack",
    settings: { ...PLAIN, lockfile: "ci.lock" },
  });
  expect(parse("-p x --lockfile ci.lock --without-project")).toMatchObject({
    settings: { lockfile: "ci.lock", withoutProject: true },
  });
  expect(parse("-p x --all")).toMatchObject({ kind: "usage", problem: "--all does not go with -p" });
});

test("[CLI-01 TUI-07] wrong words cannot drive the terminal, and no words make the parser throw", () => {
  expect(parseArguments(["--\u001b[2Jx"])).toMatchObject({
    problem: "there is no flag --x; cinch --help lists them",
  });
  const words = fc.oneof(
    fc.constantFrom(
      ...FLAGS.map((flag) => `--${flag.name}`),
      ...COMMANDS.map((command) => command.name),
      "-p",
      "--",
      "-",
    ),
    fc.string(),
  );
  for (const { name } of COMMANDS) expect(Object.keys(KINDS)).toContain(parseArguments([name]).kind);
  fc.assert(
    fc.property(fc.array(words), (argv) => {
      expect(Object.keys(KINDS)).toContain(parseArguments(argv).kind);
    }),
  );
});

/** All of them: the compiler asks for a new one. */
const KINDS: Readonly<Record<ReturnType<typeof parseArguments>["kind"], true>> = {
  usage: true,
  help: true,
  version: true,
  licenses: true,
  line: true,
  print: true,
  models: true,
  "show-dump": true,
  demo: true,
  ack: true,
  "verify-ack": true,
  creds: true,
  permissions: true,
  profile: true,
  sessions: true,
  doctor: true,
  serve: true,
  acp: true,
  mcp: true,
  token: true,
  "token-revoke": true,
  command: true,
  agents: true,
  plugins: true,
  skills: true,
  tasks: true,
  conformance: true,
};

test("[CLI-01] the help names every flag, command and exit code, and fits 80 columns", () => {
  const help = helpText();
  // Flags of one command alone stand in the help of that command.
  const isGlobal = (flag: Flag) => flag.for.some((mode) => mode !== "sessions");
  for (const flag of FLAGS.filter(isGlobal)) expect(help).toContain(`--${flag.name}`);
  for (const { name } of COMMANDS) expect(help).toContain(`  cinch ${name} `);
  const unwrapped = help.replaceAll(/\s+/g, " ");
  for (const [, text] of EXIT_TEXTS) expect(unwrapped).toContain(text);
  expect(Math.max(...help.split("\n").map((line) => line.length))).toBeLessThanOrEqual(80);
  expect(help).toMatchSnapshot();
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

test("[CLI-01] files are kept where XDG says; relative paths count as absent; no home is told", () => {
  expect(pathsOf({ HOME: "/h", XDG_DATA_HOME: "/d", XDG_STATE_HOME: "relative" })).toEqual({
    config: "/h/.config/cinch",
    data: "/d/cinch",
    state: "/h/.local/state/cinch",
  });
  expect(pathsOf({ XDG_CONFIG_HOME: "/c", XDG_DATA_HOME: "/d", XDG_STATE_HOME: "/s" }).state).toBe(
    "/s/cinch",
  );
  expect(() => pathsOf({})).toThrow(
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

function parse(line: string): Invocation {
  return parseArguments(line === "" ? [] : line.split(" "));
}
