import { expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { temporaryDirectory, testWorld } from "../../../test/support/world.ts";
import { PROGRAM_FEATURES } from "../plan/feature-set.ts";
import { checkFiles } from "./check-profile.ts";

test("[PROF-01 PROF-03] a check reports every error and warning of every file at once, with place and remedy, in the order of the file", async () => {
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
    `error ${config}:6: mcp_servers.cmd: is missing: the program to start, or url for a remote server`,
    `error ${config}:7: mcp_servers.name: "a b" must be at most 32 letters and digits, with single - and _ between them`,
    `error ${config}:8: mcp_servers.timeout: must be a number of at least 1`,
    `error ${config}:9: mcp_servers.foo: unknown key`,
    `error ${config}:13: mcp_servers.sha265: unknown key; did you mean "sha256"?`,
    `error ${config}:15: permissions.deny: there is no tool "Bsh"; did you mean "Bash"?`,
    `error ${config}:15: permissions.deny: "Read((" is not a rule: write Tool, Tool:glob or Tool:=literal`,
    `error ${config}:16: providers.Bad: "Bad" is not a provider name: small letters, digits, - and _`,
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

test("[PROF-01 PROF-03] a check continues behind what is missing, and behind a table that nothing mends", async () => {
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
    `${config}:2: prices.odd.input: "odd" is not a model: write [prices."provider:name"]`,
    `${config}:4: providers.a.base_url: is missing`,
    `${config}:7: providers.a.headers.host: may not be set here: name the variable of a key with api_key_env`,
    `${config}:8: mcp_servers.name: is missing`,
    `${config}:10: mcp_servers.name: is missing`,
    `${config}:13: permissions.deny: there is no tool "Bsh"; did you mean "Bash"?`,
  ]);
});

test("[PROF-01] a profile with another profile's name, or with a name that differs from its file, is reported", async () => {
  await using place = openPlace();
  place.profile("big", 'name = "Big Name"\n');
  place.profile("self", 'name = "self"\n');
  const elsewhere = place.project("sub/w.toml", '# mine\nname = "default"\n');
  const other = place.project("sub/x.toml", 'name = "another"\n');
  expect(await place.told("big")).toEqual([
    `warning ${place.paths.profile("big")}:1: name: sessions show "Big Name", and this profile is found as "big" only`,
  ]);
  expect(await place.told("self")).toEqual([]);
  expect(await place.told(elsewhere)).toEqual([
    `warning ${elsewhere}:2: name: sessions show "default", which is a profile of the program too`,
  ]);
  expect(await place.told(other)).toEqual([]);
});

test("[PROF-01 PROV-07 ENG-23] models with an unknown provider or route are reported, unless a plugin may bring them", async () => {
  await using place = openPlace();
  const text = `default_model = "opnai:gpt-6"
[delegate]
model = "nope:two"
[routing.fast]
model = "mine:one"
fallback = ["acm:x", "zai:glm-4.6"]
[[routing.fast.rules]]
model = "openai:gpt-6"
role = "summary"
[[routing.fast.rules]]
model = "opnrouter:x"
role = "sub-agent"
[providers.mine]
kind = "anthropic"
base_url = "http://127.0.0.1:1"
`;
  place.config(text);
  place.profile("p", 'default_model = "routing:fats"\n[delegate]\nmodel = "routing:fast"\n');
  const { config } = place.paths;
  const known =
    "Known: anthropic, openai, openrouter, zai, vertex, copilot, mine, ollama, llama.cpp, vllm, lm-studio, replay, conformance, routing.";
  expect(await place.told("p")).toEqual([
    `error ${config}:1: default_model: There is no provider 'opnai'. Did you mean 'openai'? ${known}`,
    `warning ${config}:3: delegate.model: There is no provider 'nope'. ${known}`,
    `warning ${config}:6: routing.fast.fallback: There is no provider 'acm'. ${known}`,
    `warning ${config}:11: routing.fast.rules.model: There is no provider 'opnrouter'. Did you mean 'openrouter'? ${known}`,
    expect.stringMatching(/^error .*p\.toml:1: default_model: .*'fats'.*fast/),
  ]);
  place.config(`plugins = ["/nowhere/dice"]\n${text}`);
  expect(await place.told("p")).toEqual([]);
});

test("[PROF-01] valid settings are reported as valid, with packs of skills; one profile can be checked alone", async () => {
  await using place = openPlace();
  place.profile("good", 'skill_packs = ["review"]\ntool_packs = ["fs"]\n');
  place.profile("bad", "limits = 1\n");
  expect(await checkFiles(place.options, "good")).toEqual({ profiles: ["good"], files: [], findings: [] });
  const missing = await checkFiles(place.options, "goood");
  expect(missing.findings).toEqual([
    {
      weight: "error",
      text: expect.stringContaining("There is no profile 'goood'. Did you mean 'good'? Known: "),
    },
  ]);
});

test("[PROF-01 PROF-03] a repository's profile is held to what a repository may say, acknowledged or not, all of it at once", async () => {
  await using place = openPlace();
  const profile = place.project(
    ".cinch/profiles/w.toml",
    `plugins = ["/x"]
allow_project_hooks = true
default_model = "nope"
hooks = 3
[limits]
rounds = 3
[permissions]
level = "DangerFullAccess"
allow = ["Bash"]
[[mcp_servers]]
name = "s"
cmd = "ls"
`,
  );
  const said = `error ${profile}`;
  const own = "a repository may not set this; only your own configuration can";
  const wrong = [
    `${said}:1: plugins: ${own}`,
    `${said}:2: allow_project_hooks: ${own}`,
    `${said}:3: default_model: "nope" is not a model: write provider:name`,
    `${said}:4: hooks: ${own}`,
    `${said}:5: limits: ${own}`,
    `${said}:7: permissions: a repository can only lower the level: ReadOnly or WorkspaceWrite`,
    `${said}:9: permissions.allow: a repository's rules can only ask or deny`,
    `${said}:11: mcp_servers: s: a repository's servers need the sha256 of their program`,
  ];
  expect(await place.told(profile)).toEqual(wrong);
  expect(await place.told(undefined)).toEqual(wrong);
  const { profiles } = await checkFiles(place.options, undefined);
  expect(profiles).toEqual(["default", "self", "conformance", profile]);
});

test("[PROF-01 MCP-04 HOOK-02] a profile elsewhere in the repository is held to what it may run, and nothing of it elsewhere", async () => {
  await using place = openPlace();
  const text = `plugins = []
allow_project_hooks = true
[[hooks]]
event = "PreToolUse"
cmd = "true"
[[mcp_servers]]
name = "s"
cmd = "ls"
`;
  const profile = place.project("sub/w.toml", text);
  const said = `error ${profile}`;
  expect(await place.told(profile)).toEqual([
    `${said}:2: allow_project_hooks: a profile that lies in the repository may not say this: put it among your own profiles, or write --allow-project-hooks`,
    `${said}:5: hooks: a profile that lies in the repository may run no hooks: put it among your own profiles, or the hooks into .cinch/hooks, where they are acknowledged`,
    `${said}:7: mcp_servers: s: a repository's servers need the sha256 of their program`,
  ]);
  place.profile("mine", text);
  expect(await place.told("mine")).toEqual([]);
});

test("[PROF-01 PROF-03] the user's hooks and aliases and a project's settings are checked, since they can end a start; other mistakes are warnings", async () => {
  await using place = openPlace();
  const config = place.project(
    ".cinch/config.toml",
    'providers = 1\n[permissions]\nalow = []\nlevel = "DangerFullAccess"\ndeny = ["Bsh"]\n',
  );
  const preset = place.project(".cinch/permissions.toml", "quiet = true\n");
  const hooks = place.project(
    ".cinch/hooks.toml",
    '[[hooks]]\nevent = "PreToolUse"\ncmd = "true"\nmatcher = "Wriet"\n',
  );
  const servers = place.project(".cinch/mcp.json", '{"mcpServers": {"s": {"command": "ls"}}}');
  const aliases = place.project(".cinch/aliases.toml", "[aliases]\nx = 1\ny = 2\n");
  place.project(".cinch/hooks/run.sh", "exit 0\n");
  const own = place.own("hooks/a.toml", '[[hooks]]\nevent = "Preuse"\ncmd = "true"\nmatchr = "Edit"\n');
  place.own("hooks/a.sh", "exit 0\n");
  const short = place.own("aliases.toml", '[aliases]\nhelp = "/skills:x"\n');
  const { files } = await checkFiles(place.options, "default");
  expect(files).toEqual([own, short, config, preset, hooks, servers, aliases]);
  expect(await place.told("default")).toEqual([
    expect.stringContaining(`error ${own}:2: hooks.event: must be one of`),
    `error ${own}:4: hooks.matchr: unknown key; did you mean "matcher"?`,
    `warning ${short}:2: aliases.help: /help is a built-in command, and cannot be replaced`,
    `error ${config}:1: providers: a repository may not set this; only your own configuration can`,
    `error ${config}:3: permissions.alow: unknown key; did you mean "allow"?`,
    `error ${config}:4: permissions.level: a repository can only lower the level: ReadOnly or WorkspaceWrite`,
    `error ${config}:5: permissions.deny: there is no tool "Bsh"; did you mean "Bash"?`,
    `error ${preset}:1: quiet: a repository can only set this to false`,
    `error ${hooks}:3: hooks.matcher: there is no tool "Wriet"; did you mean "Write"?`,
    `warning ${servers}:1: mcpServers.s: a repository's servers need the sha256 of their program`,
    `warning ${aliases}:2: aliases.x: must be a text`,
    `warning ${aliases}:3: aliases.y: must be a text`,
  ]);
});

test("[PROF-03] a project's value that does not count, because that of the user is tighter, is a warning", async () => {
  await using place = openPlace();
  const config = place.own("config.toml", 'max_time = "5m"\n[permissions]\nlevel = "ReadOnly"\n');
  const project = place.project(
    ".cinch/config.toml",
    'max_time = "10m"\n[permissions]\nlevel = "WorkspaceWrite"\nstrict = true\n',
  );
  expect(await place.told("default")).toEqual([
    `warning ${project}:1: max_time: has no effect: yours is tighter, "5m" (${config}:1)`,
    `warning ${project}:3: permissions.level: has no effect: yours is tighter, "ReadOnly" (${config}:3)`,
  ]);
  place.project(".cinch/config.toml", 'max_time = "5m"\n');
  expect(await place.told("default")).toEqual([]);
});

test("[PROF-01 REL-03] a file with very many mistakes reports a hundred of them, and that there may be more", async () => {
  await using place = openPlace();
  place.config(Array.from({ length: 300 }, (_, at) => `key${at} = 1\n`).join(""));
  const { findings } = await checkFiles(place.options, "default");
  expect(findings.length).toBe(101);
  expect(findings.at(-1)?.text).toContain("100 errors are reported at once");
});

function openPlace() {
  const directory = temporaryDirectory();
  const folder = join(directory.path, "own");
  const config = join(folder, "config.toml");
  const profiles = join(folder, "profiles");
  const toml = (name: string) => join(profiles, `${name}.toml`);
  mkdirSync(profiles, { recursive: true });
  const write = (path: string, text: string) => writeFileSync(path, text);
  const work = join(directory.path, "work");
  mkdirSync(join(work, ".git"), { recursive: true });
  const options = {
    world: testWorld(),
    workingDir: work,
    features: PROGRAM_FEATURES,
    paths: { config: folder, data: directory.path, state: directory.path },
  };
  return {
    options,
    paths: {
      config,
      first: toml("first"),
      second: toml("second"),
      syntax: toml("syntax"),
      profile: toml,
      own: join(folder, "own.toml"),
    },
    config: (text: string) => write(config, text),
    profile: (name: string, text: string) => write(toml(name), text),
    own(name: string, text: string): string {
      const path = join(folder, name);
      mkdirSync(dirname(path), { recursive: true });
      write(path, text);
      return path;
    },
    /** Writes a file of the project that is worked in, and tells its path. */
    project(name: string, text: string): string {
      const path = join(work, name);
      mkdirSync(dirname(path), { recursive: true });
      write(path, text);
      return path;
    },
    async told(named: string | undefined): Promise<readonly string[]> {
      const { findings } = await checkFiles(options, named);
      return findings.map(({ weight, text }) => `${weight} ${text}`);
    },
    preset: (name: string, text: string) => write(join(folder, `${name}.toml`), text),
    [Symbol.asyncDispose]: () => directory[Symbol.asyncDispose](),
  };
}
