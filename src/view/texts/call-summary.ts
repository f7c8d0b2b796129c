import { isObject } from "../../base/json.ts";
import { count, shortened } from "../../base/text/text.ts";
import { neutraliseLine } from "../terminal/terminal-text.ts";

export const CALL_SUMMARY_CHARACTERS_MAX = 120;

/** Arguments that identify a call, the most important first. */
const TELLING = ["command", "path", "file_path", "pattern", "url", "query", "name"];

/**
 * Returns one printable line that names a call: `Bash npm test`, `Read src/main.ts`. For people; no decision depends
 * on it.
 */
export function callSummary(tool: string, args: unknown): string {
  const name = neutraliseLine(tool);
  const detail = neutraliseLine(detailOf(args));
  if (detail === "") return name;
  return `${name} ${shortened(detail, CALL_SUMMARY_CHARACTERS_MAX)}`;
}

function detailOf(args: unknown): string {
  if (!isObject(args)) return "";
  for (const key of TELLING) {
    const value = args[key];
    if (typeof value === "string" && value !== "") return value;
  }
  const { prompt, type } = args;
  if (typeof prompt === "string" && prompt !== "")
    return typeof type === "string" && type !== "" ? `${type}: ${prompt}` : prompt;
  return planTitle(args["plan"]) ?? todosText(args["todos"]) ?? jsonText(args);
}

function jsonText(args: object): string {
  return Object.keys(args).length === 0 ? "" : JSON.stringify(args);
}

/** Returns the first line of a plan with text, without the marks of a heading; undefined if it is no plan. */
function planTitle(plan: unknown): string | undefined {
  if (typeof plan !== "string") return undefined;
  const titles = plan.split("\n").map((line) => line.replace(/^[#\s]+/, "").trim());
  return titles.find((title) => title !== "");
}

/** Returns the todo that is in progress, else the number of todos; undefined if it is no list of todos. */
function todosText(todos: unknown): string | undefined {
  if (!Array.isArray(todos) || !todos.every(isObject)) return undefined;
  const current = todos.find((todo) => todo["status"] === "in_progress")?.["content"];
  return typeof current === "string" && current !== "" ? current : count(todos.length, "todo");
}
