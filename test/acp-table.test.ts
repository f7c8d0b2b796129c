import { expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { arrayAt, isObject, objectAt, stringAt } from "../src/base/json.ts";
import { ROOT, readSource } from "./support/source.ts";

/** Requests between a client and a chain of proxies. cinch is neither. */
const OF_PROXIES = /^proxy\//;

interface Row {
  readonly name: string;
  readonly state: string;
  readonly tests: string;
}

const schema: unknown = JSON.parse(
  readFileSync(
    fileURLToPath(import.meta.resolve("@agentclientprotocol/sdk/schema/v1/schema.unstable.json")),
    "utf8",
  ),
);

/** Returns the names of the methods that the schema knows for one side. */
function methodsOf(...sides: readonly string[]): readonly string[] {
  const names = Object.values(objectAt(schema, "$defs") ?? {}).flatMap((definition) => {
    const [method, side] = [stringAt(definition, "x-method"), stringAt(definition, "x-side")];
    return method !== undefined && side !== undefined && sides.includes(side) ? [method] : [];
  });
  return [...new Set(names)].filter((name) => !OF_PROXIES.test(name)).toSorted();
}

/** Returns the kinds of updates that the schema knows. */
function updateKinds(): readonly string[] {
  const update = objectAt(objectAt(schema, "$defs"), "SessionUpdate");
  return arrayAt(update, "oneOf")
    .flatMap((variant) => constantIn(variant, "sessionUpdate") ?? [])
    .toSorted();
}

function constantIn(variant: unknown, field: string): string | undefined {
  const own = stringAt(objectAt(objectAt(variant, "properties"), field), "const");
  if (own !== undefined) return own;
  return arrayAt(variant, "allOf")
    .filter(isObject)
    .map((part) => constantIn(part, field))
    .find((value) => value !== undefined);
}

/** Returns the rows of the table below a head of the page. */
function rowsBelow(head: string): readonly Row[] {
  const page = readSource("docs/acp.md");
  const [, behind = ""] = page.split(`| ${head} |`);
  const [table = ""] = behind.split("\n\n");
  return [...table.matchAll(/^\| `([^`]+)` \| (.+) \| (.+) \|$/gm)].map(
    ([, name = "", state = "", tests = ""]) => ({ name, state, tests }),
  );
}

test("[CTL-20] the page about editors has a row for each method and update of the official SDK, and for nothing else", () => {
  const rows = (head: string) =>
    rowsBelow(head)
      .map(({ name }) => name)
      .toSorted();
  expect(rows("editor → cinch")).toEqual([...methodsOf("agent", "protocol")]);
  expect(rows("cinch → editor")).toEqual([...methodsOf("client"), ...sharedMethods()].toSorted());
  expect(rows("kind of update")).toEqual([...updateKinds()]);
});

/** Methods that both sides take under one name: the schema gives each definition one side. */
function sharedMethods(): readonly string[] {
  const client = methodsOf("client");
  return ["mcp/message"].filter((name) => !client.includes(name));
}

test("[CTL-20] each row names tests that are there and mention it", () => {
  const all = ["editor → cinch", "cinch → editor", "kind of update"].flatMap(rowsBelow);
  expect(all.length).toBeGreaterThan(50);
  for (const { name, state, tests } of all) {
    const files = [
      ...[...tests.matchAll(/`([^`]+)`/g)].map(([, file = ""]) => `test/e2e/${file}.e2e.ts`),
      ...(/\bunit\b/.test(tests) ? ["src/server/acp/acp.test.ts"] : []),
    ];
    expect([name, files.length > 0]).toEqual([name, true]);
    for (const file of files) expect([name, file, existsSync(join(ROOT, file))]).toEqual([name, file, true]);
    if (!/^(?:served|used)/.test(state)) continue;
    const isMentioned = files.some((file) => readSource(file).includes(mention(name)));
    expect([name, isMentioned]).toEqual([name, true]);
  }
});

/** Returns how a test mentions a method: the helper of editors has those that nearly every test needs. */
function mention(name: string): string {
  const helpers: Readonly<Record<string, string>> = {
    "session/request_permission": ".question(",
    "session/update": ".told(",
    "session/prompt": ".prompt(",
    "$/cancel_request": "signal.aborted",
  };
  return helpers[name] ?? name;
}
