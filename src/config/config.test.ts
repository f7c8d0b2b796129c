import { expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as fc from "fast-check";
import { temporaryDirectory, testWorld } from "../../test/support/world.ts";
import { SECTIONS } from "../app/plan/sections.ts";
import { HarnessError, messageOf } from "../base/errors.ts";
import { lineOf } from "../base/files/toml-lines.ts";
import { sandboxSection } from "../guard/sandbox/config.ts";
import type { Config } from "../session/settings/settings.ts";
import { loadConfig } from "./config.ts";
import { limitsSection } from "./sections/limits.ts";
import { saidOf } from "./settings/read-section.ts";

const world = testWorld();

async function load(text: string): Promise<Config> {
  await using directory = temporaryDirectory();
  const path = join(directory.path, "config.toml");
  writeFileSync(path, text);
  return await loadConfig(world, path, SECTIONS);
}

/** The message of the refusal, without the folder. */
async function refusal(text: string): Promise<string> {
  try {
    await load(text);
  } catch (thrown) {
    expect(thrown).toBeInstanceOf(HarnessError);
    return messageOf(thrown).replace(/^.*\/config\.toml:/, "config.toml:");
  }
  return "accepted";
}

test("[PROF-03] config.toml sets defaults, providers, prices and permissions", async () => {
  const config = await load(`
default_model = "local:any-name"
default_profile = "self"
max_turns = 20
max_cost = 1.5

[providers.local]
kind = "openai-compatible"        # or "openai-responses", "anthropic"
base_url = "http://127.0.0.1:8080/v1/"
api_key_env = "LOCAL_API_KEY"
headers = { X-Team = "a b" }

[prices."local:any-name"]
input = 0.5
output = 2
cache_read = 0.05

[permissions]
level = "ReadOnly"
allow = ["Bash:npm test"]
deny = ["Bash:git push *"]
`);
  const { rules } = config.permissions;
  expect(config.permissions.level).toBe("ReadOnly");
  expect({ ...config, permissions: { rules: [] } }).toEqual({
    sections: expect.any(Map),
    plugins: [],
    routes: [],
    defaultModel: "local:any-name",
    defaultProfile: "self",
    providers: [
      {
        name: "local",
        kind: "openai-compatible",
        baseUrl: "http://127.0.0.1:8080/v1",
        apiKeyEnv: "LOCAL_API_KEY",
        headers: { "X-Team": "a b" },
      },
    ],
    prices: new Map([["local:any-name", { input: 0.5, output: 2, cacheRead: 0.05 }]]),
    permissions: { rules: [] },
  });
  expect(saidOf(config.sections, limitsSection)).toEqual({ roundsMax: 20, costUsd: 1.5 });
  expect(rules.map(({ effect, text, where }) => [effect, text, where.line, where.key])).toEqual([
    ["deny", "Bash:git push *", 21, "permissions.deny"],
    ["allow", "Bash:npm test", 20, "permissions.allow"],
  ]);
});

test("[PROF-03] a missing file says nothing, and an empty one neither; a byte order mark is no content", async () => {
  const nothing = {
    providers: [],
    prices: new Map(),
    permissions: { rules: [] },
    plugins: [],
    routes: [],
  };
  expect(await loadConfig(world, "/nowhere/config.toml", SECTIONS)).toMatchObject(nothing);
  expect(await load("")).toMatchObject(nothing);
  expect(await load('\ufeffdefault_model = "a:b"')).toMatchObject({ ...nothing, defaultModel: "a:b" });
});

test("[PROF-03 R30] a mistake in config.toml is reported with file, line and key", async () => {
  const wrong: readonly (readonly [string, string])[] = [
    ["a = 1\nb = = 2", "config.toml:2: TOML: invalid value (column 5)"],
    ["a = 1\na = 2", "config.toml:2: TOML: trying to redefine an already defined table or value (column 1)"],
    ["\nmax_turns = 0", "config.toml:2: max_turns: must be a whole number of at least 1"],
    ["max_turns = 1.5", "config.toml:1: max_turns: must be a whole number of at least 1"],
    ["max_cost = nan", "config.toml:1: max_cost: must be a number of at least 0"],
    ["default_model = 3", 'config.toml:1: default_model: must be a text, such as "local:qwen3-coder"'],
    ['default_model = "glm"', 'config.toml:1: default_model: "glm" is not a model: write provider:name'],
    ["[permisions]\ndeny = []", 'config.toml:1: permisions: unknown key; did you mean "permissions"?'],
    [
      '# x\n[permissions]\ndney = ["Bash"]',
      'config.toml:3: permissions.dney: unknown key; did you mean "deny"?',
    ],
    [
      '[[hooks]]\nevent = "Stop"\ncommand = "true"',
      'config.toml:3: hooks.command: unknown key; did you mean "cmd"?',
    ],
    ['model = "a:b"', 'config.toml:1: model: unknown key; did you mean "default_model"?'],
    ["cost = 1", 'config.toml:1: cost: unknown key; did you mean "max_cost"?'],
    [
      '[session]\ntimeout = "5m"',
      'config.toml:2: session.timeout: unknown key; did you mean "idle_timeout"?',
    ],
    ["[memory]\nzzz = 1", "config.toml:2: memory.zzz: unknown key"],
    [
      "[permissions]\nallow = [1]",
      'config.toml:2: permissions.allow: must be a list of texts, such as ["Bash:npm test","Bash:npm run *"]',
    ],
    [
      '[permissions]\nlevel = "All"',
      'config.toml:2: permissions.level: must be one of "ReadOnly", "WorkspaceWrite", "DangerFullAccess"',
    ],
    [
      '[permissions]\nlevel = "readonly"',
      'config.toml:2: permissions.level: must be one of "ReadOnly", "WorkspaceWrite", "DangerFullAccess"; did you mean "ReadOnly"?',
    ],
    ["providers = 1", "config.toml:1: providers: must be a table"],
    ['[providers.a]\nkind = "anthropic"', "config.toml:1: providers.a.base_url: is missing"],
    [
      '[providers.A]\nkind = "anthropic"',
      'config.toml:1: providers.A: "A" is not a provider name: small letters, digits, - and _',
    ],
    [
      '[providers.a]\nkind = "anthropic"\nbase_url = "file:///etc/passwd"',
      "config.toml:3: providers.a.base_url: must be an http or https URL",
    ],
    [
      '[providers.a]\nkind = "anthropic"\nbase_url = "https://u@x.example"',
      "config.toml:3: providers.a.base_url: must not hold a name or password: name a variable with api_key_env",
    ],
    [
      '[providers.a]\nkind = "anthropic"\nbase_url = "https://x.example"\napi_key_env = "sk-abc"',
      "config.toml:4: providers.a.api_key_env: must be the name of an environment variable, not a key",
    ],
    [
      '[prices."a:b"]\ninput = 1',
      "config.toml:1: prices.a:b.output: is missing: US dollars for a million tokens",
    ],
    [
      '[prices."a:b"]\ninput = -1\noutput = 1',
      "config.toml:2: prices.a:b.input: must be a number of at least 0",
    ],
  ];
  for (const [text, message] of wrong) expect(await refusal(text)).toBe(message);
});

test("[PROF-03 S65] __proto__ and its like are unknown keys, and change nothing", async () => {
  expect(await refusal("__proto__ = 1")).toBe("config.toml:1: __proto__: unknown key");
  expect(await refusal('[__proto__]\ndefault_model = "a:b"')).toBe("config.toml:1: __proto__: unknown key");
  expect(await refusal("[permissions.constructor]\nx = 1")).toContain("permissions.constructor: unknown key");
  expect(await refusal('[providers.__proto__]\nkind = "anthropic"')).toContain(
    '"__proto__" is not a provider name',
  );
  expect(Object.getOwnPropertyNames(Object.prototype)).not.toContain("default_model");
});

test("[PROF-03 R22] a folder, a device or a huge file in its place is an error, not a hang", async () => {
  await using directory = temporaryDirectory();
  const folder = join(directory.path, "config.toml");
  mkdirSync(folder);
  await expect(loadConfig(world, folder, SECTIONS)).rejects.toThrow(
    `${folder}:1: TOML: it is a directory, and should be a file`,
  );
  await expect(loadConfig(world, "/dev/zero", SECTIONS)).rejects.toThrow("it is not a regular file");
  const huge = join(directory.path, "huge.toml");
  writeFileSync(huge, "#".repeat(1_048_577));
  await expect(loadConfig(world, huge, SECTIONS)).rejects.toThrow("huge.toml:1: TOML: it cannot be read");
});

test("[PROF-03] property: any text is read or refused with a line of the file, never anything else", async () => {
  const line = fc.oneof(
    fc.constantFrom(
      "[permissions]",
      "[[providers]]",
      '"""',
      "'''",
      "deny = [",
      "]",
      "max_turns = 3",
      "\u0000",
      "a.b.c = {x = 1}",
    ),
    fc.string({ maxLength: 20 }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(line, { maxLength: 8 }), async (lines) => {
      const result = await refusal(lines.join("\n"));
      return result === "accepted" || /^config\.toml:\d+: /.test(result);
    }),
    { numRuns: 200 },
  );
});

test("[PROF-03] the line of a key is found in tables, lists of tables and behind long texts", () => {
  const text =
    'x = """\na = 1\n"""\n[t."a b"]\nkey = 1\n[[list]]\nn = 1\n# m = 2\nq.r = 3\ninline = { z = 1 }\n';
  expect(lineOf(text, ["a"])).toBe(1);
  expect(lineOf(text, ["t", "a b", "key"])).toBe(5);
  expect(lineOf(text, ["list", 0, "n"])).toBe(7);
  expect(lineOf(text, ["list", 0, "q", "r"])).toBe(9);
  expect(lineOf(text, ["list", 0, "inline", "z"])).toBe(10);
});

test("[PROF-03] in a list of tables, the line is that of the table that is meant, also where it lacks the key", () => {
  const text =
    '[[servers]]\nname = "a"\n\n[[servers]]\nname = "b"\n[servers.env]\nX = 1\n[[servers.on]]\nY = 1\n[[servers.on]]\nY = 2\n[[servers]]\n';
  expect(lineOf(text, ["servers"])).toBe(1);
  expect(lineOf(text, ["servers", 0, "name"])).toBe(2);
  expect(lineOf(text, ["servers", 1, "name"])).toBe(5);
  expect(lineOf(text, ["servers", 1, "cmd"])).toBe(4);
  expect(lineOf(text, ["servers", 1, "env", "X"])).toBe(7);
  expect(lineOf(text, ["servers", 1, "on", 0, "Y"])).toBe(9);
  expect(lineOf(text, ["servers", 1, "on", 1, "Y"])).toBe(11);
  expect(lineOf(text, ["servers", 2, "name"])).toBe(12);
  expect(lineOf('servers = [{ name = "a" }]\n', ["servers", 0, "name"])).toBe(1);
});

test("[PROF-03] a mistake in the second server of a file is reported with its own line", async () => {
  const two = (second: string) =>
    `[[mcp_servers]]\nname = "files"\ncmd = "a"\n\n[[mcp_servers]]\n${second}\n`;
  expect(await refusal(two('name = "a b"\ncmd = "b"'))).toStartWith("config.toml:6: mcp_servers.name: ");
  expect(await refusal(two('name = "b"'))).toStartWith("config.toml:5: mcp_servers.cmd: is missing");
  await expect(load(two('name = "files"\ncmd = "b"'))).rejects.toThrow(
    /config\.toml:2 and .*config\.toml:6\)/,
  );
});

