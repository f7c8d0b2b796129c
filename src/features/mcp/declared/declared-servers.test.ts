import { expect, test } from "bun:test";
import fc from "fast-check";
import { blocksOf } from "../../../../test/support/documents.ts";
import { holds } from "../../../../test/support/property.ts";
import { readSource } from "../../../../test/support/source.ts";
import { HarnessError } from "../../../base/errors.ts";
import { encode } from "../../../base/text/text.ts";
import { readSections, saidOf } from "../../../config/settings/read-section.ts";
import { Table } from "../../../config/table.ts";
import { parseToml } from "../../../config/toml.ts";
import { mcpSection } from "../config.ts";
import { readAcknowledgedServers } from "./declared-servers.ts";

const PAGE = "docs/mcp.md";
const SHA = "b94d27b9934d3e08a52e52d7da7dabfac484efe37a5380ee9088f7ace2efcde9";

function block(language: string): string {
  const [found] = blocksOf(PAGE, readSource(PAGE)).filter((each) => each.language === language);
  return found?.text ?? "";
}

async function read(servers: object): Promise<string> {
  const bytes = encode(JSON.stringify({ mcpServers: { db: servers } }, undefined, 1));
  return await readAcknowledgedServers({ path: "/repo/.cinch/mcp.json", bytes }).then(
    (found) => JSON.stringify(found.map(({ where: _, ...each }) => each)),
    (thrown: unknown) => (thrown instanceof HarnessError ? thrown.message : "no error of ours"),
  );
}

test("[MCP-01 DOC-01] the servers that docs/mcp.md shows are read as it says", async () => {
  const servers = saidOf(
    readSections(new Table(await parseToml(PAGE, block("toml"))), "config", [mcpSection]).values,
    mcpSection,
  );
  expect(servers?.map(({ name, transport, discovery }) => [name, transport, discovery])).toEqual([
    ["files", "stdio", undefined],
    ["tracker", "http", "lazy"],
  ]);
  const [db] = await readAcknowledgedServers({ path: "/repo/.cinch/mcp.json", bytes: encode(block("json")) });
  expect(db).toMatchObject({ name: "db", cmd: "/usr/bin/db-mcp", args: ["--read-only"], sha256: SHA });
});

test("[MCP-04 PROF-03 S37] a repository's declaration gives a server nothing of the user's, and names its program by its content", async () => {
  const cmd = "/usr/bin/db";
  const told = await Promise.all(
    [
      { command: cmd },
      { command: cmd, sha256: SHA, env: { A: "b" } },
      { command: cmd, sha256: SHA, pass_env: ["GITHUB_TOKEN"] },
      { command: cmd, sha256: SHA, cwd: "/home/user" },
      { command: "./db", sha256: SHA },
      { url: "https://mcp.example.com/", bearer: true },
      { type: "streamable-http", url: "https://mcp.example.com/", headers: { "X-A": "b" } },
      { url: "http://example.com/" },
      { command: cmd, sha256: SHA, disabled: true },
    ].map(read),
  );
  expect(told.map((text) => text.replace(/^.*mcpServers\S*: /, ""))).toEqual([
    "a repository's servers need the sha256 of their program",
    "a repository may not set env or pass_env",
    "a repository may not set env or pass_env",
    "a repository's cwd can only be {workspace}",
    "must be absolute, or a name without / that is searched in PATH",
    "a repository may not send a token of yours (bearer)",
    "a repository may not set headers",
    "must be https: plain http is for this machine only",
    expect.stringContaining("unknown key"),
  ]);
});

test("[MCP-01] a mistake in a mcp.json is reported by its names and lines", async () => {
  const command = "/usr/bin/db";
  const told = await Promise.all(
    [
      { command: "./db", sha256: SHA },
      { command, type: "http", sha256: SHA },
      { command, sha256: SHA, env: { BUN_OPTIONS: "x" } },
      { command, sha256: SHA, timeout: "5" },
      { cmd: "./db", sha256: SHA },
      { args: ["x"], url: 5 },
      { args: ["x"] },
      { command },
      { command, sha265: SHA },
    ].map(read),
  );
  const places = told.map((text) => text.replace("/repo/.cinch/mcp.json:", ""));
  expect(places.map((text) => text.replace(/^(\d+: \S+): .*$/, "$1"))).toEqual([
    "4: mcpServers.db.command",
    "5: mcpServers.db.type",
    "7: mcpServers.db.env.BUN_OPTIONS",
    "6: mcpServers.db.timeout",
    "4: mcpServers.db.cmd",
    "7: mcpServers.db.url",
    "3: mcpServers.db.command",
    "3: mcpServers.db",
    "5: mcpServers.db.sha265",
  ]);
  const bytes = encode('{\n "mcpServers": { "a b": { "command": "x" } },\n "other": 1\n}');
  await expect(readAcknowledgedServers({ path: "/m.json", bytes })).rejects.toThrow(
    "/m.json:3: other: unknown key: only mcpServers is read here",
  );
});

test("[MCP-01 S65] property: any JSON in a repository's declaration is read or refused with its file, never anything else", async () => {
  const key = fc.constantFrom("command", "args", "url", "type", "env", "sha256", "cwd", "__proto__", "x");
  const value = fc.oneof(fc.string(), fc.constantFrom("/bin/x", SHA, "sse"), fc.jsonValue({ maxDepth: 2 }));
  await holds(
    fc.asyncProperty(fc.dictionary(key, value, { maxKeys: 5 }), async (server) => {
      const text = await read(server);
      expect(text.startsWith("[") || text.includes("/repo/.cinch/mcp.json")).toBe(true);
    }),
  );
  await holds(
    fc.asyncProperty(fc.string(), fc.constantFrom("json", "toml"), async (text, kind) => {
      const path = `/repo/.cinch/mcp.${kind}`;
      const found = await readAcknowledgedServers({ path, bytes: encode(text) }).catch(
        (thrown: unknown) => thrown,
      );
      expect(Array.isArray(found) || found instanceof HarnessError).toBe(true);
    }),
  );
});
