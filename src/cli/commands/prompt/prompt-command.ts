import type { HarnessError } from "../../../base/errors.ts";
import { hasReason } from "../../../base/errors.ts";
import type { SessionId } from "../../../base/ids.ts";
import { isBuiltinCommand } from "../../../protocol/commands/slash-commands.ts";
import type { Connection } from "../../../protocol/connection.ts";
import type { InputBlock } from "../../../protocol/content.ts";
import type { SlashCommandInfo } from "../../../protocol/resources.ts";
import { likeCommands } from "../../../view/slash/complete.ts";
import type { CommandName, SlashCommand, Typed } from "../../../view/slash/slash.ts";
import { parseTyped, printCommand } from "../../../view/slash/slash.ts";
import type { WorkCommand } from "../../../view/slash/work-command.ts";
import { meantCommand, workCommand } from "../../../view/slash/work-command.ts";
import { misuse } from "../../args/misuse.ts";
import type { TurnOptions } from "./turn.ts";

/** Meaning of a prompt that begins with a slash (CMD-01). */
export type PromptMeaning =
  | {
      readonly kind: "input";
      readonly content: readonly InputBlock[];
      readonly wants: NonNullable<TurnOptions["wants"]>;
    }
  /** A plugin has answered the command: no turn begins. */
  | { readonly kind: "answered"; readonly text: string };

const CARRIED =
  "-p carries out /skills:NAME, /agents:TYPE, /prompts:NAME, aliases and commands of plugins; a text that begins with a slash is written with two";
/** Namespaces whose commands are work for the model. */
const WORKING = ["skills", "agents"];

interface In {
  /** After its handshake. */
  readonly connection: Connection;
  readonly session: SessionId;
}

/**
 * Reads a prompt that begins with a slash, before a session begins, as every client reads typed lines.
 * @throws HarnessError UsageInvalid for an unknown command, and for one that needs a person in the session.
 */
export function checkPromptCommand(prompt: string): void {
  const typed = readPrompt(prompt);
  if (typed.kind === "command" && isBuiltinCommand(printCommand(typed).slice(1))) throw notHere(typed);
}

/**
 * Runs a prompt that begins with a slash, in its session.
 * @throws HarnessError UsageInvalid with a suggestion; the refusal of the engine.
 */
export async function meantByPrompt(content: readonly InputBlock[], at: In): Promise<PromptMeaning> {
  const [first, ...attached] = content;
  if (first?.type !== "text") return { kind: "input", content, wants: {} };
  const typed = readPrompt(first.text);
  if (typed.kind === "text")
    return { kind: "input", content: [textBlock(typed.text), ...attached], wants: {} };
  const known = await listCommands(at);
  const { listed } = known;
  const command = meantCommand(typed, listed);
  const work = workCommand(command, listed);
  if (work === undefined) throw unknown(command, known);
  if (work.kind === "input") return inputOf(work, attached);
  if (work.kind === "prompt") {
    const { prompt } = await at.connection
      .query({ ...work.query, sessionId: at.session })
      .catch((thrown: unknown) => Promise.reject(isNobodys(thrown) ? unknown(command, known) : thrown));
    return { kind: "input", content: [textBlock(prompt), ...attached], wants: {} };
  }
  if (attached.length > 0) throw misuse(`${printCommand(command)} takes nothing from standard input`);
  return { kind: "answered", text: await sendKnown(work.command, command, { known, at }) };
}

/** Reads `/skills NAME` as `/skills:NAME`. */
function readPrompt(prompt: string): Exclude<Typed, { readonly kind: "invalid" }> {
  const typed = parseTyped(prompt);
  if (typed.kind === "invalid") {
    if (typed.command !== undefined) throw notHere(typed.command);
    throw misuse(`the prompt begins like a command: ${typed.why}. ${CARRIED}`);
  }
  if (typed.kind === "text" || typed.namespace !== undefined || !WORKING.includes(typed.name)) return typed;
  const [name, ...args] = typed.args;
  const rest = typed.rest.replace(/^\S+\s*/, "");
  return name === undefined ? typed : { ...typed, namespace: typed.name, name, args, rest };
}

function inputOf(
  { words, wants }: Extract<WorkCommand, { readonly kind: "input" }>,
  attached: readonly InputBlock[],
): PromptMeaning {
  if (words === "" && attached.length === 0)
    throw misuse(`/agents:${wants.agent} needs a text: what the sub-agent is to do`);
  return { kind: "input", content: [...(words === "" ? [] : [textBlock(words)]), ...attached], wants };
}

function textBlock(text: string): InputBlock {
  return { type: "text", text };
}

interface Listed {
  readonly listed: readonly SlashCommandInfo[];
  readonly aliasProblems: readonly string[];
}

async function listCommands({ connection, session: sessionId }: In): Promise<Listed> {
  const answer = await connection.query({ kind: "ListSlashCommands", sessionId });
  return { listed: answer.slash_commands, aliasProblems: answer.alias_problems ?? [] };
}

async function sendKnown(
  custom: Extract<WorkCommand, { readonly kind: "custom" }>["command"],
  command: SlashCommand,
  { known, at }: { readonly known: Listed; readonly at: In },
): Promise<string> {
  try {
    const accepted = await at.connection.send({ ...custom, sessionId: at.session });
    const { readAccepted } = await import("../../../protocol/commands/results.ts");
    return readAccepted("CustomCommand", accepted).result?.text ?? "";
  } catch (thrown) {
    throw isNobodys(thrown) ? unknown(command, known) : thrown;
  }
}

function notHere(command: CommandName): HarnessError<"UsageInvalid"> {
  return misuse(
    `${printCommand(command)} is for a session that somebody sits before: begin one with cinch, without -p. ${CARRIED}`,
  );
}

function unknown(command: SlashCommand, { listed, aliasProblems }: Listed): HarnessError<"UsageInvalid"> {
  const like = likeCommands(command, listed);
  const hint = like.length === 0 ? "" : ` Did you mean ${like.join(" or ")}?`;
  const problems = command.namespace === undefined ? aliasProblems.map((each) => ` ${each}.`).join("") : "";
  return misuse(`there is no command ${printCommand(command)}.${hint}${problems} ${CARRIED}`);
}

/** True if nothing in the session owns the command: no plugin has its namespace, and no feature answers its query. */
function isNobodys(thrown: unknown): boolean {
  return hasReason(thrown, "UnknownCommandNamespace") || hasReason(thrown, "InvalidQuery");
}
