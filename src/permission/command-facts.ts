import { messageOf } from "../base/errors.ts";
import type { Files } from "../base/world.ts";
import { codeOf } from "../base/world.ts";
import { analyse } from "../shell/analyse.ts";
import type { Analysis, ShellCommand, ShellRedirection, ShellWord } from "../shell/analysis.ts";
import { literalOf } from "../shell/analysis.ts";
import type { CallTarget } from "../tool/tool.ts";
import type { Known, Use } from "./commands/grammar.ts";
import type { Place } from "./place.ts";
import { below } from "./place.ts";
import { knownCommand, knownRedirection, readsOnly } from "./reading.ts";
import { repositoryProblem } from "./repository.ts";
import type { Ground } from "./resolve.ts";
import { follow } from "./resolve.ts";
import type { Rule } from "./rule.ts";
import { printRule } from "./rule.ts";
import { guardedPath, mayHoldCredentials } from "./sensitive.ts";

export type CommandTarget = Extract<CallTarget, { readonly kind: "command" }>;

/** More words of a line are not looked at on the disk; it is asked for, then. */
const WORDS_MAX = 512;
const LIST_ENTRIES_MAX = 4_096;

/** What is known of a command line before anything of it runs: what `judge` decides by. */
export interface CommandFacts {
  readonly analysis: Analysis;
  /** Why it is not known to only read what the person opened to the agent; absent where it is. Empty: nobody looked. */
  readonly loud?: string;
  /** What of cinch's own, of git's insides, or of credentials one of its words leads to. */
  readonly guarded?: { readonly why: string; readonly personOnly: boolean };
  /** Those of its commands and redirections that are known to only read such things, where not all of it is. */
  readonly quiet: ReadonlySet<ShellCommand | ShellRedirection>;
  /** The rule that forbids to read what one of its commands is known to read. */
  readonly denied?: Rule;
  /** Names that programs of the line have behind their links, by the name that they are called by. */
  readonly programs: ReadonlyMap<string, string>;
}

/** What is known of a line from its words alone: not that it only reads, for that takes a look at the disk. */
export function factsFromWords(target: CommandTarget): CommandFacts {
  return {
    analysis: analyse(target.command),
    loud: "",
    quiet: new Set(),
    programs: new Map(),
  };
}

/** What deny rules say of reading. */
export interface ReadDenier {
  /** The rule that forbids to read a path. */
  at(path: string): Rule | undefined;
  /** A rule that names a file or folder below this one. */
  below(directory: string): Rule | undefined;
}

/** What a look at a command line goes by. */
export interface Look {
  readonly files: Files;
  readonly ownDirectories: readonly string[];
  /** Absent: no rule forbids to read anything. */
  readonly denies?: ReadDenier | undefined;
}

/**
 * Looks at a command line: reads it, and follows its words on the disk (PERM-04, PERM-10, S14, S22).
 *
 * Nothing is run and nothing is written. What cannot be found out counts against the line.
 */
export async function examine(
  target: CommandTarget,
  place: Place,
  { files, ownDirectories, denies }: Look,
): Promise<CommandFacts> {
  const analysis = analyse(target.command);
  const ground: Ground = {
    files,
    cwd: target.cwd,
    seen: new Map([target.cwd, place.root].map((path) => [path, Promise.resolve({ path, exists: true })])),
    ...(place.home === undefined ? {} : { home: place.home }),
  };
  const known = readsOnly(analysis);
  const rule = denies === undefined ? undefined : await deniedUse(known, analysis, ground, denies);
  const denied = rule === undefined ? {} : { denied: rule };
  const loud =
    below(place.root, target.cwd) === undefined
      ? "it does not run in the workspace"
      : known.kind === "unknown"
        ? known.why
        : await failClosed(() => usesProblem(known.uses, place, ground, denies));
  if (loud === undefined) return { analysis, quiet: new Set(), programs: new Map(), ...denied };
  const [guarded, quiet, programs] = await Promise.all([
    guardedWord(analysis, ground, ownDirectories),
    quietParts(analysis, place, ground, denies),
    programsOf(analysis, ground),
  ]);
  return { analysis, loud, quiet, programs, ...denied, ...(guarded === undefined ? {} : { guarded }) };
}

