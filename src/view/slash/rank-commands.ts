import { fuzzyBest, fuzzyText } from "../../base/text/fuzzy.ts";
import { count } from "../../base/text/text.ts";
import type { SlashCommandInfo } from "../../protocol/resources.ts";
import { isOffered } from "./complete.ts";

/** A slash command as a list of candidates shows it. */
export interface RankedCommand {
  /** Without the slash. */
  readonly name: string;
  /** Words behind the name, as its usage writes them; empty if it takes none. */
  readonly hint: string;
  readonly help: string;
  /** True if it does something without any word behind it. */
  readonly runsAlone: boolean;
}

/** A shorter word is not looked for in descriptions. */
const DESCRIBED_UNITS_MIN = 2;

/**
 * Returns the commands that a typed beginning may mean, the best first: those whose name matches, then those with
 * a word of the description that begins so. For an empty one, those without a namespace and then the namespaces, which
 * are names with a colon at the end.
 */
export function rankCommands(typed: string, commands: readonly SlashCommandInfo[]): readonly RankedCommand[] {
  const all = offered(commands);
  if (typed === "") return tops(all);
  const texts = all.map(({ name }) => fuzzyText(name));
  const { best, all: named } = fuzzyBest(typed, texts, { limit: all.length });
  const byName = best.flatMap((at) => all[at] ?? []);
  const exact = byName.find(({ name }) => name === typed);
  const ranked = exact === undefined ? byName : [exact, ...byName.filter((each) => each !== exact)];
  if (typed.length < DESCRIBED_UNITS_MIN) return ranked;
  const known = new Set(named);
  const part = typed.toLowerCase();
  const described = all.filter(({ help }, at) => !known.has(at) && hasWord(help, part));
  return [...ranked, ...described];
}

function tops(all: readonly RankedCommand[]): readonly RankedCommand[] {
  const alone = all.filter(({ name }) => !name.includes(":"));
  const namespaces = Map.groupBy(
    all.filter(({ name }) => name.includes(":")),
    ({ name }) => name.slice(0, name.indexOf(":") + 1),
  );
  const entries = [...namespaces].map(([name, { length }]) => ({
    ...{ name, hint: "", runsAlone: false },
    help: `${count(length, "command")} in it`,
  }));
  return [...alone, ...entries];
}

/** Returns each command that can be typed, and each of its further names. */
function offered(commands: readonly SlashCommandInfo[]): readonly RankedCommand[] {
  const seen = new Set<string>();
  return commands.flatMap((info) =>
    [info.name, ...(info.aliases ?? [])].flatMap((name) => {
      if (seen.has(name) || !isOffered(name)) return [];
      seen.add(name);
      const hint = info.args_help ?? hintOf(info);
      return [{ name, hint, help: info.help, runsAlone: hint === "" || hint.startsWith("[") }];
    }),
  );
}

function hintOf({ name, usage }: SlashCommandInfo): string {
  return usage.startsWith(`/${name} `) ? usage.slice(name.length + 2) : "";
}

function hasWord(help: string, part: string): boolean {
  return help
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .some((word) => word.startsWith(part));
}
