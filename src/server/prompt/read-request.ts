import { HarnessError } from "../../base/errors.ts";
import type { JsonObject } from "../../base/json.ts";
import { isObject, numberAt, objectAt, parseJson, stringAt } from "../../base/json.ts";
import {
  ADDED_FOLDER_CHARACTERS_MAX,
  ADDED_FOLDERS_MAX,
  ALLOW_CHARACTERS_MAX,
  ALLOW_RULES_MAX,
  APPENDED_CHARACTERS_MAX,
} from "../../protocol/commands/run-limits.ts";
import type { InputBlock } from "../../protocol/content.ts";
import { EFFORT_WORDS } from "../../protocol/effort.ts";
import { LEVELS } from "../../tools/tool-facts.ts";
import type { Likeness, PromptFrame, PromptInput, PromptQuestion, PromptRequest } from "./frames.ts";

/*
 * Readers of what a client sends. They use no schema: the first use of one takes 13 ms of processor time, in the first
 * prompt of an engine. Both ends are the same build.
 */

/** Rounds of a turn, as in the schema of `RunSettings`. */
const TURNS_MAX = 999_999;

type Check = (value: unknown) => boolean;

const isText: Check = (value) => typeof value === "string";
const isShort =
  (max: number): Check =>
  (value) =>
    typeof value === "string" && value !== "" && value.length <= max;
const isFewOf =
  (max: number, each: Check): Check =>
  (value) =>
    Array.isArray(value) && value.length >= 1 && value.length <= max && value.every(each);
const isFlag: Check = (value) => typeof value === "boolean";
const isAmount: Check = (value) => typeof value === "number" && Number.isFinite(value) && value >= 0;
const isCount =
  (max = Number.MAX_SAFE_INTEGER): Check =>
  (value) =>
    Number.isInteger(value) && Number(value) >= 1 && Number(value) <= max;
const isTexts: Check = (value) => isObject(value) && Object.values(value).every(isText);
const isOneOf =
  (...words: readonly string[]): Check =>
  (value) =>
    typeof value === "string" && words.includes(value);
const isOrphanFate: Check = (value) =>
  has(value, { kind: isOneOf("succeeded", "failed", "abort") }, { note: isText });
const isResume: Check = (value) =>
  has(value, { kind: isOneOf("last") }) || has(value, { kind: isOneOf("id"), id: isText });

type Fields = Readonly<Record<string, Check>>;

const LIKENESS = {
  build: isText,
  place: isTexts,
  config: isText,
  keys: isText,
  passed: isText,
} satisfies Record<keyof Likeness, Check>;

/** A check for every field that a type requires, and for no other. */
type RequiredOf<Value> = {
  readonly [Name in keyof Value as undefined extends Value[Name] ? never : Name]: Check;
};
/** A check for every other field of it that a prompt may have. */
type OptionalOf<Value, Without extends keyof Value = never> = Omit<
  { readonly [Name in keyof Value as undefined extends Value[Name] ? Name : never]-?: Check },
  Without
>;

type Wishes = PromptRequest["wishes"];
/** Wishes that a command line does not have. */
type OfOthers =
  | "withoutShared"
  | "mcpServers"
  | "record"
  | "begun"
  | "atMost"
  | "delegatedBy"
  | "sequentialCalls"
  | "unread";

const WISHES = {
  environment: isTexts,
  autoApprove: isFlag,
  strictPermissions: isFlag,
} satisfies RequiredOf<Wishes>;
const OPTIONAL_WISHES = {
  level: isOneOf(...LEVELS),
  effort: isOneOf(...EFFORT_WORDS),
  planMode: isFlag,
  withoutProject: isFlag,
  allowProjectHooks: isFlag,
  lockfile: isText,
  appendSystemPrompt: isShort(APPENDED_CHARACTERS_MAX),
  allow: isFewOf(ALLOW_RULES_MAX, isShort(ALLOW_CHARACTERS_MAX)),
  addDirs: isFewOf(ADDED_FOLDERS_MAX, isShort(ADDED_FOLDER_CHARACTERS_MAX)),
  maxTurns: isCount(TURNS_MAX),
  maxCostUsd: isAmount,
  maxTimeMs: isCount(),
  orphans: isOrphanFate,
} satisfies OptionalOf<Wishes, OfOthers>;

