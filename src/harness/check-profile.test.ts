import { expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryDirectory, testWorld } from "../../test/support/world.ts";
import { checkFiles } from "./check-profile.ts";

test("[PROF-01 PROF-03] a check tells every error and warning of every file at once, with place and remedy, in the order of the file", async () => {
  await using place = openPlace();
  place.config(`max_turns = 0
default_profile = "secnd"
[agents]
rounds = "x"
depht = 2
[[mcp_servers]]
name = "a b"
timeout = "5"
foo = 1
[[mcp_servers]]
name = "ok"
cmd = "ls"
sha265 = "x"
[permissions]
deny = ["Bsh:*", "Read(("]
[providers.Bad]
kind = "anthropic"
base_url = "https://a.example"
[providers.b]
base_url = "nowhere"
[[hooks]]
event = "PreToolUse"
cmd = "true"
matcher = "Wriet|Reed"
`);
  place.profile(
    "first",
    `tool_packs = ["fss", "search", "nope"]
limts = 3
tool_execution = "fast"
permissions = "../own.toml"
[limits]
rounds = 0
cots = 2
[[mcp_servers]]
name = "OK"
cmd = "ls"
`,
  );
  place.preset("own", 'alow = []\nlevel = "Reed"\n');
  place.profile(
    "second",
    'skill_packs = ["review", "revew"]\nhoks = 1\n[[diagnostics]]\nname = "x"\nwait = 0\n',
  );
  place.profile("syntax", "a = 1\nb = \n");
  const { profiles, findings } = await checkFiles(place.options, undefined);
  expect(profiles).toEqual(["first", "second", "syntax", "default", "self", "conformance"]);
  const { config, first, second, syntax, own } = place.paths;
  expect(findings.map(({ weight, text }) => `${weight} ${text}`)).toEqual([
    `error ${config}:1: max_turns: must be a whole number of at least 1`,
    `error ${config}:2: default_profile: there is no profile "secnd". Did you mean second?`,
    `error ${config}:4: agents.rounds: must be a whole number of at least 1`,
    `error ${config}:5: agents.depht: unknown key; did you mean "depth"?`,
    `error ${config}:6: mcp_servers.cmd: is missing: the program to start, or url for a server that is elsewhere`,
    `error ${config}:7: mcp_servers.name: "a b" must be at most 32 letters and digits, with single - and _ between them`,
    `error ${config}:8: mcp_servers.timeout: must be a number of at least 1`,
    `error ${config}:9: mcp_servers.foo: unknown key`,
    `error ${config}:13: mcp_servers.sha265: unknown key; did you mean "sha256"?`,
    `error ${config}:15: permissions.deny: there is no tool "Bsh"; did you mean "Bash"?`,
    `error ${config}:15: permissions.deny: "Read((" is no rule: write Tool, Tool:glob or Tool:=literal`,
    `error ${config}:16: providers.Bad: "Bad" is no provider name: small letters, digits, - and _`,
    `error ${config}:19: providers.b.kind: is missing: one of openai-compatible, openai-responses, anthropic`,
    `error ${config}:20: providers.b.base_url: must be an http or https URL`,
    `error ${config}:23: hooks.matcher: there is no tool "Wriet"; did you mean "Write"?`,
    `error ${config}:23: hooks.matcher: there is no tool "Reed"; did you mean "Read"?`,
    `error ${first}:1: tool_packs: There is no tool pack 'fss'. Known: builtin, fs, search, shell, git, plan, tasks, web, agents, memory, skills.`,
    `error ${first}:1: tool_packs: There is no tool pack 'nope'. Known: builtin, fs, search, shell, git, plan, tasks, web, agents, memory, skills.`,
    `warning ${first}:2: limts: unknown key; did you mean "limits"?`,
    `error ${first}:3: tool_execution: must be one of "sequential", "parallel-read-only"`,
    `error ${first}:6: limits.rounds: must be a whole number of at least 1`,
    `warning ${first}:7: limits.cots: unknown key; did you mean "cost"?`,
    `error ${first}:9: mcp_servers.name: config.toml has a server of this name: "ok" (${config}:11)`,
    `error ${own}:1: alow: unknown key; did you mean "allow"?`,
    `error ${own}:2: level: must be one of "ReadOnly", "WorkspaceWrite", "DangerFullAccess"`,
    `error ${second}:1: skill_packs: There is no skill pack 'revew'. Did you mean 'review'? Profiles list packs in skill_packs.`,
    `warning ${second}:2: hoks: unknown key; did you mean "hooks"?`,
    `error ${second}:3: diagnostics.files: must name files, such as ["*.ts"]`,
    `error ${second}:3: diagnostics.command: must be a program and its words: ["tsc", "--lsp", "--stdio"]`,
    `error ${second}:5: diagnostics.wait: must be a number of at least 0.1`,
    `error ${syntax}:2: TOML: invalid value (column 5)`,
  ]);
  expect(findings.at(-1)).toMatchObject({ path: syntax, line: 2, key: "TOML" });
});

