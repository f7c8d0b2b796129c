import type { CliFlag, CliVerb } from "../../session/commands/cli-command.ts";
import type { AnyCommand } from "./parsed-call.ts";

/** Verbs that are written out in a hint; more are named only. */
const WRITTEN_VERBS_MAX = 4;

/** Returns how a command or verb is called: "cinch memory list", "-p", "cinch". */
export function labelOf({ name }: Pick<AnyCommand, "name">, verb?: CliVerb): string {
  if (name.startsWith("-")) return name;
  return ["cinch", name, verb?.name ?? ""].filter((word) => word !== "").join(" ");
}

/** Returns a flag with its placeholder: "--to TURN|eN". */
export function flagForm(flag: CliFlag | undefined): string {
  if (flag?.placeholder === undefined) return `--${flag?.name ?? ""}`;
  const value = flag.kind === "optional-text" ? `[${flag.placeholder}]` : flag.placeholder;
  return `--${flag.name} ${value}`;
}

/** Returns the shortest way to write a flag: "-p", "--to". */
export function shortForm({ name, short }: CliFlag): string {
  return short === undefined ? `--${name}` : `-${short}`;
}

/** Returns the positional arguments as they are written: "NAME [PATH…]". */
export function wordsForm({ words = [] }: Pick<CliVerb, "words">): string {
  return words
    .map(({ name, optional, many }) => {
      const form = many === true ? `${name}…` : name;
      return optional === true ? `[${form}]` : form;
    })
    .join(" ");
}

/** Returns what may follow a command, for an error message. */
export function usageOf(command: AnyCommand): string {
  const verbs = command.verbs ?? [];
  const forms = verbs.map((verb) => [labelOf(command, verb), wordsForm(verb)].join(" ").trim());
  if (verbs.length <= WRITTEN_VERBS_MAX) {
    return `write ${joinWords(forms)}`;
  }
  const names = verbs.map(({ name }) => name).filter((name) => name !== "");
  return `cinch ${command.name} is followed by one of ${names.join(", ")}; cinch ${command.name} --help tells more`;
}

/** Joins words: "a", "a or b", "a, b or c". */
export function joinWords(words: readonly string[]): string {
  const last = words.at(-1) ?? "";
  return words.length < 2 ? last : `${words.slice(0, -1).join(", ")} or ${last}`;
}
