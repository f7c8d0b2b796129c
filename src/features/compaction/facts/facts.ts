import { arrayAt, isObject, stringAt } from "../../../base/json.ts";
import { shortened } from "../../../base/text/text.ts";
import type { ToolUseBlock } from "../../../protocol/content.ts";
import type { Message } from "../../../protocol/message.ts";
import type { ToolFacts, ToolTable } from "../../../tools/tool-facts.ts";
import { unwrapCall } from "../../../tools/tool-search.ts";
import { rulesIn } from "./rules.ts";
import { commandPaths } from "./touched.ts";
import { beginsTurn, failedCalls, isInput, wordsOf } from "./words.ts";

/** What of a conversation must never be lost, whatever a model writes about it (SES-13). */
export interface Facts {
  /**
   * The newest requests of the user, word for word, the newest last; and the one that began the newest turn, however much
   * was said while it ran.
   */
  readonly requests: readonly string[];
  /** How many of them, at the end, were said while the turn of the one before them ran. */
  readonly steered: number;
  /** What the user said has always or never to be done, the newest last. */
  readonly rules: readonly string[];
  /** The list of things to do as it was last written, without what is done. */
  readonly tasks: readonly OpenTask[];
  readonly doneTasks: number;
  /** Paths that calls were to change, the newest first. */
  readonly files: readonly string[];
  /** A plan that was proposed last. */
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

export interface Collecting {
  /** So many messages will be left out. */
  readonly cut: number;
  /** The words of the input that began the running turn; empty where none runs. */
  readonly begun: string;
  readonly tools: ToolTable;
}

/**
 * Adds what messages tell to what was carried from earlier ones. Requests and rules come from those that will be left
 * out; tasks, files and plan from all, since the newest count.
 */
export function collectFacts(
  carried: Facts,
  messages: readonly Message[],
  { cut, begun, tools }: Collecting,
): Facts {
  const failed = failedCalls(messages);
  const calls = messages
    .flatMap(({ content }) => content.filter((block) => block.type === "tool_use"))
    .flatMap((block) => knownCall(block, tools) ?? [])
    // A command that failed may have changed files before it did.
    .filter(({ id, facts }) => facts.effect === "runs-commands" || !failed.has(id));
  const left = messages.slice(0, cut);
  const said = left.filter(isInput).map(wordsOf);
  const todo = calls.findLast(({ facts }) => facts.carries === "tasks");
  const plan = calls.findLast(({ facts }) => facts.carries === "plan");
  const planText = stringAt(plan?.input, "plan") ?? carried.plan;
  const touched = calls
    .toReversed()
    .flatMap(pathsOf)
    .filter((path) => path.length <= PATH_CHARACTERS_MAX);
  return {
    ...requestsOf(carried, left, begun),
    rules: newest([...carried.rules, ...said.flatMap(rulesIn)]).slice(-RULES_MAX),
    ...(todo === undefined ? { tasks: carried.tasks, doneTasks: carried.doneTasks } : tasksOf(todo)),
    files: [...new Set([...touched, ...carried.files])].slice(0, FILES_MAX),
    ...(planText === undefined ? {} : { plan: planText }),
  };
}

/** What began the newest turn stays beside what was said last: it is what is being worked on. */
function requestsOf(
  carried: Facts,
  messages: readonly Message[],
  begun: string,
): Pick<Facts, "requests" | "steered"> {
  const requests = [...carried.requests];
  let begin = requests.length - 1 - carried.steered;
  let begins = true;
  for (const message of messages) {
    // Parts of one message, each on its own by now, began a turn together or came in the middle of one together.
    begins = message.role === "assistant" || (begins && beginsTurn(message));
    const words = isInput(message) ? wordsOf(message) : "";
    if (words === "") continue;
    if (begins) begin = requests.length;
    requests.push(words);
  }
  // Where a turn runs its input is known: behind the results of a call that was cut off, no message shows that it is one.
  const running = begun === "" ? -1 : requests.findLastIndex((request) => isOf(request, begun));
  begin = Math.max(0, running === -1 ? begin : running);
  const newest = requests.slice(-REQUESTS_MAX);
  const steered = Math.max(0, requests.length - 1 - begin);
  if (steered < REQUESTS_MAX) return { requests: newest, steered };
  return { requests: [...requests.slice(begin, begin + 1), ...newest], steered: REQUESTS_MAX };
}

/** Whether a request is an input or holds it, as a whole or as what an earlier compaction has left of it. */
function isOf(request: string, input: string): boolean {
  if (request.includes(input)) return true;
  const [beginning = "", ...rest] = request.split("\n[… ");
  return rest.length > 0 && beginning !== "" && input.startsWith(beginning);
}

/** Each text once, where it was last said. */
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
