import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { SECTIONS } from "../src/app/plan/sections.ts";
import { TEXTS } from "../src/base/reason-texts.ts";
import { parseArguments } from "../src/cli/args/arguments.ts";
import { COMMANDS } from "../src/cli/commands/commands.ts";
import { loadConfig } from "../src/config/config.ts";
import { LOCAL_SERVERS, VENDORS } from "../src/providers/vendors.ts";
import { blocksOf } from "./support/documents.ts";
import { readSource } from "./support/source.ts";
import { temporaryDirectory, testWorld } from "./support/world.ts";

const PAGE = "docs/models.md";
const TEXT = readSource(PAGE);
const BLOCKS = blocksOf(PAGE, TEXT);

test("[DOC-01] every configuration and every command that docs/models.md shows is one that is read", async () => {
  await using directory = temporaryDirectory();
  const path = join(directory.path, "config.toml");
  const configs = [];
  for (const { language, text } of BLOCKS) {
    if (language !== "toml") continue;
    writeFileSync(path, text);
    const { vertex, copilot } = await loadConfig(testWorld(), path, SECTIONS);
    configs.push({ vertex, copilot });
  }
  expect(configs).toEqual([
    { vertex: { project: "my-project", region: "europe-west1" }, copilot: undefined },
    { vertex: undefined, copilot: { githubUrl: "https://octocorp.ghe.com", failOver: false } },
  ]);
  const lines = BLOCKS.flatMap(({ language, text }) => (language === "sh" ? text.split("\n") : []));
  const kinds = lines
    .filter((line) => line.startsWith("cinch "))
    .map((line) => line.replace(/\s+# .*$/, "").match(/"[^"]*"|\S+/g) ?? [])
    .map(([, ...words]) => {
      const line = parseArguments(words, COMMANDS);
      return line.kind === "command" ? line.command.name : line.kind;
    });
  expect(kinds).toEqual(["-p", "creds", "models", "-p", "creds"]);
});

test("[DOC-01 PROV-06 PROV-14] docs/models.md has a row for every provider, and names reasons that there are", () => {
  for (const { name, keyVariable } of VENDORS) {
    const row = new RegExp(`^\\| \`${name}\` \\|.*$`, "m").exec(TEXT)?.[0] ?? "";
    expect([name, row.includes(keyVariable ?? "credentials of Google")]).toEqual([name, true]);
  }
  for (const { name } of LOCAL_SERVERS) expect(TEXT).toContain(`\`${name}\``);
  const rows = TEXT.slice(TEXT.indexOf("## When something is wrong")).matchAll(/^\| (`\w+`.*?) \|/gm);
  const reasons = [...rows].flatMap(([, cell = ""]) =>
    [...cell.matchAll(/`(\w+)`/g)].map(([, reason = ""]) => reason),
  );
  expect(reasons.length).toBeGreaterThan(4);
  expect(reasons.filter((reason) => !(reason in TEXTS))).toEqual([]);
});
