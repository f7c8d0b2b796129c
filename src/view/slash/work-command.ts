import type { CommandOf } from "../../protocol/commands/commands.ts";
import { isOwnCommand } from "../../protocol/commands/slash-commands.ts";
import type { SlashCommandInfo } from "../../protocol/resources.ts";
import { aliasedCommand } from "./alias.ts";
import type { SlashCommand } from "./slash.ts";
import { printCommand, wordsOf } from "./slash.ts";

/** What a slash command comes to that stands in the place of a prompt (CMD-01). */
export type WorkCommand =
  /** It is work for the model; the words that an agent is given may be missing. */
  | {
      readonly kind: "input";
      readonly words: string;
      readonly wants: Pick<CommandOf<"SendInput">, "skill" | "agent">;
    }
  /** The engine answers with the prompt that it becomes, or, of a plugin's, with a text for the person. */
  | {
      readonly kind: "custom";
      readonly answers: "prompt" | "text";
      readonly command: Omit<CommandOf<"CustomCommand">, "sessionId">;
    };

/** Namespaces whose commands become a prompt, which is then sent. */
const PROMPTS = ["prompts", "mcp-prompts"];

/** What stands behind the short name, or what was typed. */
export function meantCommand(typed: SlashCommand, listed: readonly SlashCommandInfo[]): SlashCommand {
  return aliasedCommand(typed, listed) ?? typed;
}

/**
 * What `/skills:NAME`, `/agents:TYPE`, `/prompts:NAME`, a server's prompt or a plugin's command comes to; undefined for any
 * other, and for one that the engine does not list.
 */
export function workCommand(
  command: SlashCommand,
  listed: readonly SlashCommandInfo[],
): WorkCommand | undefined {
  const { namespace = "", name: verb, rest: text } = command;
  if (verb === "") return undefined;
  const isReload = namespace === "skills" && isOwnCommand(printCommand(command).slice(1));
  if (namespace === "skills" && !isReload)
    return { kind: "input", words: text === "" ? `Use the skill ${verb}.` : text, wants: { skill: verb } };
  if (namespace === "agents") return { kind: "input", words: text, wants: { agent: verb } };
  const answers = PROMPTS.includes(namespace) ? "prompt" : "text";
  const full = `${namespace}:${verb}`;
  const isListed = listed.some(({ name }) => name === full) && !isOwnCommand(full);
  if (answers === "text" && !isListed) return undefined;
  const payload = wordsOf(command);
  return { kind: "custom", answers, command: { kind: "CustomCommand", namespace, verb, payload } };
}
