import { defined } from "../../../base/defined.ts";
import { messageOf } from "../../../base/errors.ts";
import type { Files, World } from "../../../base/world.ts";
import { codeOf } from "../../../base/world.ts";
import { analyse } from "../../../shell/analyse.ts";
import type { Analysis, ShellCommand, ShellRedirection, ShellWord } from "../../../shell/analysis.ts";
import { literalOf } from "../../../shell/analysis.ts";
import type { KeyFiles } from "../../sandbox/policy/key-files.ts";
import type { ReadCheck, Use } from "../commands/grammar.ts";
import type { CommandFacts, CommandTarget } from "../judge/command-facts.ts";
import { keyNameOf } from "../judge/key-links.ts";
import { guardedPath, mayHoldCredentials } from "../judge/sensitive.ts";
import { matchedRules } from "../rules/matched-rules.ts";
import type { ReadRules } from "../rules/read-rules.ts";
import type { WorkspacePaths } from "../rules/workspace-paths.ts";
import { foldersOf, isInFolders } from "../rules/workspace-paths.ts";
import { gitRepositoryFinder, gitRunner } from "./find-git-repository.ts";
import { pathsInWord } from "./path-words.ts";
import { checkCommand, checkLine, checkRedirection } from "./read-checks.ts";
import type { PathResolver } from "./resolve-word.ts";
import { resolveWord } from "./resolve-word.ts";
import { workspaceProgramProblem } from "./search-path.ts";
import type { DiskChecks } from "./uses-problem.ts";
import { usesProblem } from "./uses-problem.ts";

/** Limit for the words of a line that are checked on disk; a line with more is asked about. */
const WORDS_MAX = 512;

/** Inputs for the inspection of a command line. */
export interface InspectionOptions {
  readonly files: Files;
  /** Environment of the command. Default: unknown; PATH is then the system's. */
  readonly env?: Readonly<Record<string, string>>;
  /** Access to the machine, to ask git. Default: no git command is known to only read. */
  readonly world?: Pick<World, "files" | "spawn" | "clock">;
  readonly ownDirectories: readonly string[];
  /** See `Policy`. */
  readonly steering?: readonly string[];
  /** Rules about reading. Default: no rule restricts reading. */
  readonly reading?: ReadRules | undefined;
  /** Key files of this machine. Default: none is known. */
  readonly keys?: KeyFiles;
}

/**
 * Inspects a command line: parses it, and resolves its words on disk (PERM-04, PERM-10, S14, S22).
 *
 * Runs nothing and writes nothing. What cannot be determined counts against the line.
 */
export async function inspectCommand(
  target: CommandTarget,
  workspace: WorkspacePaths,
  options: InspectionOptions,
): Promise<CommandFacts> {
  const analysis = analyse(target.command);
  const disk = diskChecks(target, workspace, options);
  const known = checkLine(analysis);
  const matches = await ruleMatchesOf(known, analysis, disk);
  const approvalReason = await approvalReasonOf(known, analysis.commands, disk);
  if (approvalReason === undefined)
    return { analysis, readOnlyParts: new Set(), programs: new Map(), ...matches };
  const [guarded, readOnlyParts, programs] = await Promise.all([
    guardedWord(analysis, disk.resolver, options),
    findReadOnlyParts(analysis, disk),
    programsOf(analysis, disk.resolver),
  ]);
  return {
    analysis,
    approvalReason,
    readOnlyParts,
    programs,
    ...matches,
    ...defined({ guarded }),
  };
}

/** One part of a line: a simple command, or a redirection. */
export interface InspectedPart {
  readonly text: string;
  /** Facts about a line of this part alone, in the directories in which the part runs. */
  readonly facts: CommandFacts;
}

/**
 * Inspects the parts of a compound line, each as a line of its own (PERM-14). Leaves out programs that only start the
 * next command, and redirections that are known to change nothing.
 *
 * @returns no parts for a line of one part, of more than `PARTS_MAX`, or one that cannot be read for certain.
 */
export async function inspectParts(
  { analysis, programs }: CommandFacts,
  target: CommandTarget,
  workspace: WorkspacePaths,
  options: InspectionOptions,
): Promise<readonly InspectedPart[]> {
  const { commands, redirections, structure, unsure, overLimit } = analysis;
  if (overLimit !== undefined || unsure.length > 0) return [];
  const parts = [
    ...commands
      .filter(({ wraps }) => wraps !== "plain")
      .map((part) => ({
        ...{ text: partText(part, redirections.length > 0), known: checkCommand(part, commands) },
        analysis: { ...analysis, commands: [part], redirections: [] },
      })),
    ...redirections
      .map((part) => ({
        ...{ text: `${part.operator} ${part.target?.text ?? ""}`.trimEnd(), known: checkRedirection(part) },
        analysis: { ...analysis, commands: [], redirections: [part] },
      }))
      .filter(({ known }) => known.kind === "unknown" || known.uses.length > 0),
  ];
  if (parts.length < 2 || parts.length > PARTS_MAX) return [];
  const disk = diskChecks(target, workspace, options);
  return await Promise.all(
    parts.map(async ({ text, known, analysis: alone }) => {
      const [reason, guarded, matches] = await Promise.all([
        approvalReasonOf(known, alone.commands, disk),
        guardedWord(alone, disk.resolver, options),
        ruleMatchesOf(known, alone, disk),
      ]);
      const approvalReason = reason ?? structure.problem;
      const facts = { analysis: alone, readOnlyParts: new Set<never>(), programs, ...matches };
      return { text, facts: { ...facts, ...defined({ approvalReason, guarded }) } };
    }),
  );
}

