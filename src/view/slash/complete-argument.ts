import type { SlashCommandInfo } from "../../protocol/resources.ts";

/** The word behind a slash command at the end of a typed text, and what it may be. */
export interface ArgumentBegun {
  /** Index of its first character. */
  readonly from: number;
  readonly word: string;
  readonly takesSession: boolean;
  readonly takesModel: boolean;
  /** Words that the schema of the command or its usage names: `restart`, `--format`. */
  readonly choices: readonly string[];
}

const CHOICE = /^(?:--)?[a-z][a-z-]*$/;

/** Returns the word that is being typed behind a slash command; undefined if there is none, or it is free text. */
export function argumentBegun(
  typed: string,
  commands: readonly SlashCommandInfo[],
): ArgumentBegun | undefined {
  const [, name] = /^\/(\S+)\s/.exec(typed) ?? [];
  const command = commands.find((each) => each.name === name);
  if (command === undefined || command.takes_text === true) return undefined;
  const from = typed.length - (/\S*$/.exec(typed)?.[0].length ?? 0);
  const listed = command.args_schema?.["enum"];
  const values = Array.isArray(listed) ? listed.filter((each) => typeof each === "string") : [];
  const words = (command.args_help ?? "").split(/[\s|[\]]+/);
  return {
    from,
    word: typed.slice(from),
    takesSession: words.includes("ID"),
    takesModel: words.includes("provider:name"),
    choices: [...new Set([...values, ...words.filter((each) => CHOICE.test(each))])],
  };
}
