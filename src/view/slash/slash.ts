import type { JsonObject } from "../../base/json.ts";
import {
  BUILTIN_COMMAND_NAMES,
  BUILTIN_NAMESPACES,
  isBuiltinCommand,
  TEXT_COMMANDS,
} from "../../protocol/commands/slash-commands.ts";

/**
 * Typed input, as clients read it: text for the model, or a command of the form `/name args` or `/namespace:name args`.
 * Words are split as a shell does, with single and double quotes; nothing is expanded.
 */
export type Typed =
  | { readonly kind: "text"; readonly text: string }
  | SlashCommand
  /** Begins like a command and is none; `why` is for the person. */
  | { readonly kind: "invalid"; readonly why: string; readonly command?: CommandName };

export type CommandName = Pick<SlashCommand, "namespace" | "name">;

export interface SlashCommand {
  readonly kind: "command";
  /** Absent for the built-in commands, which have none. */
  readonly namespace?: string;
  /** Empty for a namespace alone, which is no command. */
  readonly name: string;
  readonly args: readonly string[];
  /** Everything after the name as typed, without surrounding space. */
  readonly rest: string;
  /** An unclosed quote in them: it is a character of its word. Absent for a command that takes words. */
  readonly unclosed?: string;
}

const ALONE = "[A-Za-z][A-Za-z0-9_.-]*";
/** Behind a namespace: every name that a skill, an agent, a prompt, a profile or a server can have. */
const NAMED = "[\\p{L}\\p{N}][\\p{L}\\p{M}\\p{N}_.-]*";
/** A namespace without a name, which lists its names. */
const BARE = new RegExp(`^/(${ALONE}):$`);
const COMMAND = new RegExp(`^/(?:(${ALONE})|(${ALONE}):(${NAMED}))(?:\\s+([\\s\\S]*))?$`, "u");
const QUOTED = new Set(["'", '"']);

/**
 * Reads one input. A path such as `/usr/bin is missing` is text, and so is an input that begins with two slashes; one
 * of them is removed. A word right after the slash makes a command, known or not. A word with a colon makes none if
 * no name can have that form.
 */
export function parseTyped(input: string): Typed {
  if (input.startsWith("//")) return { kind: "text", text: input.slice(1) };
  if (!input.startsWith("/")) return { kind: "text", text: input };
  const bare = BARE.exec(input.trimEnd())?.[1];
  if (bare !== undefined) return bareNamespace(bare);
  const found = COMMAND.exec(input.trimEnd());
  const name = found?.[1] ?? found?.[3];
  if (name === undefined) return pathOrNothing(input);
  const namespace = found?.[2];
  const rest = (found?.[4] ?? "").trim();
  const named = namespace === undefined ? { name } : { namespace, name };
  const words = splitWords(rest);
  const { unclosed } = words;
  if (unclosed !== undefined && wantsWords(named))
    return { kind: "invalid", why: `${printCommand(named)}: ${unclosedText(unclosed)}`, command: named };
  return { kind: "command", ...named, rest, ...words };
}

/** Returns why words cannot be split, and a remedy. */
export function unclosedText(quote: string): string {
  return `the quote ${quote} is not closed: close it, or write \\${quote} for one that is part of a word`;
}

/** Returns the words behind a command, as they are sent to its handler. */
export function commandWords({ args, rest: text, unclosed }: SlashCommand): JsonObject {
  return { args: [...args], text, ...(unclosed === undefined ? {} : { unclosed }) };
}

/** Returns true for a command that splits its own text: a skill, an agent, a prompt or a plugin's. */
function wantsWords(command: CommandName): boolean {
  const name = printCommand(command).slice(1);
  return isBuiltinCommand(name) && !TEXT_COMMANDS.has(name);
}

/** Writes a command with its slash. */
export function printCommand(command: CommandName): string {
  return command.namespace === undefined ? `/${command.name}` : `/${command.namespace}:${command.name}`;
}

/** Reads `/skills:` as `/skills`; other namespaces list their names. */
function bareNamespace(namespace: string): SlashCommand {
  if (BUILTIN_COMMAND_NAMES.includes(namespace) && BUILTIN_NAMESPACES.includes(namespace))
    return { kind: "command", name: namespace, args: [], rest: "" };
  return { kind: "command", namespace, name: "", args: [], rest: "" };
}

function pathOrNothing(input: string): Typed {
  const first = /^\/(\S*)/.exec(input)?.[1] ?? "";
  const namespace = new RegExp(`^${ALONE}:`).exec(first)?.[0];
  const isPath = first.includes("/") && namespace === undefined;
  if (isPath || /^[^A-Za-z:]/.test(first)) return { kind: "text", text: input };
  if (first === "") return { kind: "invalid", why: "a command has a name: /help lists them" };
  if (first === namespace)
    return { kind: "invalid", why: `"/${first}" lacks the name behind its colon: /help lists them` };
  const asText = first.includes("/") ? ", and // in front sends it as a text" : "";
  return { kind: "invalid", why: `"/${first}" is not a command: /help lists them${asText}` };
}

type Words = Pick<SlashCommand, "args" | "unclosed">;

/** A backslash outside single quotes takes the next character as it is; so is an unclosed quote. */
function splitWords(text: string): Words {
  const args: string[] = [];
  let word: string | undefined;
  let quote: string | undefined;
  let unclosed: string | undefined;
  for (let at = 0; at < text.length; at++) {
    const character = text.charAt(at);
    if (character === "\\" && quote !== "'" && at + 1 < text.length) {
      at += 1;
      word = (word ?? "") + text.charAt(at);
    } else if (character === quote) {
      quote = undefined;
    } else if (quote === undefined && QUOTED.has(character)) {
      if (isClosed(text, at)) quote = character;
      else unclosed ??= character;
      word = (word ?? "") + (quote === undefined ? character : "");
    } else if (quote === undefined && /\s/.test(character)) {
      if (word !== undefined) args.push(word);
      word = undefined;
    } else {
      word = (word ?? "") + character;
    }
  }
  if (word !== undefined) args.push(word);
  return unclosed === undefined ? { args } : { args, unclosed };
}

/** Returns true if the quote at a position is closed. */
function isClosed(text: string, opened: number): boolean {
  const quote = text.charAt(opened);
  for (let at = opened + 1; at < text.length; at++) {
    if (text.charAt(at) === quote) return true;
    if (text.charAt(at) === "\\" && quote !== "'") at += 1;
  }
  return false;
}
