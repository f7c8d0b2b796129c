import type { FieldSource } from "../../protocol/commands/command-spec.ts";
import type { SlashCommand } from "./slash.ts";

export interface FieldContext {
  /** Session of the person. */
  readonly session: string;
  /** Returns the session that a word names; undefined if it names none. */
  find(word: string): Promise<string | undefined>;
}

/**
 * Returns the fields of the query or command that a slash command stands for, read from the typed words.
 *
 * Undefined if a word is missing, one is left over, or a session is not found.
 */
export async function fillFields(
  sources: Readonly<Record<string, FieldSource>>,
  { args, rest }: Pick<SlashCommand, "args" | "rest">,
  context: FieldContext,
): Promise<Readonly<Record<string, unknown>> | undefined> {
  const all = Object.entries(sources);
  const { words, options, flags } = sorted(
    args,
    all.map(([, source]) => source),
  );
  const fields: Record<string, unknown> = {};
  let taken = 0;
  for (const [name, source] of all) {
    switch (source.from) {
      case "session":
        if (!(source.unless ?? []).some((word) => flags.has(word))) fields[name] = context.session;
        break;
      case "value":
        fields[name] = source.value;
        break;
      case "rest":
        fields[name] = rest;
        taken = words.length;
        break;
      case "flag":
        if (source.words.some((word) => flags.has(word))) fields[name] = true;
        break;
      case "option": {
        const option = source.words.flatMap((word) => options.get(word) ?? []).at(-1);
        if (option !== undefined) fields[name] = source.same?.[option] ?? option;
        break;
      }
      case "find": {
        const word = words[source.at];
        taken = Math.max(taken, source.at + 1);
        const found = word === undefined ? context.session : await context.find(word);
        if (found === undefined) return undefined;
        fields[name] = found;
        break;
      }
      case "word": {
        const word = words[source.at];
        taken = Math.max(taken, source.at + 1);
        if (word === undefined && source.optional !== true) return undefined;
        if (word !== undefined) fields[name] = word;
        break;
      }
    }
  }
  return words.length > taken ? undefined : fields;
}

/** Sorts words into fields by position, those behind a flag, and flags that stand alone. */
function sorted(args: readonly string[], sources: readonly FieldSource[]) {
  const valued = new Set(sources.flatMap((source) => (source.from === "option" ? source.words : [])));
  const alone = new Set(
    sources.flatMap((source) => {
      if (source.from === "flag") return source.words;
      return source.from === "session" ? (source.unless ?? []) : [];
    }),
  );
  const words: string[] = [];
  const options = new Map<string, string>();
  const flags = new Set<string>();
  const remainingWords = [...args];
  for (let word = remainingWords.shift(); word !== undefined; word = remainingWords.shift()) {
    const [name = "", inline] = word.split(/=(.*)/s);
    if (valued.has(name)) options.set(name, inline ?? remainingWords.shift() ?? "");
    else if (alone.has(word)) flags.add(word);
    else words.push(word);
  }
  return { words, options, flags };
}