test("[PROF-01 PROF-03] a check goes on behind what is missing, and behind a table that nothing mends", async () => {
  await using place = openPlace();
  place.config(`[prices.odd]
input = 1
output = 2
[providers.a]
kind = "anthropic"
[providers.a.headers]
host = "x"
[[mcp_servers]]
cmd = "one"
[[mcp_servers]]
cmd = "two"
[permissions]
deny = ["Bsh"]
`);
  const { findings } = await checkFiles(place.options, "default");
  const { config } = place.paths;
  expect(findings.map(({ text }) => text)).toEqual([
    `${config}:2: prices.odd.input: "odd" is no model: write [prices."provider:name"]`,
    `${config}:4: providers.a.base_url: is missing`,
    `${config}:7: providers.a.headers.host: may not be set here: name the variable of a key with api_key_env`,
    `${config}:8: mcp_servers.name: is missing`,
    `${config}:10: mcp_servers.name: is missing`,
    `${config}:13: permissions.deny: there is no tool "Bsh"; did you mean "Bash"?`,
  ]);
});

test("[PROF-01] what is right is told as right, with packs of skills too; one profile can be checked alone", async () => {
  await using place = openPlace();
  place.profile("good", 'skill_packs = ["review"]\ntool_packs = ["fs"]\n');
  place.profile("bad", "limits = 1\n");
  expect(await checkFiles(place.options, "good")).toEqual({ profiles: ["good"], findings: [] });
  const missing = await checkFiles(place.options, "goood");
  expect(missing.findings).toEqual([
    {
      weight: "error",
      text: expect.stringContaining("There is no profile 'goood'. Did you mean 'good'? Known: "),
    },
  ]);
});

test("[PROF-01 REL-03] of a file with very many mistakes a hundred are told, and that there may be more", async () => {
  await using place = openPlace();
  place.config(Array.from({ length: 300 }, (_, at) => `key${at} = 1\n`).join(""));
  const { findings } = await checkFiles(place.options, "default");
  expect(findings.length).toBe(101);
  expect(findings.at(-1)?.text).toContain("100 errors are told at once");
});

function openPlace() {
  const directory = temporaryDirectory();
  const config = join(directory.path, "config.toml");
  const profiles = join(directory.path, "profiles");
  const toml = (name: string) => join(profiles, `${name}.toml`);
  mkdirSync(profiles);
  const write = (path: string, text: string) => writeFileSync(path, text);
  return {
    options: {
      world: testWorld(),
      paths: { config: directory.path, data: directory.path, state: directory.path },
    },
    paths: {
      config,
      first: toml("first"),
      second: toml("second"),
      syntax: toml("syntax"),
      own: join(directory.path, "own.toml"),
    },
    config: (text: string) => write(config, text),
    profile: (name: string, text: string) => write(toml(name), text),
    preset: (name: string, text: string) => write(join(directory.path, `${name}.toml`), text),
    [Symbol.asyncDispose]: () => directory[Symbol.asyncDispose](),
  };
}
