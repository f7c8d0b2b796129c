import type { AvailableCommand, ContentBlock } from "@agentclientprotocol/sdk";
import type { SessionId } from "../../base/ids.ts";
import { isObject } from "../../base/json.ts";
import type { SlashCommand, Typed } from "../../client/kit/slash.ts";
import { parseTyped, printCommand } from "../../client/kit/slash.ts";
import type { Command } from "../../protocol/commands.ts";
import type { SlashCommandInfo } from "../../protocol/resources.ts";

/** A slash command that an editor can send as a prompt: how it becomes a command, and what the person is told then. */
interface Carried {
  /** What stands behind the name, for a person; absent: nothing. */
  readonly hint?: string;
  command(typed: SlashCommand, sessionId: SessionId): Command | undefined;
  done(typed: SlashCommand, result: unknown): string;
}

/** The others need what an editor has in a form of its own (a list of sessions, a stop button) or not at all. */
const CARRIED: Readonly<Record<string, Carried>> = {
  compact: {
    command: (_typed, sessionId) => ({ kind: "CompactSession", sessionId }),
    done: (_typed, result) =>
      isObject(result) && result["compacted"] === false
        ? "The conversation cannot be made shorter."
        : "The conversation was made shorter.",
  },
  model: {
    hint: "provider:name",
    command({ args: [model, ...more] }, sessionId) {
      return model === undefined || more.length > 0 ? undefined : { kind: "SetModel", sessionId, model };
    },
    done: ({ args: [model] }) => `The session goes on with ${model}.`,
  },
  profiles: {
    hint: "NAME [--in-place]",
    command({ args: [profile, flag, ...more] }, sessionId) {
      if (profile === undefined || more.length > 0 || (flag !== undefined && flag !== "--in-place"))
        return undefined;
      return {
        kind: "SwitchProfile",
        sessionId,
        profile,
        ...(flag === undefined ? {} : { inPlace: true }),
      };
    },
    done: () => "", // the session that goes on tells it
  },
};

function carriedAs(name: string): Carried | undefined {
  return Object.hasOwn(CARRIED, name) ? CARRIED[name] : undefined;
}

/** What of an engine's slash commands an editor can offer behind a slash. */
export function availableCommands(infos: readonly SlashCommandInfo[]): AvailableCommand[] {
  return infos.flatMap(({ name, help: description }) => {
    const carried = carriedAs(name);
    if (carried === undefined) return [];
    return [{ name, description, ...(carried.hint === undefined ? {} : { input: { hint: carried.hint } }) }];
  });
}

/** `/profiles:NAME` says the same as `/profiles NAME`. */
function plain(typed: Typed): Typed {
  if (typed.kind !== "command" || typed.namespace !== "profiles") return typed;
  const { name, args, rest } = typed;
  return { kind: "command", name: "profiles", args: [name, ...args], rest };
}

/** What a prompt asks for: an answer of the model, or a command. */
export type PromptCommand =
  | { readonly kind: "input"; readonly prompt: readonly ContentBlock[] }
  | { readonly kind: "command"; readonly command: Command; readonly done: (result: unknown) => string }
  /** It cannot be carried out; why is for the person. */
  | { readonly kind: "refused"; readonly why: string };

/** A prompt that is nothing but a slash command, as every client of cinch reads one. */
export function promptCommand(prompt: readonly ContentBlock[], sessionId: SessionId): PromptCommand {
  const [first, ...rest] = prompt;
  if (first?.type !== "text" || rest.length > 0) return { kind: "input", prompt };
  const typed = plain(parseTyped(first.text));
  if (typed.kind === "text") return { kind: "input", prompt: [{ type: "text", text: typed.text }] };
  const names = Object.keys(CARRIED).map((name) => `/${name}`);
  if (typed.kind === "invalid") return { kind: "refused", why: `${typed.why} (${names.join(", ")})` };
  const carried = typed.namespace === undefined ? carriedAs(typed.name) : undefined;
  if (carried === undefined) {
    const why = `There is no command ${printCommand(typed)} here. There are: ${names.join(", ")}.`;
    return { kind: "refused", why };
  }
  const command = carried.command(typed, sessionId);
  if (command === undefined) {
    return { kind: "refused", why: `Usage: ${printCommand(typed)} ${carried.hint ?? ""}`.trimEnd() };
  }
  return { kind: "command", command, done: (result) => carried.done(typed, result) };
}