test("[PROF-03 SBX-05] pass_env takes names of variables, and none that steers what runs", async () => {
  const read = await load('[sandbox]\npass_env = ["DATABASE_URL"]');
  expect(saidOf(read.sections, sandboxSection)).toEqual({ passEnv: ["DATABASE_URL"] });
  expect(await refusal('[sandbox]\npass_env = ["A B"]')).toBe(
    'config.toml:2: sandbox.pass_env: "A B" is not a variable name',
  );
  expect(await refusal('[sandbox]\npass_env = ["BASH_ENV"]')).toBe(
    "config.toml:2: sandbox.pass_env: BASH_ENV reaches no child of cinch: it changes what a program runs",
  );
});

test("[PROF-03 SBX-01] what the sandbox writes or hides is never the whole machine, however that is spelt", async () => {
  const whole =
    "is the whole machine, and a sandbox that can write everywhere confines nothing: name the folders that commands need";
  for (const path of ["/", "//", "/./", "/."])
    expect(await refusal(`[sandbox]\nwritable = ["/srv", "${path}"]`)).toBe(
      `config.toml:2: sandbox.writable: "${path}" ${whole}`,
    );
  for (const path of ["/proc", "/proc/1/", "//proc/./self", "/dev", "/dev/"])
    expect(await refusal(`[sandbox]\nwritable = ["${path}"]`)).toBe(
      `config.toml:2: sandbox.writable: "${path}" is of the system, and each sandbox has its own: take it out`,
    );
  expect(await refusal('[sandbox]\nwritable = ["/dev/shm", "/process", "~/"]\nhidden = ["/proc/1"]')).toBe(
    "accepted",
  );
  expect(await refusal('[sandbox]\nhidden = ["/"]')).toContain(
    'sandbox.hidden: "/" is the whole machine, and no',
  );
  expect(await refusal('[sandbox]\nwritable = ["srv", "/"]')).toBe(
    `config.toml:2: sandbox.writable: "srv" must be an absolute path, or begin with ~/, without ..; "/" ${whole}`,
  );
});

test("[PROF-01 PROF-03] a key that belongs into a profile says so, with the names that config.toml has for it", async () => {
  const problem = await refusal("[limits]\nrounds = 30\n");
  expect(problem).toContain("limits: stands in a profile; at its top, config.toml has max_turns, max_cost");
});
