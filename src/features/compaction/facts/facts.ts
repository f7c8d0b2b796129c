import { defined } from "../../../base/defined.ts";
import { arrayAt, isObject, stringAt } from "../../../base/json.ts";
import { shortened } from "../../../base/text/text.ts";
import type { ToolUseBlock } from "../../../protocol/content.ts";
import type { Message } from "../../../protocol/message.ts";
import type { ToolFacts, ToolTable } from "../../../tools/tool-facts.ts";
import { unwrapCall } from "../../../tools/tool-search.ts";
import { commandPaths } from "./command-paths.ts";
import { findStandingRules } from "./standing-rules.ts";
import { failedCalls, isInput, isTurnStart, userText } from "./user-text.ts";

/** Facts of a conversation that must never be lost, whatever a model writes about it (SES-13). */
export interface Facts {
  /**
   * The newest requests of the user, verbatim, the newest last; and the request that began the newest turn, however
   * much was said while it ran.
   */
  readonly requests: readonly string[];
  /** Count of requests, at the end, that were made while the turn of the one before them ran. */
  readonly steered: number;
  /** Instructions of the user about what to do always or never, the newest last. */
  readonly rules: readonly string[];
  /** The todo list as last written, without completed entries. */
  readonly tasks: readonly OpenTask[];
  readonly doneTasks: number;
  /** Paths that calls were to change, the newest first. */
  readonly files: readonly string[];
  /** The last proposed plan. */
  readonly plan?: string;
}

export interface OpenTask {
  readonly status: string;
  readonly content: string;
}

export const NO_FACTS: Facts = {
  requests: [],
  steered: 0,
  rules: [],
  tasks: [],
  doneTasks: 0,
  files: [],
};

const REQUESTS_MAX = 3;
const RULES_MAX = 64;
const FILES_MAX = 200;
const PATH_CHARACTERS_MAX = 512;

export interface FactsInput {
  /** Count of messages that will be left out. */
  readonly cut: number;
  /** Text of the input that began the running turn; "" if none runs. */
  readonly turnInput: string;
  readonly tools: ToolTable;
}

/**
 * Adds the facts of messages to those carried from earlier ones. Requests and rules come from the messages that will
 * be left out; tasks, files and plan from all, since the newest count.
 */
export function collectFacts(
  carried: Facts,
  messages: readonly Message[],
  { cut, turnInput, tools }: FactsInput,
): Facts {
  const failed = failedCalls(messages);
  const calls = messages
    .flatMap(({ content }) => content.filter((block) => block.type === "tool_use"))
    .flatMap((block) => knownCall(block, tools) ?? [])
    // A command that failed may have changed files before it did.
    .filter(({ id, facts }) => facts.effect === "runs-commands" || !failed.has(id));
  const cutMessages = messages.slice(0, cut);
  const inputs = cutMessages.filter(isInput).map(userText);
  const todo = calls.findLast(({ facts }) => facts.carries === "tasks");
  const plan = calls.findLast(({ facts }) => facts.carries === "plan");
  const planText = stringAt(plan?.input, "plan") ?? carried.plan;
  const touched = calls
    .toReversed()
    .flatMap(pathsOf)
    .filter((path) => path.length <= PATH_CHARACTERS_MAX);
  return {
    ...requestsOf(carried, cutMessages, turnInput),
    rules: newest([...carried.rules, ...inputs.flatMap(findStandingRules)]).slice(-RULES_MAX),
    ...(todo === undefined ? { tasks: carried.tasks, doneTasks: carried.doneTasks } : tasksOf(todo)),
    files: [...new Set([...touched, ...carried.files])].slice(0, FILES_MAX),
    ...defined({ plan: planText }),
  };
}

/** Returns the newest requests, and the one that began the newest turn: it is what is being worked on. */
function requestsOf(
  carried: Facts,
  messages: readonly Message[],
  begun: string,
): Pick<Facts, "requests" | "steered"> {
  const requests = [...carried.requests];
  let begin = requests.length - 1 - carried.steered;
  let begins = true;
  for (const message of messages) {
    // Parts of one message, split by now, began a turn together or arrived in the middle of one together.
    begins = message.role === "assistant" || (begins && isTurnStart(message));
    const words = isInput(message) ? userText(message) : "";
    if (words === "") continue;
    if (begins) begin = requests.length;
    requests.push(words);
  }
  // The input of a running turn is known: after the results of a call that was cut off, no message shows that it
  // is one.
  const running = begun === "" ? -1 : requests.findLastIndex((request) => isOf(request, begun));
  begin = Math.max(0, running === -1 ? begin : running);
  const newest = requests.slice(-REQUESTS_MAX);
  const steered = Math.max(0, requests.length - 1 - begin);
  if (steered < REQUESTS_MAX) return { requests: newest, steered };
  return { requests: [...requests.slice(begin, begin + 1), ...newest], steered: REQUESTS_MAX };
}

/** Returns true if a request is, or contains, an input, whole or as an earlier compaction has cut it. */
function isOf(request: string, input: string): boolean {
  if (request.includes(input)) return true;
  const [beginning = "", ...rest] = request.split("\n[… ");
  return rest.length > 0 && beginning !== "" && input.startsWith(beginning);
}

/** Returns each text once, at its last position. */
function newest(texts: readonly string[]): readonly string[] {
  return [...new Set(texts.toReversed())].toReversed();
}

function tasksOf({ input }: KnownCall): Pick<Facts, "tasks" | "doneTasks"> {
  const tasks = arrayAt(input, "todos")
    .filter(isObject)
    .map((item) => ({
      status: stringAt(item, "status") ?? "pending",
      content: shortened(stringAt(item, "content") ?? "", 300),
    }));
  const open = tasks.filter(({ status }) => status !== "completed");
  return { tasks: open, doneTasks: tasks.length - open.length };
}

interface KnownCall {
  readonly id: ToolUseBlock["id"];
  readonly input: unknown;
  readonly facts: ToolFacts;
}

/** Returns the call with the facts of its tool; undefined for tools of servers, plugins and embedders. */
function knownCall(block: ToolUseBlock, tools: ToolTable): KnownCall | undefined {
  const { name, input } = unwrapCall(block);
  const facts = tools.of(name);
  return facts === undefined ? undefined : { id: block.id, input, facts };
}

function pathsOf({ input, facts: { effect, subject } }: KnownCall): readonly string[] {
  const argument = subject === undefined ? undefined : stringAt(input, subject);
  if (argument === undefined) return [];
  if (effect === "runs-commands") return commandPaths(argument);
  return effect === "writes-files" ? [argument] : [];
}
