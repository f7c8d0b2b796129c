import { expect, test } from "bun:test";
import { OF_THE_ENGINE } from "../src/cli/shared-prompt/likeness.ts";
import { codeOf, filesUnder, isTest, readSource } from "./support/source.ts";

const SOURCES = filesUnder("src", "**/*.ts").filter((file) => !isTest(file) && !file.startsWith("src/cli/"));

const KEYS = "a key: the prompt compares the hash of all keys";
const SESSIONS = "read from the environment of each session";
const CHILDS = "set for a child process, not read";
const NO_VARIABLE = "not a variable";
const PERSONS = "read from the environment of the person's terminal, by its client";

/** Names that `OF_THE_ENGINE` lacks, or files of such names, and why prompts that differ in them share an engine. */
const OTHERS: readonly (readonly [nameOrFile: string, reason: string])[] = [
  ["PATH", SESSIONS],
  ["src/client/terminal/clipboard/clipboard-paths.ts", PERSONS],
  ["src/client/terminal/features/paste-image/clipboard-image.ts", PERSONS],
  ["src/client/terminal/themes/theme-choice.ts", PERSONS],
  ["XDG_CONFIG_HOME", SESSIONS],
  ["XDG_STATE_HOME", "the prompt compares the folder that follows from it"],
  ["src/guard/sandbox/policy/hidden-paths.ts", SESSIONS],
  ["ANTHROPIC_API_KEY", KEYS],
  ["CINCH_MACHINE_KEY", KEYS],
  ["CINCH_PASSPHRASE", KEYS],
  ["src/providers/vendors.ts", KEYS],
  ["CINCH_CALL", CHILDS],
  ["CINCH_CHECKER", CHILDS],
  ["CINCH_HOOK", CHILDS],
  ["CINCH_HOOKS", CHILDS],
  ["CINCH_LANGUAGE_SERVER", CHILDS],
  ["CINCH_MCP", CHILDS],
  ["CINCH_WATCHED", CHILDS],
  ["DATABASE_URL", "an example of a key in config.toml"],
  ["LOCAL_API_KEY", "an example of a key in config.toml"],
  ["NTFY_TOKEN", "an example of a key in config.toml"],
  ["EAI_AGAIN", NO_VARIABLE],
  ["SQLITE_BUSY", NO_VARIABLE],
  ["SQLITE_NOTADB", NO_VARIABLE],
  ["src/client/remote/server-frames.ts", NO_VARIABLE],
  ["src/features/mcp/server/outcome.ts", NO_VARIABLE],
  ["src/server/mcp/mcp-server.ts", NO_VARIABLE],
  ["src/session/sqlite/failure.ts", NO_VARIABLE],
];

/** Files that read variables whose names are computed, and where those names come from. */
const COMPUTED: readonly (readonly [file: string, reason: string])[] = [
  ["src/app/explain/effective-keys.ts", KEYS],
  ["src/client/terminal/clipboard/clipboard-paths.ts", PERSONS],
  ["src/client/terminal/features/paste-image/clipboard-image.ts", PERSONS],
  ["src/credentials/env-keys.ts", KEYS],
  ["src/credentials/helper/open-helper.ts", KEYS],
  ["src/features/mcp/resolve-spec.ts", "`pass_env`: the prompt compares what it names"],
  ["src/features/notify/doctor-notify.ts", "`token_env`: the prompt compares what it names"],
  ["src/features/notify/open.ts", "`token_env`: the prompt compares what it names"],
  ["src/features/telemetry/open.ts", "all begin with OTEL_"],
  ["src/features/telemetry/otel-environment.ts", "all begin with OTEL_"],
  ["src/features/telemetry/otel-problems.ts", "all begin with OTEL_"],
  ["src/guard/sandbox/policy/hidden-paths.ts", SESSIONS],
  ["src/platform/processes/spawn.ts", CHILDS],
  ["src/providers/vendor-settings.ts", "texts of the same file"],
];

// Variables reach code as an object of one of these names.
const READ = /\b(?:\w*[eE]nv(?:ironment)?|variables)(?:\?\.)?\[(?:"(\d+)"\]|(?=[^\]]))/g;
const ASSIGNED = /^[^\]=]*\]\s*=[^=]/;

interface Reads {
  /** Names that stand in the code: those of reads, and texts that look like the name of a variable. */
  readonly names: readonly string[];
  readonly isComputed: boolean;
}

function readsIn(source: string): Reads {
  const { text, strings } = codeOf(source);
  const reads = [...text.matchAll(READ)].filter(
    ({ 0: found, index }) => !ASSIGNED.test(text.slice(index + found.length)),
  );
  const names = reads.flatMap(([, at]) => (at === undefined ? [] : (strings[Number(at)] ?? [])));
  const named = strings.filter((each) => /^[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+$/.test(each));
  return { names: [...names, ...named], isComputed: reads.some(([, at]) => at === undefined) };
}

test("[CRED-03] a prompt shares no engine that differs in a variable that engines read", () => {
  const excepted = new Set(OTHERS.map(([nameOrFile]) => nameOrFile));
  const used = new Set<string>();
  const missing = SOURCES.flatMap((file) =>
    readsIn(readSource(file)).names.flatMap((name) => {
      if (OF_THE_ENGINE.test(name)) return [];
      const exception = [name, file].find((each) => excepted.has(each));
      if (exception === undefined) return [`${file}: ${name}`];
      used.add(exception);
      return [];
    }),
  );
  expect(missing).toEqual([]);
  expect([...excepted].filter((each) => !used.has(each))).toEqual([]);
});

test("[CRED-03] each file that reads variables of computed names says which", () => {
  const found = SOURCES.filter((file) => readsIn(readSource(file)).isComputed);
  expect(found).toEqual(COMPUTED.map(([file]) => file));
});

test("reads of variables are found however they are written", () => {
  expect(readsIn('const a = environment["HOST"] ?? env?.["USER"];').names).toEqual(["HOST", "USER"]);
  expect(readsIn('const NAME = "SOME_HOST"; read(process.env[NAME]);')).toEqual({
    names: ["SOME_HOST"],
    isComputed: true,
  });
  expect(readsIn("variables[name] = value;").isComputed).toBe(false);
});
