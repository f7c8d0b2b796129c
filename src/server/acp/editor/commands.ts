import type { AvailableCommand, ContentBlock } from "@agentclientprotocol/sdk/unstable";
import type { SessionId } from "../../../base/ids.ts";
import { isObject, stringAt } from "../../../base/json.ts";
import type { Command, CommandOf } from "../../../protocol/commands/commands.ts";
import { isBuiltinCommand } from "../../../protocol/commands/slash-commands.ts";
import { EFFORT_WORDS } from "../../../protocol/effort.ts";
import type { SlashCommandInfo } from "../../../protocol/resources.ts";
import { likeCommands } from "../../../view/slash/complete.ts";
import type { SlashCommand, Typed } from "../../../view/slash/slash.ts";
import { parseTyped, printCommand } from "../../../view/slash/slash.ts";
import type { PromptQuery, WorkCommand } from "../../../view/slash/work-command.ts";
import { meantCommand, workCommand } from "../../../view/slash/work-command.ts";

const OFFERED_MAX = 200;

/** State of the session that a command may need. */
export interface PromptedModel {
  /** `provider:name`. */
  readonly model: string;
}

/** A slash command that an editor can send as a prompt: how it becomes a command, and what to say afterwards. */
interface Carried {
  /** Words that may follow the name, for a person; absent: nothing. */
  readonly hint?: string;
  command(typed: SlashCommand, sessionId: SessionId, now: PromptedModel): Command | undefined;
  report(typed: SlashCommand, result: unknown): string;
}

/** The others need what an editor has in its own form (a list of sessions, a stop button) or not at all. */
const COST = "cost";

const CARRIED: Readonly<Record<string, Carried>> = {
  compact: {
    command: (_typed, sessionId) => ({ kind: "CompactSession", sessionId }),
    report: (_typed, result) =>
      isObject(result) && result["compacted"] === false
        ? "The conversation cannot be made shorter."
        : "The conversation was made shorter.",
  },
  model: {
    hint: "provider:name",
    command({ args: [model, ...more] }, sessionId) {
      return model === undefined || more.length > 0 ? undefined : { kind: "SetModel", sessionId, model };
    },
    report: ({ args: [model] }) => `The session continues with ${model}.`,
  },
  effort: {
    hint: "off | low | medium | high | xhigh | max",
    command({ args: [word, ...more] }, sessionId, { model }) {
      const effort = EFFORT_WORDS.find((each) => each === word);
      if (effort === undefined || more.length > 0) return undefined;
      return { kind: "SetModel", sessionId, model, effort };
    },
    report: ({ args: [word] }) => `The session continues with effort ${word}.`,
  },
  plan: {
    hint: "[off]",
    command({ args: [word, ...more] }, sessionId) {
      if (more.length > 0 || (word !== undefined && word !== "off")) return undefined;
      return word === "off"
        ? { kind: "ExitPlanMode", sessionId, approve: true }
        : { kind: "EnterPlanMode", sessionId };
    },
    report: ({ args: [word] }) =>
      word === "off" ? "Plan mode is over." : "Plan mode is on: nothing changes until you approve a plan.",
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
    report: () => "", // the session that continues reports it
  },
};

function carriedAs(name: string): Carried | undefined {
  return Object.hasOwn(CARRIED, name) ? CARRIED[name] : undefined;
}

function isOffered({ name, stands_for: stands }: SlashCommandInfo): boolean {
  return name === COST || carriedAs(name) !== undefined || stands !== undefined || !isBuiltinCommand(name);
}

/**
 * Returns the slash commands of an engine that an editor can offer behind a slash: those of the session stand at
 * the end.
 */
export function availableCommands(infos: readonly SlashCommandInfo[]): AvailableCommand[] {
  return infos
    .flatMap((info) => {
      const { name, help: description } = info;
      const carried = carriedAs(name);
      if (!isOffered(info)) return [];
      const hint = carried === undefined ? info.args_help : carried.hint;
      return [{ name, description, ...(hint === undefined ? {} : { input: { hint } }) }];
    })
    .slice(0, OFFERED_MAX);
}

/** Reads `/profiles:NAME` as `/profiles NAME`. */
function plain(typed: Typed): Typed {
  if (typed.kind !== "command" || typed.namespace !== "profiles") return typed;
  const { name, args, rest } = typed;
  return { kind: "command", name: "profiles", args: [name, ...args], rest };
}

