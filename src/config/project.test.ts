import { expect, test } from "bun:test";
import * as fc from "fast-check";
import { readSource } from "../../test/support/source.ts";
import { testWorld } from "../../test/support/world.ts";
import { SECTIONS } from "../app/plan/sections.ts";
import { HarnessError, messageOf } from "../base/errors.ts";
import { encode } from "../base/text/text.ts";
import { parseAcknowledgedHooks } from "../features/hooks/hook-files.ts";
import { readAcknowledgedServers } from "../features/mcp/declared/declared-servers.ts";
import { parseAliases } from "../features/prompts/aliases.ts";
import { sandboxSection } from "../guard/sandbox/config.ts";
import { configKeys } from "./config.ts";
import { profileKeys } from "./profile.ts";
import { projectConfig, projectKeys, projectPermissions } from "./project.ts";
import { limitsSection } from "./sections/limits.ts";
import { saidOf } from "./settings/read-section.ts";

/** Keys that a repository may set at the top of its file, by their declarations, and those that describe a profile. */
const MAY_STAND_THERE = new Set([
  ...SECTIONS.flatMap(({ shape, in: file, name, keys }) => {
    const tightened = Object.values(keys).filter(({ project }) => project === "restrict");
    if (file !== "profile" && shape !== "top") return tightened.length === 0 ? [] : [name];
    return tightened.map(({ key, configKey = key }) => configKey);
  }),
  ...["name", "schema_version"],
]);

const file = (text: string) => ({ path: ".cinch/config.toml", bytes: encode(text) });

async function refusal(work: Promise<unknown>): Promise<string> {
  try {
    await work;
  } catch (thrown) {
    expect(thrown).toBeInstanceOf(HarnessError);
    return messageOf(thrown);
  }
  return "accepted";
}

test("[PROF-03 SBX-01] a repository hides no place without which no command starts", async () => {
  const hidden = (path: string) =>
    refusal(projectConfig(file(`[sandbox]\nhidden = ["notes", ${JSON.stringify(path)}]`), SECTIONS));
  for (const path of ["/usr", "/lib64", "//bin/", "/usr/./lib", "/proc", "/proc/self", "/dev", "/dev/null"])
    expect(await hidden(path)).toBe(
      `.cinch/config.toml:2: sandbox.hidden: "${path}" is of the system, and no command starts without it: take it out`,
    );
  expect(await hidden("/")).toStartWith('.cinch/config.toml:2: sandbox.hidden: "/" is the whole machine');
  expect(await hidden(".")).toStartWith('.cinch/config.toml:2: sandbox.hidden: "." is the whole repository');
  expect(await hidden("a/../../b")).toContain("must be a path below the repository, without ..");
  for (const path of ["fixtures/private", "./x", "~/notes", "/srv/keys", "/usr/share/x", "/etc"])
    expect(await hidden(path)).toBe("accepted");
});

test("[PROF-03] a repository may lower the level, be stricter, and add rules that ask and deny", async () => {
  const { permissions, sections } = await projectConfig(
    file(
      'max_time = "10m"\n[permissions]\nlevel = "ReadOnly"\nstrict = true\nquiet = false\nbash_in_sandbox = "ask"\nask = ["Bash:npm *"]\ndeny = ["Write:gen/**"]\n[sandbox]\nhidden = ["private"]\n',
    ),
    SECTIONS,
  );
  expect(permissions).toMatchObject({ level: "ReadOnly", strict: true, quiet: false, bashInSandbox: "ask" });
  expect(saidOf(sections, sandboxSection)).toEqual({ hidden: ["private"] });
  expect(saidOf(sections, limitsSection)).toEqual({ timeMs: 600_000 });
  expect(permissions.rules.map(({ effect, text, where }) => [effect, text, where.line])).toEqual([
    ["deny", "Write:gen/**", 8],
    ["ask", "Bash:npm *", 7],
  ]);
  expect((await projectConfig(file(""), SECTIONS)).permissions).toEqual({ rules: [] });
  const preset = await projectPermissions(file('level = "WorkspaceWrite"\ndeny = ["Bash"]\n'));
  expect(preset.permissions).toMatchObject({ level: "WorkspaceWrite" });
  expect([...preset.sections.keys()]).toEqual(["permissions"]);
});

