/**
 * What a person typed, as clients read it: text for the model, or a command of the form `/name args` or
 * `/namespace:name args`. Words are split as a shell does, with single and double quotes; nothing is expanded.
 */
export type Typed =
  | { readonly kind: "text"; readonly text: string }
  | SlashCommand
  /** Begins like a command but is none; `why` is for the person. */
  | { readonly kind: "invalid"; readonly why: string };

export interface SlashCommand {
  readonly kind: "command";
  /** Absent for the built-in commands, which have none. */
  readonly namespace?: string;
  readonly name: string;
  readonly args: readonly string[];
  /** Everything after the name as it was typed, without the space around it. */
  readonly rest: string;
}

const ALONE = "[A-Za-z][A-Za-z0-9_.-]*";
/** Behind a namespace: every name that a skill, an agent, a prompt, a profile or a server can have. */
const NAMED = "[\\p{L}\\p{N}][\\p{L}\\p{M}\\p{N}_.-]*";
const COMMAND = new RegExp(`^/(?:(${ALONE})|(${ALONE}):(${NAMED}))(?:\\s+([\\s\\S]*))?$`, "u");
const QUOTED = new Set(["'", '"']);

/**
 * Reads one input. A path such as `/usr/bin is missing` is text, and so is what begins with two slashes (one of
 * them is taken off); a word right after the slash makes a command, whether it is known or not, and a word with a colon
 * makes none of a name that there cannot be.
 */
export function parseTyped(input: string): Typed {
  if (input.startsWith("//")) return { kind: "text", text: input.slice(1) };
  if (!input.startsWith("/")) return { kind: "text", text: input };
  const found = COMMAND.exec(input.trimEnd());
  const name = found?.[1] ?? found?.[3];
  if (name === undefined) return pathOrNothing(input);
  const namespace = found?.[2];
  const rest = (found?.[4] ?? "").trim();
  const words = splitWords(rest);
  if (words.kind === "invalid") return { kind: "invalid", why: `/${name}: ${words.why}` };
  const command = { kind: "command", name, args: words.words, rest } as const;
  return namespace === undefined ? command : { ...command, namespace };
}

/** How a command is written. */
export function printCommand(command: Pick<SlashCommand, "namespace" | "name">): string {
  return command.namespace === undefined ? `/${command.name}` : `/${command.namespace}:${command.name}`;
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
  return { kind: "invalid", why: `"/${first}" is no command: /help lists them${asText}` };
}

type Words =
  | { readonly kind: "words"; readonly words: readonly string[] }
  | { readonly kind: "invalid"; readonly why: string };

/** A backslash outside single quotes takes the next character as it is. */
function splitWords(text: string): Words {
  const words: string[] = [];
  let word: string | undefined;
  let quote: string | undefined;
  for (let at = 0; at < text.length; at++) {
    const character = text.charAt(at);
    if (character === "\\" && quote !== "'" && at + 1 < text.length) {
      at += 1;
      word = (word ?? "") + text.charAt(at);
    } else if (quote !== undefined) {
      if (character === quote) quote = undefined;
      else word = (word ?? "") + character;
    } else if (QUOTED.has(character)) {
      quote = character;
      word ??= "";
    } else if (/\s/.test(character)) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else {
      word = (word ?? "") + character;
    }
  }
  if (quote !== undefined) return { kind: "invalid", why: `the quote ${quote} is not closed` };
  if (word !== undefined) words.push(word);
  return { kind: "words", words };
}
