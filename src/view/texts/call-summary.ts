import { isObject } from "../../base/json.ts";
import { shortened } from "../../base/text/text.ts";
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
  return Object.keys(args).length === 0 ? "" : JSON.stringify(args);
}