/** Returns a command without its redirections, which are parts of their own. */
function partText({ name, args, assignments, text }: ShellCommand, redirects: boolean): string {
  if (!redirects || name === undefined) return text;
  const set = assignments.map(({ name: variable, value }) => `${variable}=${value.text}`);
  return [...set, name.text, ...args.map((word) => word.text)].join(" ");
}

function diskChecks(
  target: CommandTarget,
  workspace: WorkspacePaths,
  { files, env = {}, world, reading, keys }: InspectionOptions,
): DiskChecks {
  const resolver: PathResolver = {
    files,
    cwd: target.cwd,
    seen: new Map(
      [target.cwd, ...foldersOf(workspace)].map((path) => [path, Promise.resolve({ path, exists: true })]),
    ),
    ...defined({ home: workspace.home, keys }),
  };
  const says = world && gitRunner(world, env, workspace);
  return {
    workspace,
    resolver,
    reading,
    path: env["PATH"],
    says,
    git: says && gitRepositoryFinder(says),
  };
}

async function ruleMatchesOf(
  known: ReadCheck,
  analysis: Analysis,
  { workspace, resolver, reading }: DiskChecks,
): Promise<Pick<CommandFacts, "ruleMatches">> {
  if (reading === undefined) return {};
  return {
    ruleMatches: await matchedRules(known, analysis, { folders: foldersOf(workspace), resolver }, reading),
  };
}

/** Returns why commands are not known to only read what the agent may read; undefined if they are. */
async function approvalReasonOf(
  known: ReadCheck,
  commands: readonly ShellCommand[],
  disk: DiskChecks,
): Promise<string | undefined> {
  if (!isInFolders(disk.workspace, disk.resolver.cwd)) return "it does not run in the workspace";
  if (known.kind === "unknown") return known.why;
  return await failClosed(
    async () => (await usesProblem(known.uses, disk)) ?? (await workspaceProgramProblem(commands, disk)),
  );
}

/** Limit for lines that are inspected part by part: rules concern such short lines. */
const PARTS_MAX = 32;

async function findReadOnlyParts(
  { commands, redirections }: Analysis,
  disk: DiskChecks,
): Promise<CommandFacts["readOnlyParts"]> {
  const readOnly = new Set<ShellCommand | ShellRedirection>();
  if (commands.length + redirections.length > PARTS_MAX || !isInFolders(disk.workspace, disk.resolver.cwd))
    return readOnly;
  const parts = [
    ...commands.map((part) => ({ part, known: checkCommand(part, commands) })),
    ...redirections.map((part) => ({ part, known: checkRedirection(part) })),
  ];
  await Promise.all(
    parts.map(async ({ part, known }) => {
      if (known.kind === "unknown" || known.uses.length > PARTS_MAX) return;
      const problem = await failClosed(
        async () =>
          (await usesProblem(known.uses, disk)) ??
          ("args" in part ? await workspaceProgramProblem([part], disk) : undefined),
      );
      if (problem === undefined) readOnly.add(part);
    }),
  );
  return readOnly;
}

/** An error of the disk counts against the line (S23). */
async function failClosed(look: () => Promise<string | undefined>): Promise<string | undefined> {
  try {
    return await look();
  } catch (thrown) {
    if (codeOf(thrown) === undefined) throw thrown;
    return `what it reads could not be inspected (${messageOf(thrown)})`;
  }
}

/** Resolves every word that may be a path, and returns what only a person may grant. */
async function guardedWord(
  { commands, redirections, overLimit }: Analysis,
  resolver: PathResolver,
  { ownDirectories, steering = [] }: InspectionOptions,
): Promise<CommandFacts["guarded"]> {
  if (overLimit !== undefined) return undefined;
  const words = new Map<string, { readonly word: ShellWord; readonly directories: Use["directories"] }>();
  const add = (word: ShellWord | undefined, directories: Use["directories"]) => {
    for (const part of pathsInWord(word))
      words.set(`${directories?.join("\n")}\0${part.text}\0${part.kind}`, { word: part, directories });
  };
  for (const { name, args, directories } of commands) {
    if (name?.text.includes("/") === true) add(name, directories); // any other name is searched in PATH
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
      const found = await resolveWord(word, directories ?? [""], resolver);
      return typeof found === "string" ? undefined : found;
    }),
  );
  let credential: string | undefined;
  for (const { path, spelled } of all.flatMap((found) => found ?? [])) {
    const why = guardedPath(path, { ownDirectories, steering });
    if (why !== undefined) return { why, personOnly: true };
    const key =
      resolver.keys === undefined ? undefined : await keyNameOf(path, resolver.files, resolver.keys);
    if (key !== undefined || mayHoldCredentials(path) || mayHoldCredentials(spelled))
      credential ??= key ?? path;
  }
  return credential === undefined
    ? undefined
    : { why: `${credential} may hold a key or password`, personOnly: false };
}

async function programsOf(
  { commands }: Analysis,
  resolver: PathResolver,
): Promise<ReadonlyMap<string, string>> {
  const names = new Map<string, { word: ShellWord; directories: Use["directories"] }>();
  for (const { name, directories } of commands) {
    const value = literalOf(name);
    if (name !== undefined && value?.includes("/") === true) names.set(value, { word: name, directories });
    if (names.size > WORDS_MAX) break;
  }
  const programs = new Map<string, string>();
  for (const [value, { word, directories }] of names) {
    const found = await resolveWord(word, directories, resolver);
    const path = typeof found === "string" ? undefined : found[0]?.path;
    if (path !== undefined) programs.set(value, path.slice(path.lastIndexOf("/") + 1));
  }
  return programs;
}