test("[PROF-03 TOFU-01] nothing widens, redirects or adds: each such key is an error with its file, line and key", async () => {
  const own = "a repository may not set this; only your own configuration can";
  const wrong: readonly (readonly [string, string])[] = [
    ['[permissions]\nallow = ["Bash"]', ":2: permissions.allow: a repository's rules can only ask or deny"],
    [
      '[permissions]\nlevel = "DangerFullAccess"',
      ":2: permissions.level: a repository can only lower the level: ReadOnly or WorkspaceWrite",
    ],
    ["[permissions]\nstrict = false", ":2: permissions.strict: a repository can only set this to true"],
    ["[permissions]\nquiet = true", ":2: permissions.quiet: a repository can only set this to false"],
    [
      '[permissions]\nbash_in_sandbox = "allow"',
      ':2: permissions.bash_in_sandbox: a repository can only set this to "ask"',
    ],
    ['[permissions]\nalow = ["x"]', ':2: permissions.alow: unknown key; did you mean "allow"?'],
    ['\n[providers.x]\nkind = "anthropic"\nbase_url = "https://evil.example"', `:1: providers: ${own}`],
    ['default_model = "evil:x"', `:1: default_model: ${own}`],
    ['default_profile = "evil"', `:1: default_profile: ${own}`],
    ["max_cost = 1000", `:1: max_cost: ${own}`],
    ["[limits]\nrounds = 3", `:1: limits: ${own}`],
    ['[limits]\ntime = "9m"', ':1: limits: write it at the top: max_time = "9m"'],
    ["[prices]", `:1: prices: ${own}`],
    ["[trust]\npromote_prose = true", `:1: trust: ${own}`],
    ['[aliases]\nq = "/x:y"', `:1: aliases: ${own}`],
    ["[[hooks]]", `:1: hooks: ${own}`],
    ["[[mcp_servers]]", `:1: mcp_servers: ${own}`],
    ['[sandbox]\nbackend = "none"', `:2: sandbox.backend: ${own}`],
    ['[sandbox]\npass_env = ["DB_PASSWORD"]', `:2: sandbox.pass_env: ${own}`],
    ['[sandbox]\nnetwork = ["evil.example"]', `:2: sandbox.network: ${own}`],
    ['[sandbox]\nwritable = ["/"]', `:2: sandbox.writable: ${own}`],
    ["anything = 1", ":1: anything: unknown key"],
    ["__proto__ = 1", ":1: __proto__: unknown key"],
    ["a = = 1", ":1: TOML: invalid value (column 5)"],
  ];
  for (const [text, problem] of wrong) {
    expect([text, await refusal(projectConfig(file(text), SECTIONS))]).toEqual([
      text,
      `.cinch/config.toml${problem}`,
    ]);
  }
});

test("[PROF-03] every key that only the user may set is reported as that, and none is called unknown", async () => {
  const keys = [
    ...(await configKeys(testWorld(), "/nowhere/config.toml", SECTIONS)),
    ...(await profileKeys(testWorld(), "default", "/nowhere", SECTIONS)),
  ].flatMap(({ path, key }) => (path.includes("preset/") ? [] : (key.split(".")[0] ?? [])));
  const users = [...new Set(keys)].filter((key) => !MAY_STAND_THERE.has(key));
  expect(users.length).toBeGreaterThan(25);
  for (const key of users)
    expect(await refusal(projectConfig(file(`${key} = 1`), SECTIONS))).toContain(
      `${key}: a repository may not set this`,
    );
});

test("[PROF-03] property: whatever a repository writes is refused, or restricts", async () => {
  const line = fc.constantFrom(
    "[permissions]",
    "[sandbox]",
    "[providers.x]",
    'level = "ReadOnly"',
    'level = "DangerFullAccess"',
    'allow = ["Bash"]',
    'deny = ["Bash"]',
    "strict = true",
    "strict = false",
    "quiet = false",
    "quiet = true",
    'hidden = ["x"]',
    'base_url = "https://evil.example"',
  );
  await fc.assert(
    fc.asyncProperty(fc.array(line, { maxLength: 5 }), async (lines) => {
      const text = lines.join("\n");
      if ((await refusal(projectConfig(file(text), SECTIONS))) !== "accepted") return true;
      const { permissions } = await projectConfig(file(text), SECTIONS);
      return (
        permissions.level !== "DangerFullAccess" &&
        permissions.strict !== false &&
        permissions.quiet !== true &&
        permissions.rules.every(({ effect }) => effect !== "allow")
      );
    }),
    { numRuns: 500 },
  );
});

test("[CMD-02] aliases are short names for commands with a namespace", async () => {
  const text = '[aliases]\ngu = "/skills:guide"\nverify = "/skills:verify before claim"\n';
  expect([...(await parseAliases(file(text)))]).toEqual([
    ["gu", "/skills:guide"],
    ["verify", "/skills:verify before claim"],
  ]);
  expect(await parseAliases(file(""))).toEqual(new Map());
});

