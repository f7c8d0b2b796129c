import type { ShellWord } from "../../../shell/analysis.ts";

const PATH_CHARACTERS_MAX = 1_024;

/** Returns the parts of a word that may be paths: the word, and what follows a `=` in it. */
export function pathsInWord(word: ShellWord | undefined): readonly ShellWord[] {
  if (word === undefined) return [];
  if (word.kind === "glob") return [word];
  if (word.kind !== "known" || word.value.length > PATH_CHARACTERS_MAX || word.value.includes("\n"))
    return [];
  const { value } = word;
  const equals = value.indexOf("=");
  if (equals !== -1) {
    const behind = value.slice(equals + 1);
    const rest: readonly ShellWord[] =
      behind === "" ? [] : [{ kind: "known", text: behind, value: behind, home: false }];
    return value.startsWith("-") ? rest : [word, ...rest];
  }
  if (!value.startsWith("-")) return value === "" ? [] : [word];
  // A value attached to the letter of its flag: `-f.env`.
  const attached = value.startsWith("--") ? "" : value.slice(2);
  return attached === "" ? [] : [{ kind: "known", text: attached, value: attached, home: false }];
}
