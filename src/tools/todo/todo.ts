import type { TodoItem } from "../../protocol/events/events.ts";
import type { InputOf } from "../arguments.ts";
import { textOutput } from "../output.ts";
import type { CallPlan, Tool } from "../tool.ts";
import { ToolFailure } from "../tool.ts";
import type { ToolFacts } from "../tool-facts.ts";

const TODOS_MAX = 100;
const TODO_CHARACTERS_MAX = 1_000;

export const TODO_WRITE_FACTS: ToolFacts = {
  name: "TodoWrite",
  packs: ["plan", "tasks"],
  effect: "session",
  mutating: false,
  level: "ReadOnly",
  autoAllowed: "always",
  output: "own",
  kind: "think",
  carries: "tasks",
  alone: true,
  inSubAgents: "never",
};

const INPUT = {
  type: "object",
  properties: {
    todos: {
      type: "array",
      items: {
        type: "object",
        properties: {
          content: { type: "string" },
          status: { enum: ["pending", "in_progress", "completed"] },
        },
        required: ["content", "status"],
      },
    },
  },
  required: ["todos"],
} as const;

interface TodoPlan extends CallPlan {
  readonly todos: readonly TodoItem[];
}

/**
 * Replaces the todo list, which clients show (TOOL-05).
 *
 * It is stored in the log as `TodoChanged` and changes nothing outside the conversation.
 */
export const todoWriteTool: Tool<TodoPlan> = {
  ...TODO_WRITE_FACTS,
  description: "Replaces the todo list; send all items.",
  aliases: { items: "todos" },
  inputSchema: INPUT,
  async plan(input) {
    const { todos } = input as InputOf<typeof INPUT>;
    if (todos.length > TODOS_MAX) throw new ToolFailure(`A todo list has at most ${TODOS_MAX} items.`);
    const long = todos.findIndex((todo) => todo.content.length > TODO_CHARACTERS_MAX);
    if (long >= 0) throw new ToolFailure(`Item ${long + 1} has more than ${TODO_CHARACTERS_MAX} characters.`);
    return { summary: "TodoWrite", target: { kind: "none" }, todos: todos.map(known) };
  },
  async run({ todos }, context) {
    context.signal.throwIfAborted();
    context.emit({ kind: "TodoChanged", payload: { items: [...todos] } });
    return textOutput(answer(todos));
  },
};

/** Keeps only the event's fields. Some models send `activeForm` unrequested; emitting everything would cost bytes. */
function known({ content, status, activeForm }: TodoItem): TodoItem {
  return { content, status, ...(typeof activeForm === "string" ? { activeForm } : {}) };
}

function answer(todos: readonly TodoItem[]): string {
  if (todos.length === 0) return "The list is empty";
  const number = (status: TodoItem["status"]) => todos.filter((todo) => todo.status === status).length;
  const active = number("in_progress");
  const counts = `${number("completed")} completed, ${active} in progress, ${number("pending")} pending`;
  return active > 1 ? `${counts}. More than one is in progress: one at a time is clearer` : counts;
}
