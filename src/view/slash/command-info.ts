import { isObject } from "../../base/json.ts";
import type { SlashCommandInfo } from "../../protocol/resources.ts";

/** Whether it is a command of a list that an engine gave: what it answers with may be a stranger's. */
export function isCommandInfo(value: unknown): value is SlashCommandInfo {
  const texts = ["name", "usage", "help", "command"];
  return isObject(value) && texts.every((key) => typeof value[key] === "string");
}