test("[CMD-02] an alias may stand for whatever can be typed: a prompt of a server, and a name of any letters", async () => {
  const text =
    '[aliases]\nsp = "/mcp-prompts:everything.args_prompt Bern"\nfa = "/skills:2fa"\nuh = "/prompts:über"\nit = "/skills:a it\'s"\n';
  expect([...(await parseAliases(file(text))).keys()]).toEqual(["sp", "fa", "uh", "it"]);
});

test("[CMD-02] an alias is never one to a built-in command nor over one, however it is written", async () => {
  const builtIn = "an alias may not stand for a built-in command";
  const wrong: readonly (readonly [string, string])[] = [
    ['help = "/skills:x"', "help: /help is a built-in command, and cannot be replaced"],
    ['x = "/quit"', `x: ${builtIn}`],
    ['x = "/QUIT now"', `x: ${builtIn}`],
    ['x = "/model:evil"', `x: ${builtIn}`],
    ['x = "/skills:reload"', `x: ${builtIn}`],
    ['x = "/mcp:evil approve"', `x: ${builtIn}`],
    ['x = "/nothing"', 'x: must be a command with a namespace: "/skills:name"'],
    ['x = "/dice:"', 'x: must be a command with a namespace: "/skills:name"'],
    ['x = "rm -rf ~"', 'x: must be a command with a namespace: "/skills:name"'],
    ['x = " /quit"', 'x: must be a command with a namespace: "/skills:name"'],
    ['x = "/skills:a\\n/quit"', "x: must be plain text in one line"],
    ['x = "/skills:\\u200ba"', "x: must be plain text in one line"],
    ['x = "/engine:web"', `x: ${builtIn}`],
    ['X = "/skills:a"', "X: is not a name: small letters, digits, dots, - and _, a letter first"],
    ['2x = "/skills:a"', "2x: is not a name: small letters, digits, dots, - and _, a letter first"],
    ['"..x" = "/skills:a"', "..x: is not a name: small letters, digits, dots, - and _, a letter first"],
    ["x = 1", "x: must be a text"],
  ];
  for (const [line, problem] of wrong) {
    expect([line, await refusal(parseAliases(file(`[aliases]\n${line}`)))]).toEqual([
      line,
      `.cinch/config.toml:2: aliases.${problem}`,
    ]);
  }
  expect([...(await parseAliases(file('[aliases]\n"a.b" = "/skills:a"')))]).toEqual([["a.b", "/skills:a"]]);
  expect(await refusal(parseAliases(file('[aliases]\na.b = "/skills:a"')))).toContain(
    'aliases.a: must be a text; a name with a dot stands in quotes: "a.x" = "/skills:name"',
  );
  expect(await refusal(parseAliases(file("other = 1")))).toContain("other: unknown key");
});

test("[PROF-03 TOFU-01] of a repository too, no file that steers is read that is no UTF-8", async () => {
  const latin1 = (text: string, path = ".cinch/x.toml") => ({ path, bytes: Buffer.from(text, "latin1") });
  const told = (line: number, format = "TOML") =>
    `.cinch/x.${format.toLowerCase()}:${line}: ${format}: it is not UTF-8 text; save it as UTF-8`;
  expect(await refusal(projectConfig(latin1("# ä\n"), SECTIONS))).toBe(told(1));
  expect(await refusal(projectPermissions(latin1('\ndeny = ["Read:ä"]\n')))).toBe(told(2));
  expect(await refusal(parseAliases(latin1('[aliases]\na = "/prompts:x ä"\n')))).toBe(told(2));
  expect(await refusal(parseAcknowledgedHooks(latin1('[[hooks]]\ncmd = "ä"\n')))).toBe(told(2));
  expect(await refusal(readAcknowledgedServers(latin1("\n\n# ä")))).toBe(told(3));
  const json = latin1('{"mcpServers":\n{"ä": {}}}', ".cinch/x.json");
  expect(await refusal(readAcknowledgedServers(json))).toBe(told(2, "JSON"));
});

test("[PROF-03] the guide to trust shows every key that a repository's file may hold, and no other", async () => {
  const [, example = ""] =
    /## Settings of a repository\n[\s\S]*?```toml\n([\s\S]*?)```/.exec(readSource("docs/trust.md")) ?? [];
  await projectConfig(file(example), SECTIONS);
  const keys = await projectKeys(file(example), "config", SECTIONS);
  const missing = keys.filter(
    ({ declared, value }) => declared.project === "restrict" && value === undefined,
  );
  expect(missing.map(({ id }) => id)).toEqual([]);
});
