import { expect, test } from "bun:test";
import { SECTIONS } from "../src/app/plan/sections.ts";
import type { ConfigKey } from "../src/session/config-section.ts";
import { codeOf, filesUnder, isTest, readSource } from "./support/source.ts";

const SOURCES = filesUnder("src", "**/*.ts").filter((file) => !isTest(file));
const NAMES: readonly string[] = SECTIONS.flatMap(({ keys }) => Object.values(keys)).flatMap(namesOf);

/**
 * Files beside its section that write the name of a key as a text, and why. The list may only get shorter.
 * A name without an underscore is too common a word to be looked for.
 */
const OTHERS: readonly (readonly [file: string, reason: string])[] = [
  ["src/cli/secrets.ts", "looks for keys of providers in the text, before any parser is loaded"],
  ["src/cli/shared-prompt/likeness.ts", "looks for variables in the text, before any parser is loaded"],
  ["src/credentials/google/default-credentials.ts", "words of Google's files"],
  ["src/credentials/mcp/renew.ts", "words of OAuth"],
  ["src/features/tasks/schedule/scheduled-task.ts", "the files of scheduled tasks have keys of their own"],
  ["src/providers/dialect/anthropic-messages/anthropic-stream.ts", "words of the provider's API"],
  ["src/providers/dialect/openai-chat/openai-chat-usage.ts", "words of the provider's API"],
  ["src/server/hub/queries/session-info.ts", "fields of the answer"],
  ["src/server/rest/descriptions.ts", "generated: names of fields in the protocol"],
  ["src/session/sqlite/rows.ts", "columns of the store"],
  ["src/tools/bash/bash.ts", "the input of a tool"],
];

test("[PROF-03] the name of a key stands in its section and nowhere else in the code", () => {
  const wanted = new Set(NAMES.filter((name) => name.includes("_")));
  const declaring = SOURCES.filter((file) =>
    /const satisfies (?:\w*Section|SectionPart)\b/.test(readSource(file)),
  );
  expect(declaring.length).toBeGreaterThan(15);
  const found = SOURCES.filter((file) => !declaring.includes(file)).flatMap((file) => {
    const { strings } = codeOf(readSource(file));
    return strings.some((text) => wanted.has(text)) ? [file] : [];
  });
  expect(found).toEqual(OTHERS.map(([file]) => file));
});

test("[PROF-03] config.toml is read in one place", () => {
  const callers = SOURCES.filter((file) => /\bloadConfig\(/.test(codeOf(readSource(file)).text));
  expect(callers).toEqual(["src/app/plan/user-config.ts", "src/config/config.ts"]);
});

test("[PROF-03] every key that a project may tighten has an order, or is a number, a length of time or a list", () => {
  const unordered = SECTIONS.flatMap(({ keys }) => Object.values(keys)).filter(
    (key) => key.project === "restrict" && key.tightestFirst === undefined && !hasOrder(key),
  );
  expect(unordered).toEqual([]);
});

function hasOrder({ kind, merge }: ConfigKey): boolean {
  return ["integer", "number", "seconds", "duration"].includes(kind) || merge === "add";
}

function namesOf(key: ConfigKey): readonly string[] {
  const inner = key.kind === "tables" ? Object.values(key.keys).flatMap(namesOf) : [];
  return [key.key, ...(key.configKey === undefined ? [] : [key.configKey]), ...inner];
}
