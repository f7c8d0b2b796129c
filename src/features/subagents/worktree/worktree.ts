import { basename, dirname, join } from "node:path";
import type { CallId } from "../../../base/ids.ts";
import { count, shortened } from "../../../base/text/text.ts";
import type { World } from "../../../base/world.ts";
import { visibleLine } from "../../../safety/hidden.ts";
import { isInside } from "../../../tools/containment.ts";
import type { Git, GitFor } from "./git.ts";
import { worktreeFailed, worktreeStays } from "./git.ts";
import { findParentRepository } from "./parent-repository.ts";
import { removeSpecialFiles } from "./special-files.ts";
import type { WorktreeRecord, WorktreeRecords } from "./worktree-record.ts";

/** Changed files named in a result. */
const NAMED_MAX = 20;
/** Commits named in a result. */
const COMMITS_NAMED_MAX = 10;
const SUBJECT_CHARACTERS_MAX = 100;
const NAME_CHARACTERS_MAX = 200;
const COMMIT_HASH = /^[0-9a-f]{40,64}$/;

export interface WorktreeContext {
  readonly world: Pick<World, "files" | "clock" | "machine">;
  readonly git: GitFor;
  readonly records: WorktreeRecords;
  /** The folder for worktrees, outside every repository and outside cinch's own data. */
  readonly folder: string;
}

/** A worktree that a sub-agent works in. */
export interface Worktree {
  /** The sub-agent's workspace: the same folder of the repository as its parent's. */
  readonly root: string;
  readonly record: WorktreeRecord;
  /** Git's own folder of this worktree in its repository, resolved. */
  readonly gitDirectory: string;
  /** True if the parent's tree has changes, which the worktree does not contain. */
  readonly isParentDirty: boolean;
}

export interface WorktreeRequest {
  readonly callId: CallId;
  readonly agent: string;
  /** The parent's resolved workspace. */
  readonly workspace: string;
}

/**
 * Creates a worktree with a branch, from the current commit of the parent's repository (ENG-28).
 *
 * HEAD stays detached while a sub-agent works in it, so that committing needs no right to write a reference of the
 * repository. `closeWorktree` moves the branch to the last commit.
 *
 * Nothing of the parent's working tree, index, HEAD, configuration or hooks changes. The repository gets only the
 * branch and git's own files of the worktree. A record is written first.
 * @throws HarnessError WorktreeFailed, leaving nothing behind; the signal's reason.
 */
export async function openWorktree(
  { callId, agent, workspace }: WorktreeRequest,
  place: WorktreeContext,
  signal: AbortSignal,
): Promise<Worktree> {
  const { world, records, folder } = place;
  const { top: repository, prefix, common } = await findParentRepository(workspace, place, signal);
  const git = place.git(common);
  const base = await headOf(git, repository, signal);
  const status = await git(workspace, STATUS, signal);
  const id = callId.slice("call_".length).toLowerCase();
  const record: WorktreeRecord = {
    id,
    repository,
    path: join(folder, id),
    branch: `cinch/${agent}-${id}`,
    base,
    agent,
    createdAt: new Date(world.clock.now()).toISOString(),
    pid: world.machine.pid,
    processStart: world.machine.processStart,
  };
  await world.files.makeDirectory(folder, 0o700);
  await records.write(record);
  try {
    await git(repository, ["update-ref", `refs/heads/${record.branch}`, base, ""], signal);
    await git(repository, ["worktree", "add", "--quiet", "--detach", record.path, base], signal);
    const gitDirectory = (await git(record.path, ["rev-parse", "--absolute-git-dir"], signal)).trim();
    if (
      dirname(gitDirectory) !== join(common, "worktrees") ||
      (await world.files.realpath(gitDirectory)) !== gitDirectory
    )
      throw worktreeFailed(`${join(common, "worktrees")} became a link while it was made`);
    const root = await rootIn(record.path, prefix, world.files);
    return { root, record, gitDirectory, isParentDirty: status !== "" };
  } catch (thrown) {
    // The original error is thrown; a later check finds leftovers.
    await discard(record, place, { git, tip: base }).catch(() => undefined);
    throw thrown;
  }
}

