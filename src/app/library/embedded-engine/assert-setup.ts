import { isAbsolute } from "node:path";
import { HarnessError } from "../../../base/errors.ts";
import { isObject } from "../../../base/json.ts";
import { describeValue } from "./describe-value.ts";

type Check = readonly [is: (value: unknown) => boolean, form: string];

const TEXT: Check = [(value) => typeof value === "string", "a text"];
const NAME: Check = [(value) => typeof value === "string" && value.trim() !== "", "a text that is not empty"];
const FUNCTION: Check = [(value) => typeof value === "function", "a function"];
const LIST: Check = [Array.isArray, "a list"];
const OBJECT: Check = [isObject, "an object"];
const BOOLEAN: Check = [(value) => typeof value === "boolean", "true or false"];
const COUNT: Check = [
  (value) => Number.isSafeInteger(value) && (value as number) >= 1,
  "a whole number of at least 1",
];
const FOLDER: Check = [
  (value) => typeof value === "string" && isAbsolute(value),
  "the absolute path of a folder",
];
const FATES: readonly unknown[] = ["ask", "failed", "succeeded"];
const FATE: Check = [(value) => FATES.includes(value), '"ask", "failed" or "succeeded"'];

const REQUIRED = { provider: OBJECT, model: NAME } as const;
const OPTIONAL = {
  ...{ limits: OBJECT, systemPrompt: TEXT, tools: LIST, store: OBJECT, plugins: LIST },
  ...{ onQuestion: FUNCTION, unfinishedCalls: FATE, directory: FOLDER },
} as const;
const PROVIDER = {
  name: NAME,
  family: NAME,
  chat: FUNCTION,
  models: FUNCTION,
  tokenCount: FUNCTION,
} as const;
const STORE = { create: FUNCTION, find: FUNCTION, messages: FUNCTION, events: FUNCTION } as const;
const TOOL = { execute: FUNCTION } as const;
const TOOL_OPTIONS = { asks: BOOLEAN, mutating: BOOLEAN, lazy: BOOLEAN, msMax: COUNT } as const;

/**
 * Checks the parts of a set-up, whatever its types say. Limits and prices are checked where they become settings,
 * names and schemas of tools by their registry.
 * @throws HarnessError UsageInvalid that names the key and its value.
 */
export function assertSetup(setup: unknown): void {
  if (!isObject(setup)) throw misuse(`the set-up of an engine is ${describeValue(setup)}; give an object`);
  assertFields(setup, "", REQUIRED);
  assertFields(setup, "", OPTIONAL, "optional");
  assertFields(setup["provider"], "provider.", PROVIDER);
  if (setup["store"] !== undefined) assertFields(setup["store"], "store.", STORE);
  for (const [at, tool] of ((setup["tools"] ?? []) as readonly unknown[]).entries()) {
    if (!isObject(tool)) throw misuse(`tools[${at}] is ${describeValue(tool)}; give an object`);
    assertFields(tool, `tools[${at}].`, TOOL);
    assertFields(tool, `tools[${at}].`, TOOL_OPTIONS, "optional");
  }
}

function assertFields(
  value: unknown,
  where: string,
  checks: Readonly<Record<string, Check>>,
  presence: "required" | "optional" = "required",
): void {
  for (const [key, [isRight, form]] of Object.entries(checks)) {
    const found: unknown = isObject(value) ? value[key] : undefined;
    if (found === undefined && presence === "optional") continue;
    if (!isRight(found)) throw misuse(`${where}${key} is ${describeValue(found)}; give ${form}`);
  }
}

function misuse(problem: string): HarnessError {
  return new HarnessError("UsageInvalid", { problem });
}