const REQUEST = { workingDir: isText, wishes: isObject } satisfies RequiredOf<PromptRequest>;
const OPTIONAL_REQUEST = {
  profile: isText,
  model: isText,
  resume: isResume,
  leftMs: isAmount,
  deltasMayWait: isFlag,
  input: isObject,
} satisfies OptionalOf<PromptRequest>;

const INPUT = { content: Array.isArray } satisfies RequiredOf<PromptInput>;
const OPTIONAL_INPUT = { skill: isText, agent: isText } satisfies OptionalOf<PromptInput>;

/** Reads the question of a client. @throws HarnessError InvalidCommand. */
export function readQuestion(value: unknown): PromptQuestion {
  const likeness: Check = (facts) => has(facts, LIKENESS);
  return checked(value, { likeness, pid: isCount(), workingDir: isText }, { resume: isResume });
}

/** Reads the request of a client. @throws HarnessError InvalidCommand. */
export async function readRequest(line: string): Promise<PromptRequest> {
  const value = parseJson(line)?.value;
  const request = checked<PromptRequest>(value, REQUEST, OPTIONAL_REQUEST);
  const wishes: PromptRequest["wishes"] = checked(request.wishes, WISHES, OPTIONAL_WISHES);
  if (request.input === undefined) return { ...request, wishes };
  const input: PromptInput = checked(request.input, INPUT, OPTIONAL_INPUT);
  return { ...request, wishes, input: { ...input, content: await readBlocks(input.content) } };
}

/** Reads the blocks of an input. A schema is loaded for attachments alone. */
async function readBlocks(content: readonly unknown[]): Promise<readonly InputBlock[]> {
  if (content.length === 0) throw unreadable("its input is empty");
  if (content.every((block) => has(block, { type: isOneOf("text"), text: isText })))
    return content.map((block) => ({ type: "text", text: stringAt(block, "text") ?? "" }));
  const { InputBlock } = await import("../../protocol/content.ts");
  return content.map((block) => {
    const read = InputBlock.safeParse(block);
    if (read.success) return read.data;
    throw unreadable("its input has an unknown block");
  });
}

/** Reads a later frame of a client. @throws HarnessError InvalidCommand. */
export function readPromptFrame(line: string): PromptFrame {
  const value = parseJson(line)?.value;
  const frame = stringAt(value, "frame");
  const id = numberAt(value, "id");
  const body = objectAt(value, "body");
  if (frame === "leave") return { frame };
  if ((frame === "command" || frame === "query") && id !== undefined && body !== undefined)
    return { frame, id, body };
  throw unreadable("it is neither a command, nor a query, nor leave");
}

/** Returns true if the value is an object whose fields pass; those of `optional` may be absent. */
function has(value: unknown, required: Fields, optional: Fields = {}): boolean {
  return isObject(value) && wrongField(value, required, optional) === undefined;
}

function wrongField(value: JsonObject, required: Fields, optional: Fields): string | undefined {
  const wrong =
    Object.entries(required).find(([name, check]) => !check(value[name])) ??
    Object.entries(optional).find(([name, check]) => value[name] !== undefined && !check(value[name]));
  return wrong?.[0];
}

/** Returns the value if it has the fields of the tables, and no other. `Value` must be the type that they describe. */
function checked<Value>(value: unknown, required: Fields, optional: Fields): Value {
  if (!isObject(value)) throw unreadable("it is not an object");
  const wrong = wrongField(value, required, optional);
  if (wrong !== undefined) throw unreadable(`${wrong} is missing or has another form`);
  const unknown = Object.keys(value).find(
    (name) => !(Object.hasOwn(required, name) || Object.hasOwn(optional, name)),
  );
  if (unknown !== undefined) throw unreadable(`${unknown} is not a setting of a prompt`);
  return value as Value;
}

function unreadable(why: string): HarnessError<"InvalidCommand"> {
  return new HarnessError("InvalidCommand", { kind: "prompt", why });
}