/** Only lines of few commands are looked through part by part: a rule is about such. */
const PARTS_MAX = 32;

/**
 * What commands that are known to read would read; of others nothing is known, and the sandbox has to hold them. Of a line
 * that as a whole is known to read, and so may go unasked, every use is looked at.
 */
async function deniedUse(
  known: Known,
  analysis: Analysis,
  ground: Ground,
  denies: ReadDenier,
): Promise<Rule | undefined> {
  for (const use of known.kind === "reads" ? known.uses : usesOfParts(analysis)) {
    if (use.kind === "repository") continue;
    const found = await follow(use.word, use.directories, ground);
    if (typeof found === "string") continue;
    for (const { path, spelled } of found) {
      const rule = denies.at(path) ?? denies.at(spelled);
      if (rule !== undefined) return rule;
    }
  }
  return undefined;
}

function usesOfParts({ commands, redirections }: Analysis): readonly Use[] {
  if (commands.length + redirections.length > PARTS_MAX) return [];
  const known = [
    ...commands.map((part) => knownCommand(part, commands)),
    ...redirections.map(knownRedirection),
  ];
  return known.flatMap((each) => (each.kind === "unknown" ? [] : each.uses)).slice(0, WORDS_MAX);
}

async function quietParts(
  { commands, redirections }: Analysis,
  place: Place,
  ground: Ground,
  denies: ReadDenier | undefined,
): Promise<CommandFacts["quiet"]> {
  const quiet = new Set<ShellCommand | ShellRedirection>();
  if (commands.length + redirections.length > PARTS_MAX || below(place.root, ground.cwd) === undefined)
    return quiet;
  const parts = [
    ...commands.map((part) => ({ part, known: knownCommand(part, commands) })),
    ...redirections.map((part) => ({ part, known: knownRedirection(part) })),
  ];
  await Promise.all(
    parts.map(async ({ part, known }) => {
      if (known.kind === "unknown" || known.uses.length > PARTS_MAX) return;
      if ((await failClosed(() => usesProblem(known.uses, place, ground, denies))) === undefined)
        quiet.add(part);
    }),
  );
  return quiet;
}

/** What the disk refuses to tell counts against the line (S23). */
async function failClosed(look: () => Promise<string | undefined>): Promise<string | undefined> {
  try {
    return await look();
  } catch (thrown) {
    if (codeOf(thrown) === undefined) throw thrown;
    return `what it reads could not be looked at (${messageOf(thrown)})`;
  }
}

async function usesProblem(
  uses: readonly Use[],
  place: Place,
  ground: Ground,
  denies: ReadDenier | undefined,
): Promise<string | undefined> {
  const problems = await Promise.all(uses.map((use) => useProblem(use, place, ground, denies)));
  return problems.find((problem) => problem !== undefined);
}

async function useProblem(
  use: Use,
  place: Place,
  ground: Ground,
  denies: ReadDenier | undefined,
): Promise<string | undefined> {
  const { directories } = use;
  if (use.kind === "repository") {
    const here = await follow({ kind: "known", text: ".", value: ".", home: false }, directories, ground);
    if (typeof here === "string") return here;
    for (const { path } of here) {
      const problem = await repositoryProblem(path, use.tree, ground.files);
      if (problem !== undefined) return problem;
    }
    return undefined;
  }
  const { word } = use;
  if (literalOf(word) === "/dev/null") return undefined;
  const found = await follow(word, directories, ground);
  if (typeof found === "string") return found;
  for (const { path, spelled } of found) {
    if (word.kind === "glob" && spelled.startsWith("-")) return `${spelled} would be taken for a flag`;
    if (below(place.root, path) === undefined && below(place.scratch, path) === undefined)
      return `it reads ${path}, outside the workspace`;
    if (mayHoldCredentials(path) || mayHoldCredentials(spelled))
      return `it reads ${path}, which may hold a key or password`;
    const denied = use.deep === undefined ? undefined : denies?.below(path);
    if (denied !== undefined) return `it may also read what the rule deny "${printRule(denied)}" forbids`;
    const inside = use.deep === undefined ? undefined : await credentialsIn(path, use.deep, ground.files);
    if (inside !== undefined) return `it also reads ${inside}, which may hold a key or password`;
  }
  return undefined;
}

