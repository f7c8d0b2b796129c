import { messageOf } from "../../../base/errors.ts";
import { below } from "../../../base/files/below.ts";
import type { Files, World } from "../../../base/world.ts";
import { codeOf } from "../../../base/world.ts";
import { analyse } from "../../../shell/analyse.ts";
import type { Analysis, ShellCommand, ShellRedirection, ShellWord } from "../../../shell/analysis.ts";
import { literalOf } from "../../../shell/analysis.ts";
import type { KeyFiles } from "../../sandbox/policy/key-files.ts";
import type { Use } from "../commands/grammar.ts";
import type { CommandFacts, CommandTarget } from "../judge/facts.ts";
import { keyNameOf } from "../judge/key-links.ts";
import { guardedPath, mayHoldCredentials } from "../judge/sensitive.ts";
import { metRules } from "../rules/met-rules.ts";
import type { Place } from "../rules/place.ts";
import type { ReadRules } from "../rules/read-rules.ts";
import { askGit, gitSays } from "./ask-git.ts";
import { pathsIn } from "./path-words.ts";
import { knownCommand, knownRedirection, readsOnly } from "./reading.ts";
import type { Ground } from "./resolve.ts";
import { follow } from "./resolve.ts";
import { workspaceProgram } from "./search-path.ts";
import type { Disk } from "./uses.ts";
import { usesProblem } from "./uses.ts";

/** More words of a line are not looked at on the disk; it is asked for, then. */
const WORDS_MAX = 512;

/** What a look at a command line goes by. */
export interface Look {
  readonly files: Files;
  /** The environment that the command gets; absent where none is known, and then PATH is the system's. */
  readonly env?: Readonly<Record<string, string>>;
  /** Means to ask git. Absent: no command of git is known to only read. */
  readonly world?: Pick<World, "files" | "spawn" | "clock">;
  readonly ownDirectories: readonly string[];
  /** See `Policy`. */
  readonly steering?: readonly string[];
  /** Absent: no rule restricts reading anything. */
  readonly reading?: ReadRules | undefined;
  /** The key files of this machine. Absent: none is known. */
  readonly keys?: KeyFiles;
}

/**
 * Looks at a command line: reads it, and follows its words on the disk (PERM-04, PERM-10, S14, S22).
 *
 * Nothing is run and nothing is written. What cannot be found out counts against the line.
 */
export async function examine(
  target: CommandTarget,
  place: Place,
  { files, env = {}, world, ownDirectories, steering = [], reading, keys }: Look,
): Promise<CommandFacts> {
  const analysis = analyse(target.command);
  const ground: Ground = {
    files,
    cwd: target.cwd,
    seen: new Map([target.cwd, place.root].map((path) => [path, Promise.resolve({ path, exists: true })])),
    ...(place.home === undefined ? {} : { home: place.home }),
    ...(keys === undefined ? {} : { keys }),
  };
  const says = world && gitSays(world, env, place);
  const disk: Disk = { place, ground, reading, path: env["PATH"], says, git: says && askGit(says) };
  const known = readsOnly(analysis);
  const met =
    reading === undefined
      ? {}
      : { met: await metRules(known, analysis, { root: place.root, ground }, reading) };
  const loud =
    below(place.root, target.cwd) === undefined
      ? "it does not run in the workspace"
      : known.kind === "unknown"
        ? known.why
        : await failClosed(
            async () =>
              (await usesProblem(known.uses, disk)) ?? (await workspaceProgram(analysis.commands, disk)),
          );
  if (loud === undefined) return { analysis, quiet: new Set(), programs: new Map(), ...met };
  const [guarded, quiet, programs] = await Promise.all([
    guardedWord(analysis, ground, { ownDirectories, steering }),
    quietParts(analysis, disk),
    programsOf(analysis, ground),
  ]);
  return { analysis, loud, quiet, programs, ...met, ...(guarded === undefined ? {} : { guarded }) };
}

/** Only lines of few commands are looked through part by part: a rule is about such. */
const PARTS_MAX = 32;

async function quietParts({ commands, redirections }: Analysis, disk: Disk): Promise<CommandFacts["quiet"]> {
  const quiet = new Set<ShellCommand | ShellRedirection>();
  if (
    commands.length + redirections.length > PARTS_MAX ||
    below(disk.place.root, disk.ground.cwd) === undefined
  )
    return quiet;
  const parts = [
    ...commands.map((part) => ({ part, known: knownCommand(part, commands) })),
    ...redirections.map((part) => ({ part, known: knownRedirection(part) })),
  ];
  await Promise.all(
    parts.map(async ({ part, known }) => {
      if (known.kind === "unknown" || known.uses.length > PARTS_MAX) return;
      const problem = await failClosed(
        async () =>
          (await usesProblem(known.uses, disk)) ??
          ("args" in part ? await workspaceProgram([part], disk) : undefined),
      );
      if (problem === undefined) quiet.add(part);
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

/** Follows every word that may be a path, to what nobody but a person may grant. */
async function guardedWord(
  { commands, redirections, overLimit }: Analysis,
  ground: Ground,
  own: Parameters<typeof guardedPath>[1],
): Promise<CommandFacts["guarded"]> {
  if (overLimit !== undefined) return undefined;
  const words = new Map<string, { readonly word: ShellWord; readonly directories: Use["directories"] }>();
  const add = (word: ShellWord | undefined, directories: Use["directories"]) => {
    for (const part of pathsIn(word))
      words.set(`${directories?.join("\n")}\0${part.text}\0${part.kind}`, { word: part, directories });
  };
  for (const { name, args, directories } of commands) {
    if (name?.text.includes("/") === true) add(name, directories); // any other is looked for in PATH
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
    const why = guardedPath(path, own);
    if (why !== undefined) return { why, personOnly: true };
    const key = ground.keys === undefined ? undefined : await keyNameOf(path, ground.files, ground.keys);
    if (key !== undefined || mayHoldCredentials(path) || mayHoldCredentials(spelled))
      credential ??= key ?? path;
  }
  return credential === undefined
    ? undefined
    : { why: `${credential} may hold a key or password`, personOnly: false };
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