/**
 * Returns the resolved folder of a worktree that corresponds to the workspace, or its top if HEAD has no such folder.
 * @throws HarnessError WorktreeFailed if a committed link leads out of the worktree.
 */
async function rootIn(
  path: string,
  prefix: string,
  files: WorktreeContext["world"]["files"],
): Promise<string> {
  const [top, inside] = [await files.realpath(path), join(path, prefix)];
  if ((await files.stat(inside))?.kind !== "directory") return top;
  const root = await files.realpath(inside);
  if (isInside(top, root)) return root;
  throw worktreeFailed(`${prefix} is a link at HEAD, and leads out of the worktree to ${root}`);
}

/** Returns the repository's common folder, given git's own folder of a worktree. */
function commonOf(gitDirectory: string): string {
  return dirname(dirname(gitDirectory));
}

const STATUS = ["status", "--porcelain", "-z", "--untracked-files=all", "--ignore-submodules=dirty"];

/** The outcome of a worktree: removed if unchanged, otherwise kept. */
export type WorktreeEnd = { readonly kind: "removed" } | ({ readonly kind: "kept" } & WorktreeState);

/**
 * Removes an unchanged worktree. Otherwise moves its branch to its HEAD and attaches HEAD to the branch.
 * @throws HarnessError WorktreeFailed; the worktree and its record then stay.
 */
export async function closeWorktree(worktree: Worktree, place: WorktreeContext): Promise<WorktreeEnd> {
  const { record } = worktree;
  const state = await stateOf(worktree, place);
  if (state.changed.length === 0 && state.commits === 0) {
    await discard(record, place, { git: place.git(commonOf(worktree.gitDirectory)), tip: record.base });
    return { kind: "removed" };
  }
  await moveBranch(worktree, place);
  await place.records.write({ ...record, kept: true });
  return { kind: "kept", ...state };
}

interface WorktreeState {
  readonly changed: readonly string[];
  readonly commits: number;
  /** The latest commits, newest first: a short hash and the subject of each, as its sub-agent wrote it. */
  readonly named: readonly string[];
  /** Files that it had created among git's own files, and that were removed. */
  readonly specialFiles: readonly string[];
}

/**
 * Moves the worktree's branch to its HEAD commit and attaches HEAD to it. Another branch that HEAD names is read,
 * never written.
 *
 * Git would append to an existing log of the branch, wherever that leads, so such a log is rejected. HEAD is written
 * without git.
 */
async function moveBranch({ record, gitDirectory }: Worktree, place: WorktreeContext): Promise<void> {
  const { signal } = new AbortController();
  const { repository, path, branch, base } = record;
  const { files } = place.world;
  const common = commonOf(gitDirectory);
  const git = place.git(common);
  const reference = `refs/heads/${branch}`;
  const head = await headOfWorktree({ path, gitDirectory }, git, signal);
  const log = join(common, "logs", reference);
  if ((await files.lstat(log)) !== undefined)
    throw worktreeFailed(`something has created ${log}; check it, and remove it`);
  if (head !== base) await git(repository, ["update-ref", "--no-deref", reference, head, base], signal);
  await files.writeResolved(join(gitDirectory, "HEAD"), `ref: ${reference}\n`);
}

async function headOfWorktree(
  { path, gitDirectory }: { readonly path: string; readonly gitDirectory: string },
  git: Git,
  signal: AbortSignal,
): Promise<string> {
  const at = [`--git-dir=${gitDirectory}`, `--work-tree=${path}`];
  return (await git(path, [...at, "rev-parse", "--verify", "HEAD^{commit}"], signal)).trim();
}

