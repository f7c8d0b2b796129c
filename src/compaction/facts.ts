import { arrayAt, isObject, stringAt } from "../base/json.ts";
import { shortened } from "../base/text.ts";
import type { ToolUseBlock } from "../protocol/content.ts";
import type { Message } from "../protocol/message.ts";
import { rulesIn } from "./rules.ts";
import { commandPaths } from "./touched.ts";
import { failedCalls, isInput, wordsOf } from "./words.ts";

/** What of a conversation must never be lost, whatever a model writes about it (SES-13). */
export interface Facts {
  /** The newest requests of the user, word for word, the newest last. */
  readonly requests: readonly string[];
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

export const NO_FACTS: Facts = { requests: [], rules: [], tasks: [], doneTasks: 0, files: [] };

const REQUESTS_MAX = 3;
const RULES_MAX = 64;
const FILES_MAX = 200;
const PATH_CHARACTERS_MAX = 512;

/**
 * Adds what messages tell to what was carried from earlier ones. Requests and rules come from the first `cut` of them,
 * which will be left out; tasks, files and plan from all, since the newest count.
 */
export function collectFacts(carried: Facts, messages: readonly Message[], cut: number): Facts {
  const failed = failedCalls(messages);
  const calls = messages
    .flatMap(({ content }) => content.filter((block) => block.type === "tool_use"))
    .filter(({ id, name }) => name === "Bash" || !failed.has(id));
  const said = messages.slice(0, cut).filter(isInput).map(wordsOf);
  const asked = said.filter((words) => words !== "");
  const todo = calls.findLast(({ name }) => name === "TodoWrite");
  const plan = calls.findLast(({ name }) => name === "ExitPlanMode");
  const planText = stringAt(plan?.input, "plan") ?? carried.plan;
  const touched = calls
    .toReversed()
    .flatMap(pathsOf)
    .filter((path) => path.length <= PATH_CHARACTERS_MAX);
  return {
    requests: [...carried.requests, ...asked].slice(-REQUESTS_MAX),
    rules: newest([...carried.rules, ...said.flatMap(rulesIn)]).slice(-RULES_MAX),
    ...(todo === undefined ? { tasks: carried.tasks, doneTasks: carried.doneTasks } : tasksOf(todo)),
    files: [...new Set([...touched, ...carried.files])].slice(0, FILES_MAX),
    ...(planText === undefined ? {} : { plan: planText }),
  };
}

/** Each text once, where it was last said. */
function newest(texts: readonly string[]): readonly string[] {
  return [...new Set(texts.toReversed())].toReversed();
}

function tasksOf({ input }: ToolUseBlock): Pick<Facts, "tasks" | "doneTasks"> {
  const tasks = arrayAt(input, "todos")
    .filter(isObject)
    .map((item) => ({
      status: stringAt(item, "status") ?? "pending",
      content: shortened(stringAt(item, "content") ?? "", 300),
    }));
  const open = tasks.filter(({ status }) => status !== "completed");
  return { tasks: open, doneTasks: tasks.length - open.length };
}

function pathsOf({ name, input }: ToolUseBlock): readonly string[] {
  switch (name) {
    case "Write":
    case "Edit":
    case "MultiEdit": {
      const path = stringAt(input, "file_path");
      return path === undefined ? [] : [path];
    }
    case "Bash":
      return commandPaths(stringAt(input, "command") ?? "");
    default:
      return [];
  }
}
