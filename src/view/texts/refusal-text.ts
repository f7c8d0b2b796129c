import type { HarnessError } from "../../base/errors.ts";
import { stringAt } from "../../base/json.ts";
import { neutralise } from "../terminal/terminal-text.ts";

/**
 * Returns the text about a refused command. It leaves out the name of the protocol's command, which the person did not
 * type: only a slash command's stays.
 */
export function refusalText({ reason, message, fields }: HarnessError): string {
  const why = stringAt(fields, "why");
  const isTyped = stringAt(fields, "kind")?.startsWith("/") === true;
  if (reason !== "InvalidCommand" || why === undefined || isTyped) return neutralise(message);
  return neutralise(`That cannot be done: ${why}`);
}