/** Reads the state through git's own folder of the worktree, so that a changed `.git` file has no effect. */
async function stateOf(
  { record: { path, base }, gitDirectory }: Pick<Worktree, "record" | "gitDirectory">,
  place: WorktreeContext,
): Promise<WorktreeState> {
  const { world } = place;
  const git = place.git(commonOf(gitDirectory));
  const { signal } = new AbortController(); // a cancelled sub-agent's changes are read too
  const specialFiles = await removeSpecialFiles(gitDirectory, world.files);
  const at = [`--git-dir=${gitDirectory}`, `--work-tree=${path}`];
  const status = await git(path, [...at, ...STATUS], signal);
  const changed = status.split("\0").flatMap((line) => (line === "" ? [] : [line.slice(3)]));
  const commitRange = ["HEAD", "--not", base];
  const commits = Number(await git(path, [...at, "rev-list", "--count", ...commitRange], signal));
  const last = [...at, "rev-list", "--oneline", `--max-count=${COMMITS_NAMED_MAX}`, ...commitRange];
  const named = commits === 0 ? [] : (await git(path, last, signal)).trimEnd().split("\n");
  const links = (await git(path, [...at, "ls-files", "--stage", "-z"], signal)).split("\0");
  for (const link of links.filter((line) => line.startsWith("160000 "))) {
    const folder = link.slice(link.indexOf("\t") + 1);
    const at = join(path, folder);
    // Git does not look into submodules here. One that is no longer empty was changed.
    const isFilled =
      (await world.files.stat(at))?.kind === "directory" && (await world.files.list(at)).length > 0;
    if (isFilled) changed.push(folder);
  }
  return { changed, commits, named, specialFiles };
}

/** Removes a worktree, its record, and its branch if that still points to `tip`. */
async function discard(
  { id, repository, path, branch }: WorktreeRecord,
  { records, world }: WorktreeContext,
  { git, tip }: { readonly git: Git; readonly tip: string },
): Promise<void> {
  const { signal } = new AbortController();
  if ((await world.files.lstat(path)) !== undefined)
    await git(repository, ["worktree", "remove", "--force", path], signal);
  else await git(repository, ["worktree", "prune"], signal);
  if ((await tipOf(repository, branch, { git, signal })) !== "")
    await git(repository, ["update-ref", "--no-deref", "-d", `refs/heads/${branch}`, tip], signal);
  await records.remove(id);
}

/** Returns the commit of a branch; empty if there is no such branch. */
async function tipOf(repository: string, branch: string, { git, signal }: GitCall): Promise<string> {
  const asked = ["for-each-ref", "--format=%(objectname)", `refs/heads/${branch}`];
  return (await git(repository, asked, signal)).trim();
}

/** Describes what a sub-agent has left, for readers of its result. */
export function worktreeText({ record: { path, branch, base } }: Worktree, end: WorktreeEnd): string {
  if (end.kind === "removed") return "It changed nothing in its worktree, which was removed.";
  const { changed, commits, specialFiles } = end;
  const named = changed
    .slice(0, NAMED_MAX)
    .map((name) => shortened(visibleLine(name), NAME_CHARACTERS_MAX))
    .join(", ");
  const more = changed.length > NAMED_MAX ? ` and ${changed.length - NAMED_MAX} more` : "";
  const files =
    changed.length === 0
      ? ""
      : ` ${count(changed.length, "file")} changed and not committed: ${named}${more}.`;
  const subjects = end.named.map((line) => shortened(visibleLine(line), SUBJECT_CHARACTERS_MAX)).join("; ");
  const earlier = commits > end.named.length ? `; and ${commits - end.named.length} earlier` : "";
  const commitText =
    commits === 0 ? " Nothing is committed." : ` ${count(commits, "commit")} on it: ${subjects}${earlier}.`;
  const strange =
    specialFiles.length === 0
      ? ""
      : ` It had put links or pipes among git's own files, which were removed: ${specialFiles.slice(0, NAMED_MAX).map(visibleLine).join(", ")}.`;
  return `Its work is in the worktree ${path} alone, on the branch ${branch}, made of ${base.slice(0, 12)}.${commitText}${files}${strange}`;
}

/**
 * Removes a sub-agent's leftover worktree if nothing exists only there: no uncommitted file, and no commit
 * unreachable from another branch or the HEAD of its repository.
 * @throws HarnessError WorktreeStays otherwise.
 */