/** A look into the directory itself: that far a search is known not to show a key (see docs/threat-model.md). */
async function credentialsIn(
  path: string,
  deep: "all" | "visible",
  files: Files,
): Promise<string | undefined> {
  if ((await files.stat(path))?.kind !== "directory") return undefined;
  const entries = await files.list(path);
  if (entries.length > LIST_ENTRIES_MAX) return undefined;
  return entries.find(
    ({ name, kind }) =>
      kind !== "directory" && (deep === "all" || !name.startsWith(".")) && mayHoldCredentials(name),
  )?.name;
}

/** Follows every word that may be a path, to what nobody but a person may grant. */
async function guardedWord(
  { commands, redirections, overLimit }: Analysis,
  ground: Ground,
  ownDirectories: readonly string[],
): Promise<CommandFacts["guarded"]> {
  if (overLimit !== undefined) return undefined;
  const words = new Map<string, { readonly word: ShellWord; readonly directories: Use["directories"] }>();
  const add = (word: ShellWord | undefined, directories: Use["directories"]) => {
    for (const part of pathsIn(word))
      words.set(`${directories?.join("\n")}\0${part.text}\0${part.kind}`, { word: part, directories });
  };
  for (const { name, args, directories } of commands) {
    add(name, directories);
    for (const word of args) add(word, directories);
    for (const directory of directories ?? [])
      if (directory !== "")
        add({ kind: "known", text: directory, value: directory, home: directory.startsWith("~") }, [""]);
  }
  for (const { target, directories } of redirections) add(target, directories);
  if (words.size > WORDS_MAX)
    return { why: `it holds more than ${WORDS_MAX} words, too many to look at`, personOnly: false };
  const all = await Promise.all(
    [...words.values()].map(async ({ word, directories }) => {
      const found = await follow(word, directories ?? [""], ground);
      return typeof found === "string" ? undefined : found;
    }),
  );
  let credential: string | undefined;
  for (const { path, spelled } of all.flatMap((found) => found ?? [])) {
    const why = guardedPath(path, ownDirectories);
    if (why !== undefined) return { why, personOnly: true };
    if (mayHoldCredentials(path) || mayHoldCredentials(spelled)) credential ??= path;
  }
  return credential === undefined
    ? undefined
    : { why: `${credential} may hold a key or password`, personOnly: false };
}

const PATH_CHARACTERS_MAX = 1_024;

/** What of a word may be a path: the word, and what stands behind a `=` in it. */
function pathsIn(word: ShellWord | undefined): readonly ShellWord[] {
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
  // A value that is attached to the letter of its flag: `-f.env`.
  const attached = value.startsWith("--") ? "" : value.slice(2);
  return attached === "" ? [] : [{ kind: "known", text: attached, value: attached, home: false }];
}

async function programsOf({ commands }: Analysis, ground: Ground): Promise<ReadonlyMap<string, string>> {
  const names = new Map<string, { word: ShellWord; directories: Use["directories"] }>();
  for (const { name, directories } of commands) {
    const value = literalOf(name);
    if (name !== undefined && value?.includes("/") === true) names.set(value, { word: name, directories });
    if (names.size > WORDS_MAX) break;
  }
  const programs = new Map<string, string>();
  for (const [value, { word, directories }] of names) {
    const found = await follow(word, directories, ground);
    const path = typeof found === "string" ? undefined : found[0]?.path;
    if (path !== undefined) programs.set(value, path.slice(path.lastIndexOf("/") + 1));
  }
  return programs;
}