/** Meaning of a prompt: work for the model, or a command. */
export type PromptCommand =
  | {
      readonly kind: "input";
      readonly prompt: readonly ContentBlock[];
      readonly wants: Pick<CommandOf<"SendInput">, "skill" | "agent">;
    }
  | { readonly kind: "command"; readonly command: Command; readonly done: (result: unknown) => string }
  /** The engine answers with the text that is sent instead of the command. */
  | {
      readonly kind: "prompt";
      readonly query: PromptQuery & { readonly sessionId: SessionId };
      readonly rest: readonly ContentBlock[];
    }
  /** The person wants to know what the session has cost. */
  | { readonly kind: "cost" }
  /** The engine answers with data, which is drawn for the person. */
  | { readonly kind: "stands-for"; readonly info: SlashCommandInfo; readonly typed: SlashCommand }
  /** It cannot be carried out; `why` is for the person. */
  | { readonly kind: "refused"; readonly why: string };

/**
 * Reads a prompt that begins with a slash command, as every client of cinch does. Attachments go along with work for
 * the model, and make a text of any other command.
 * @param list the commands of the session, as the engine lists them.
 */
export async function readPromptCommand(
  prompt: readonly ContentBlock[],
  sessionId: SessionId,
  list: () => Promise<readonly SlashCommandInfo[]>,
  now: PromptedModel,
): Promise<PromptCommand> {
  const [first, ...rest] = prompt;
  const asIs = { kind: "input", prompt, wants: {} } as const;
  if (first?.type !== "text" || !first.text.startsWith("/")) return asIs;
  const typed = plain(parseTyped(first.text));
  if (typed.kind === "text") return { ...asIs, prompt: [{ type: "text", text: typed.text }, ...rest] };
  const names = Object.keys(CARRIED).map((name) => `/${name}`);
  if (typed.kind === "invalid")
    return rest.length > 0 ? asIs : { kind: "refused", why: `${typed.why} (${names.join(", ")})` };
  if (typed.namespace === undefined && typed.name === COST) return rest.length > 0 ? asIs : { kind: "cost" };
  const carried = typed.namespace === undefined ? carriedAs(typed.name) : undefined;
  if (carried !== undefined && rest.length > 0) return asIs;
  const command = carried?.command(typed, sessionId, now);
  if (carried !== undefined && command !== undefined)
    return { kind: "command", command, done: (result) => carried.report(typed, result) };
  const listed = await list();
  const meant = meantCommand(typed, listed);
  const drawn = drawnAs(meant, listed);
  if (drawn !== undefined) return rest.length > 0 ? asIs : { kind: "stands-for", info: drawn, typed: meant };
  if (carried !== undefined)
    return { kind: "refused", why: `Usage: ${printCommand(typed)} ${carried.hint ?? ""}`.trimEnd() };
  const work = workCommand(meant, listed);
  if (work !== undefined) return workOf(work, rest, sessionId);
  if (rest.length > 0) return asIs;
  const like = likeCommands(typed, listed.filter(isOffered));
  const hint = like.length === 0 ? `There are: ${names.join(", ")}.` : `Did you mean ${like.join(" or ")}?`;
  return { kind: "refused", why: `There is no command ${printCommand(typed)} here. ${hint}` };
}

/** Returns the listed command of cinch that stands for a query or a command. */
function drawnAs(typed: SlashCommand, listed: readonly SlashCommandInfo[]): SlashCommandInfo | undefined {
  const name = printCommand(typed).slice(1);
  return listed.find((info) => info.name === name && info.stands_for !== undefined && isBuiltinCommand(name));
}

function workOf(work: WorkCommand, rest: readonly ContentBlock[], sessionId: SessionId): PromptCommand {
  if (work.kind === "prompt") return { kind: "prompt", query: { ...work.query, sessionId }, rest };
  if (work.kind === "custom") {
    const command = { ...work.command, sessionId };
    return { kind: "command", command, done: (result) => stringAt(result, "text") ?? "" };
  }
  const { words, wants } = work;
  if (words === "" && rest.length === 0)
    return { kind: "refused", why: `/agents:${wants.agent} needs a text: what the sub-agent is to do.` };
  const said: readonly ContentBlock[] = words === "" ? [] : [{ type: "text", text: words }];
  return { kind: "input", prompt: [...said, ...rest], wants };
}