export async function removeWorktree(
  record: WorktreeRecord,
  place: WorktreeContext,
  signal: AbortSignal,
): Promise<void> {
  const { id, path, repository, branch, base } = record;
  const { files } = place.world;
  if ((await files.stat(repository)) === undefined) {
    if ((await files.lstat(path)) !== undefined)
      throw worktreeStays(
        `its repository ${repository} is gone, so what is in ${path} cannot be compared; remove that folder yourself`,
      );
    await place.records.remove(id);
    return;
  }
  const { common } = await findParentRepository(repository, place, signal);
  const git = place.git(common);
  const isThere = (await files.lstat(path)) !== undefined;
  const inside = isThere
    ? await inspectWorktree(record, { common, place, signal })
    : { changed: 0, heads: [] };
  const tip = await tipOf(repository, branch, { git, signal });
  const commits = [...inside.heads, ...(tip === "" ? [] : [tip])];
  const ownChanges = {
    files: inside.changed,
    commits: await countUnmerged(commits, record, { git, signal }),
  };
  if (ownChanges.files > 0 || ownChanges.commits > 0)
    throw worktreeStays(unmergedText(record, { ...ownChanges, isThere, tip }));
  await discard(record, place, { git, tip: tip === "" ? base : tip });
}

interface UnmergedChanges {
  readonly files: number;
  readonly commits: number;
  readonly isThere: boolean;
  readonly tip: string;
}

function unmergedText(
  { id, path, repository, branch }: WorktreeRecord,
  { files, commits, isThere, tip }: UnmergedChanges,
): string {
  const changes = [
    ...(files === 0 ? [] : [`${count(files, "file")} not committed`]),
    ...(commits === 0 ? [] : [`${count(commits, "commit")} that no other branch has`]),
  ].join(", ");
  const away = [
    ...(isThere ? [`git -C ${repository} worktree remove --force ${path}`] : []),
    ...(tip === "" ? [] : [`git -C ${repository} branch -D ${branch}`]),
    `cinch agents remove ${id}`,
  ].join(" && ");
  return `${isThere ? path : `the branch ${branch}`} holds changes: ${changes}. To throw them away: ${away}`;
}

interface GitCall {
  readonly git: Git;
  readonly signal: AbortSignal;
}

/** Counts the changed files of an existing worktree, and returns the commit at its HEAD. */
async function inspectWorktree(
  record: WorktreeRecord,
  {
    common,
    place,
    signal,
  }: { readonly common: string; readonly place: WorktreeContext; readonly signal: AbortSignal },
): Promise<{ readonly changed: number; readonly heads: readonly string[] }> {
  const { path, repository } = record;
  const gitDirectory = join(common, "worktrees", basename(path));
  if ((await place.world.files.lstat(gitDirectory))?.kind !== "directory")
    throw worktreeStays(`${repository} knows nothing of the worktree ${path}`);
  const { changed } = await stateOf({ record, gitDirectory }, place);
  const head = await headOfWorktree({ path, gitDirectory }, place.git(common), signal);
  return { changed: changed.length, heads: [head] };
}

/** Counts the commits that would be lost with the worktree and its branch. */
async function countUnmerged(
  commits: readonly string[],
  { repository, branch, base }: WorktreeRecord,
  { git, signal }: GitCall,
): Promise<number> {
  if (commits.length === 0) return 0;
  const head = await commitAtHead(git, repository, signal);
  const others = [base, ...(head === "" ? [] : [head]), `--exclude=${branch}`, "--branches"];
  return Number(await git(repository, ["rev-list", "--count", ...commits, "--not", ...others], signal));
}

async function headOf(git: Git, repository: string, signal: AbortSignal): Promise<string> {
  const base = await commitAtHead(git, repository, signal);
  if (!COMMIT_HASH.test(base)) throw worktreeFailed(`${repository} has no commit yet`);
  return base;
}

/** Returns the commit at HEAD; empty if the branch has no commit yet. */
async function commitAtHead(git: Git, repository: string, signal: AbortSignal): Promise<string> {
  const found = await git(repository, ["rev-parse", "--verify", "--quiet", "HEAD^{commit}"], signal).catch(
    () => "",
  );
  signal.throwIfAborted();
  return found.trim();
}
