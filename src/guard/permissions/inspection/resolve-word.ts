import { basename, dirname, join } from "node:path";
import type { DirectoryEntry, FileInfo, Files } from "../../../base/world.ts";
import { codeOf } from "../../../base/world.ts";
import type { Directories, ShellWord } from "../../../shell/analysis.ts";
import type { KeyFiles } from "../../sandbox/policy/key-files.ts";

/** Limits for a pattern: one with more matches, or more entries to search, is not resolved. */
const MATCHES_MAX = 512;
const ENTRIES_MAX = 4_096;

/** State for resolving the words of one command. */
export interface PathResolver {
  readonly files: Files;
  /** Absolute and resolved: the directory in which the line starts. */
  readonly cwd: string;
  /** Home directory for `~`; absent if unknown. */
  readonly home?: string;
  /** Cache of the paths that were resolved for this command. */
  readonly seen: Map<string, Promise<Resolved>>;
  /** Key files of this machine. Default: none is known. */
  readonly keys?: KeyFiles;
}

type Resolved = Pick<ResolvedWordPath, "path" | "exists"> | undefined;

/** Paths that a word of a command means; a string is the reason why they cannot be known. */
export type ResolvedWord = readonly ResolvedWordPath[] | string;

export interface ResolvedWordPath {
  /** Absolute, with every link resolved; for a missing file, below its nearest existing parent, resolved. */
  readonly path: string;
  readonly exists: boolean;
  /** The word as it was spelled, or the name that a pattern matches. */
  readonly spelled: string;
}

/**
 * Resolves a word of a command to the files it means, from every directory in which the command may run (S22, S23).
 *
 * A pattern is matched as bash would match it. Anything that cannot be resolved for sure is reported, never guessed.
 */
export async function resolveWord(
  word: ShellWord,
  directories: Directories,
  resolver: PathResolver,
): Promise<ResolvedWord> {
  if (directories === undefined) return `where ${word.text} leads depends on a cd that is not known`;
  if (word.kind === "variables" || word.kind === "unknown") return `${word.text} is only known when it runs`;
  const found: ResolvedWordPath[] = [];
  for (const directory of directories) {
    const start = await placeOf(directory, resolver);
    if (start === undefined) return `the directory ${directory} cannot be resolved`;
    if (word.kind === "known") {
      const spelled = word.home
        ? resolver.home && word.value.replace(/^~/, () => resolver.home ?? "")
        : word.value;
      if (spelled === undefined || spelled === "") return `${word.text} cannot be resolved`;
      const path = await resolved(spelled, start, resolver);
      if (path === undefined) return `${word.text} cannot be resolved`;
      found.push({ ...path, spelled });
    } else {
      const matches = await matchesOf(word, start, resolver);
      if (typeof matches === "string") return matches;
      found.push(...matches);
    }
  }
  return found;
}

/** Resolves the directory in which a part of the line runs; undefined if that fails. */
async function placeOf(directory: string, resolver: PathResolver): Promise<string | undefined> {
  const { cwd, home } = resolver;
  if (directory === "") return cwd;
  const spelled = directory.startsWith("~") ? home && directory.replace(/^~/, () => home) : directory;
  if (spelled === undefined) return undefined;
  // bash has already removed `..` from it as text.
  return (await resolvedPath(spelled.startsWith("/") ? spelled : join(cwd, spelled), resolver))?.path;
}

/** Resolves as the system does: a `..` after a link leads above the link's target. */
async function resolved(
  spelled: string,
  start: string,
  resolver: PathResolver,
): Promise<Pick<ResolvedWordPath, "path" | "exists"> | undefined> {
  if (spelled.includes("\0") || spelled.length > 4_096) return undefined;
  let at = spelled.startsWith("/") ? "/" : start;
  let exists = true;
  for (const part of spelled.split(/(?<=(?:^|\/)\.\.)\/|\/(?=\.\.(?:\/|$))/)) {
    if (part === "..") {
      at = dirname(at);
      continue;
    }
    if (part === "") continue;
    const next = await resolvedPath(join(at, part), resolver);
    if (next === undefined) return undefined;
    at = next.path;
    exists = next.exists;
  }
  return { path: at, exists };
}

function resolvedPath(path: string, resolver: PathResolver): Promise<Resolved> {
  const known = resolver.seen.get(path);
  if (known !== undefined) return known;
  const looked = lookedUp(path, resolver);
  resolver.seen.set(path, looked);
  return looked;
}

async function lookedUp(path: string, resolver: PathResolver): Promise<Resolved> {
  const { files } = resolver;
  // If the folder is known, one lookup is enough unless the path is a link.
  const folder = await resolver.seen.get(dirname(path));
  if (folder !== undefined) {
    const place = join(folder.path, basename(path));
    if (!folder.exists) return { path: place, exists: false };
    const info = await infoOf(place, files);
    if (info === "nothing") return { path: place, exists: false };
    if (info === "file" || info === "directory") return { path: place, exists: true };
  }
  try {
    return { path: await files.realpath(path), exists: true };
  } catch (thrown) {
    const code = codeOf(thrown);
    if (code !== "ENOENT" || dirname(path) === path) return undefined;
  }
  const parent = await resolvedPath(dirname(path), resolver);
  if (parent === undefined) return undefined;
  const place = join(parent.path, basename(path));
  // An existing entry that cannot be resolved is a dangling link.
  if (parent.exists && (await infoOf(place, files)) !== "nothing") return undefined;
  return { path: place, exists: false };
}

