import { appendFileSync, readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { isObject } from "../../../src/base/json.ts";
import type { MockOptions } from "./mock-provider.ts";
import { startMockProvider } from "./mock-provider.ts";

/**
 * The mock provider as a program, for tests and benches that need it as a process of its own.
 *
 *     sh scripts/bun.sh test/support/mock-provider/main.ts --port 0 --script FILE.json [--record FILE.jsonl]
 *
 * The script is a list of turns (see turn.ts), or an object with `script`, `key`, `models`, `contextTokensMax`; with
 * `repeat: true` it starts again where it ends. Prints its address as the only line, and ends with SIGTERM.
 */
const { values } = parseArgs({
  options: {
    port: { type: "string", default: "0" },
    script: { type: "string" },
    record: { type: "string" },
    help: { type: "boolean", default: false },
  },
});
if (values.help || values.script === undefined) {
  const usage = "Usage: main.ts --script FILE.json [--port N] [--record FILE.jsonl]";
  console.log(`${usage}\nAnswers as a provider, by the turns in the script. docs/testing.md shows one.`);
  process.exit(values.help ? 0 : 2);
}

const read: unknown = JSON.parse(readFileSync(values.script, "utf8"));
const options = (isObject(read) ? read : { script: read }) as unknown as MockOptions & { repeat?: boolean };
const { script, repeat, ...rest } = options;
if (!Array.isArray(script)) throw new Error(`${values.script} holds no list of turns`);

let said = 0;
const record = values.record;
const mock = startMockProvider({
  ...rest,
  port: Number(values.port),
  script: repeat === true ? () => script[said++ % script.length] : script,
  ...(record === undefined
    ? {}
    : { onRequest: (request) => appendFileSync(record, `${JSON.stringify(request)}\n`) }),
});
process.on("SIGTERM", () => process.exit(0));
console.log(mock.url);
