import type { CommandOf } from "../../protocol/commands/commands.ts";
import { isBuiltinCommand } from "../../protocol/commands/slash-commands.ts";
import type { QueryOf } from "../../protocol/queries/queries.ts";
import type { SlashCommandInfo } from "../../protocol/resources.ts";
import { aliasedCommand } from "./alias.ts";
import { isOwnPrompt } from "./own-prompts.ts";
import type { SlashCommand } from "./slash.ts";
import { commandWords, printCommand } from "./slash.ts";

/** Work that a slash command stands for, instead of a prompt (CMD-01). */
export type WorkCommand =
  /** Work for the model; the words for an agent may be missing. */
  | {
      readonly kind: "input";
      readonly words: string;
      readonly wants: Pick<CommandOf<"SendInput">, "skill" | "agent">;
    }
  /** The engine answers with the prompt that it becomes. */
  | { readonly kind: "prompt"; readonly query: PromptQuery }
  /** A plugin answers with a text for the person. */
  | { readonly kind: "custom"; readonly command: Omit<CommandOf<"CustomCommand">, "sessionId"> };

/** A query for the text of a prompt, in a session that is still to be named. */
export type PromptQuery =
  | Omit<QueryOf<"ExpandPrompt">, "sessionId">
  | Omit<QueryOf<"ExpandMcpPrompt">, "sessionId">;

/** The namespace of prompts of MCP servers. */
const MCP_PROMPTS = "mcp-prompts";

/** Returns the query for the text of a `/prompts:NAME` or `/mcp-prompts:SERVER.NAME`. */
export function promptQuery({ namespace, name, args, rest: text, unclosed }: SlashCommand): PromptQuery {
  const words = { name, args, ...(unclosed === undefined ? {} : { unclosed }) };
  return namespace === MCP_PROMPTS
    ? { kind: "ExpandMcpPrompt", ...words }
    : { kind: "ExpandPrompt", ...words, text };
}

/** Returns the command behind a short name, or the typed one. */
export function meantCommand(typed: SlashCommand, listed: readonly SlashCommandInfo[]): SlashCommand {
  return aliasedCommand(typed, listed) ?? typed;
}

/**
 * Returns the work of `/skills:NAME`, `/agents:TYPE`, `/prompts:NAME`, a server's prompt or a plugin's command;
 * undefined for any other, and for one that the engine does not list.
 */
export function workCommand(
  command: SlashCommand,
  listed: readonly SlashCommandInfo[],
): WorkCommand | undefined {
  const { namespace = "", name: verb, rest: text } = command;
  if (verb === "") return undefined;
  const isReload = namespace === "skills" && isBuiltinCommand(printCommand(command).slice(1));
  if (namespace === "skills" && !isReload)
    return { kind: "input", words: text === "" ? `Use the skill ${verb}.` : text, wants: { skill: verb } };
  if (namespace === "" && isOwnPrompt(verb)) return { kind: "prompt", query: promptQuery(command) };
  if (namespace === "agents") return { kind: "input", words: text, wants: { agent: verb } };
  if (namespace === "prompts" || namespace === MCP_PROMPTS)
    return { kind: "prompt", query: promptQuery(command) };
  const full = `${namespace}:${verb}`;
  const isListed = listed.some(({ name }) => name === full) && !isBuiltinCommand(full);
  if (!isListed) return undefined;
  const payload = commandWords(command);
  return { kind: "custom", command: { kind: "CustomCommand", namespace, verb, payload } };
}