async function infoOf(path: string, files: Files): Promise<FileInfo["kind"] | "nothing" | "unseen"> {
  try {
    return (await files.lstat(path))?.kind ?? "nothing";
  } catch (thrown) {
    if (codeOf(thrown) === undefined) throw thrown;
    return "unseen"; // an entry that cannot be inspected is not resolved
  }
}

/** Returns the paths that a pattern matches: one folder after another, as bash does without globstar. */
async function matchesOf(
  word: Extract<ShellWord, { kind: "glob" }>,
  start: string,
  resolver: PathResolver,
): Promise<ResolvedWord> {
  const { files, home } = resolver;
  const pattern = word.home ? home && word.pattern.replace(/^~/, () => home) : word.pattern;
  if (pattern === undefined) return `${word.text} cannot be resolved`;
  const parts = pattern.split("/").filter((part, at) => part !== "" || at === 0);
  if (parts.some((part) => part === "..")) return `${word.text} leads through ..`;
  let places: readonly { readonly path: string; readonly spelled: string }[] = [
    pattern.startsWith("/") ? { path: "/", spelled: "/" } : { path: start, spelled: "" },
  ];
  for (const [index, part] of parts.entries()) {
    if (part === "") continue;
    const leadsOn = index < parts.length - 1;
    if (part === ".") {
      places = places.map(({ path, spelled }) => ({ path, spelled: `${spelled}./` }));
      continue;
    }
    const next: { path: string; spelled: string }[] = [];
    for (const place of places) {
      const names = await namesIn(place.path, part, files);
      if (typeof names === "string") return names;
      for (const { name, kind } of names) {
        if (leadsOn && kind === "file") continue; // nothing is below it
        const path = join(place.path, name);
        if (isPlain(kind, name)) resolver.seen.set(path, Promise.resolve({ path, exists: true }));
        const found = await resolvedPath(path, resolver);
        // A listed name that does not exist is not valid UTF-8.
        if (found === undefined || (kind !== undefined && !found.exists)) return `${name} cannot be resolved`;
        if (!found.exists) continue;
        next.push({
          path: found.path,
          spelled: `${place.spelled}${/^$|\/$/.test(place.spelled) ? "" : "/"}${name}`,
        });
        if (next.length > MATCHES_MAX) return `${word.text} matches more than ${MATCHES_MAX} names`;
      }
    }
    places = next;
  }
  if (places.length > 0) return places.map((place) => ({ ...place, exists: true }));
  // bash leaves a pattern without matches as it is, and a file may have that very name.
  const literal = pattern.replaceAll(/\\(.)/gs, "$1");
  const path = await resolved(literal, start, resolver);
  return path === undefined ? `${word.text} cannot be resolved` : [{ ...path, spelled: literal }];
}

interface MatchingName {
  readonly name: string;
  /** Undefined if the name was not listed, and may not exist. */
  readonly kind?: DirectoryEntry["kind"];
}

/** Returns true if an entry of a resolved folder is no link, and its name was read without loss. */
function isPlain(kind: MatchingName["kind"], name: string): boolean {
  return (kind === "file" || kind === "directory") && !name.includes("\ufffd");
}

async function namesIn(
  directory: string,
  pattern: string,
  files: Files,
): Promise<readonly MatchingName[] | string> {
  const literal = literalPart(pattern);
  if (literal !== undefined) return [{ name: literal }];
  let entries: Awaited<ReturnType<Files["list"]>>;
  try {
    entries = await files.list(directory);
  } catch (thrown) {
    const code = codeOf(thrown);
    if (code === "ENOENT" || code === "ENOTDIR") return [];
    if (code === undefined) throw thrown;
    return `${directory} cannot be looked into`;
  }
  if (entries.length > ENTRIES_MAX) return `${directory} has more than ${ENTRIES_MAX} entries`;
  const hidden = pattern.startsWith(".") || pattern.startsWith("[");
  return entries.filter(({ name }) => (hidden || !name.startsWith(".")) && mayMatch(name, pattern));
}

function literalPart(pattern: string): string | undefined {
  const unescaped = pattern.replaceAll(/\\(.)/gs, "");
  return /[*?[]/.test(unescaped) ? undefined : pattern.replaceAll(/\\(.)/gs, "$1");
}

const ANY = Symbol("any characters");

/**
 * Returns true if bash may match a name by a pattern. What a class or `?` matches depends on the locale: each counts
 * as any characters. Never backtracks further than to the last of those, so it cannot explode.
 */
function mayMatch(name: string, pattern: string): boolean {
  const tokens = Array.from(
    pattern.matchAll(/\\(.)|(\[[!^]?\]?[^\]]*\]|[*?])|(.)/gsu),
    ([, escaped, any, plain]) => (any === undefined ? (escaped ?? plain ?? "") : ANY),
  );
  const letters = Array.from(name);
  let [at, inTokens, star, starAt] = [0, 0, -1, 0];
  while (at < letters.length) {
    if (tokens[inTokens] === ANY) {
      star = inTokens++;
      starAt = at;
    } else if (tokens[inTokens] === letters[at]) {
      inTokens++;
      at++;
    } else if (star >= 0) {
      inTokens = star + 1;
      at = ++starAt;
    } else return false;
  }
  while (tokens[inTokens] === ANY) inTokens++;
  return inTokens === tokens.length;
}
