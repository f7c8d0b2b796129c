import type { HarnessError } from "../../base/errors.ts";
import { stringAt } from "../../base/json.ts";
import { neutralise } from "../terminal/terminal-text.ts";

/**
 * What a person is told of a command that was refused. They have typed none of the protocol's, so that its name says
 * nothing to them: only a slash command's stays.
 */
export function refusalText({ reason, message, fields }: HarnessError): string {
  const why = stringAt(fields, "why");
  const isTyped = stringAt(fields, "kind")?.startsWith("/") === true;
  if (reason !== "InvalidCommand" || why === undefined || isTyped) return neutralise(message);
  return neutralise(`That cannot be done: ${why}`);
}
