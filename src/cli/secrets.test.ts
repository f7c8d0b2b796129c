import { expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryDirectory } from "../../test/support/world.ts";
import { parseArguments } from "./args/arguments.ts";
import { COMMANDS } from "./commands/commands.ts";
import { findSecrets } from "./secrets.ts";

test("[CRED-01 CRED-03] a machine key in the keychain is a secret to keep, whether or not there is a key of a provider", async () => {
  await using home = temporaryDirectory();
  const invocation = parseArguments(["-p", "go", "--cwd", home.path], COMMANDS);
  if (!("settings" in invocation)) throw new Error(invocation.kind);
  const folder = join(home.path, ".config/cinch");
  mkdirSync(folder, { recursive: true });
  const kept = async (config: string) => {
    writeFileSync(join(folder, "config.toml"), config);
    return (await findSecrets({ HOME: home.path }, invocation.settings)) !== undefined;
  };
  expect(await kept("[credentials]\nkeychain = true\n")).toBe(true);
  expect(await kept("[credentials]\nkeychain = false\n")).toBe(false);
  expect(await kept("# no keychain\n")).toBe(false);
  expect(await kept("keychain = [broken\n")).toBe(false);
});

test("[MCP-01 CRED-03] where config.toml names an MCP server with an address, a login that is made later finds who holds it", async () => {
  await using home = temporaryDirectory();
  const invocation = parseArguments(["-p", "go", "--cwd", home.path], COMMANDS);
  if (!("settings" in invocation)) throw new Error(invocation.kind);
  const folder = join(home.path, ".config/cinch");
  mkdirSync(folder, { recursive: true });
  const kept = async (config: string) => {
    writeFileSync(join(folder, "config.toml"), config);
    return (await findSecrets({ HOME: home.path }, invocation.settings)) !== undefined;
  };
  const url = 'url = "https://a.example/mcp"';
  expect(await kept(`[[mcp_servers]]\nname = "a"\n${url}\n`)).toBe(true);
  expect(await kept(`mcp_servers = [{ name = "a", ${url} }]\n`)).toBe(true);
  expect(await kept('[[mcp_servers]]\nname = "a"\ncmd = "a"\n')).toBe(false);
  expect(await kept(`[other]\n${url}\n`)).toBe(false);
});

test("[PROV-14 CRED-03] where Vertex AI is used, the places of Google's credentials are looked for in a process of their own, and nowhere else", async () => {
  await using home = temporaryDirectory();
  const folder = join(home.path, ".config/cinch");
  mkdirSync(folder, { recursive: true });
  const key = { GOOGLE_APPLICATION_CREDENTIALS: "/a/key.json", GOOGLE_CLOUD_PROJECT: "p" };
  const google = async (
    env: Readonly<Record<string, string>>,
    config = "",
    words: readonly string[] = [],
  ) => {
    writeFileSync(join(folder, "config.toml"), config);
    const invocation = parseArguments(["-p", "go", "--cwd", home.path, ...words], COMMANDS);
    if (!("settings" in invocation)) throw new Error(invocation.kind);
    return (await findSecrets({ HOME: home.path, ...env }, invocation.settings))?.google;
  };
  const found = { GOOGLE_APPLICATION_CREDENTIALS: "/a/key.json", HOME: home.path };
  expect(await google(key)).toBeUndefined(); // a project of Google's says nothing about models
  expect(await google({ ...key, CLAUDE_CODE_USE_VERTEX: "0" })).toBeUndefined();
  expect(await google({ ...key, CLAUDE_CODE_USE_VERTEX: "1" })).toEqual(found);
  expect(await google({ ...key, ANTHROPIC_VERTEX_PROJECT_ID: "p" })).toEqual(found);
  expect(await google(key, '[vertex]\nproject = "p"\n')).toEqual(found);
  expect(await google(key, 'default_model = "vertex:opus"\n')).toEqual(found);
  expect(await google(key, "# vertex\n")).toBeUndefined();
  expect(await google(key, "vertex = [broken\n")).toBeUndefined();
  expect(await google(key, "", ["--model", "vertex:opus"])).toEqual(found);
  expect(await google(key, "", ["--model", "anthropic:opus"])).toBeUndefined();
});
