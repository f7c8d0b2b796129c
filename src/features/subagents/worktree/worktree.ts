import { basename, dirname, join } from "node:path";
import type { CallId } from "../../../base/ids.ts";
import { count, shortened } from "../../../base/text/text.ts";
import type { World } from "../../../base/world.ts";
import { visible } from "../../../safety/hidden.ts";
import { isInside } from "../../../tools/containment.ts";
import type { Git, GitOf } from "./git.ts";
import { failed, stays } from "./git.ts";
import { removeOddFiles } from "./odd-files.ts";
import type { WorktreeRecord, WorktreeRecords } from "./record.ts";
import { repositoryAt } from "./repository.ts";

/** Changed files that are named in a result. */
const NAMED_MAX = 20;
/** Commits that are named in a result. */
const COMMITS_NAMED_MAX = 10;
const SUBJECT_CHARACTERS_MAX = 100;
const NAME_CHARACTERS_MAX = 200;
const NOTHING_IN_HEAD = /^[0-9a-f]{40,64}$/;

export interface WorktreePlace {
  readonly world: Pick<World, "files" | "clock" | "machine">;
  readonly git: GitOf;
  readonly records: WorktreeRecords;
  /** Where worktrees are made: outside of every repository, and of what cinch keeps for itself. */
  readonly folder: string;
}

/** A worktree that a sub-agent works in. */
export interface Worktree {
  /** What the sub-agent takes for its workspace: the same folder of the repository as its parent's. */
  readonly root: string;
  readonly record: WorktreeRecord;
  /** Git's own folder of this worktree, in that of its repository; no part of it is a link. */
  readonly gitDirectory: string;
  /** Whether the parent's tree has changes, which are not in it. */
  readonly isParentDirty: boolean;
}

export interface WantedWorktree {
  readonly callId: CallId;
  readonly agent: string;
  /** The parent's workspace, resolved. */
  readonly workspace: string;
}

/**
 * Makes a worktree and a branch for it, of the commit that the parent's repository stands at (ENG-28).
 *
 * Its HEAD stands on no branch while it is worked in: to commit takes no right to write a reference of the repository then.
 * Its end has the branch follow (`closeWorktree`).
 *
 * Nothing of the parent's working tree, index, HEAD, configuration or hooks is changed; the branch, and git's own notes of
 * the worktree, are all that comes to be in its repository. It is written down before it is made.
 * @throws HarnessError WorktreeFailed, where nothing stays; the signal's reason.
 */
export async function openWorktree(
  { callId, agent, workspace }: WantedWorktree,
  place: WorktreePlace,
  signal: AbortSignal,
): Promise<Worktree> {
  const { world, records, folder } = place;
  const { top: repository, prefix, common } = await repositoryAt(workspace, place, signal);
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
      throw failed(`${join(common, "worktrees")} became a link while it was made`);
    const root = await rootIn(record.path, prefix, world.files);
    return { root, record, gitDirectory, isParentDirty: status !== "" };
  } catch (thrown) {
    await discard(record, place, { git, tip: base }).catch(() => undefined); // what was thrown is told; a later look finds what stays
    throw thrown;
  }
}

/**
 * The folder of a worktree that stands for the workspace, resolved; its top where there is none at HEAD.
 * @throws HarnessError WorktreeFailed where a link that was committed leads out of it: what that names is nobody's workspace.
 */
async function rootIn(path: string, prefix: string, files: WorktreePlace["world"]["files"]): Promise<string> {
  const [top, inside] = [await files.realpath(path), join(path, prefix)];
  if ((await files.stat(inside))?.kind !== "directory") return top;
  const root = await files.realpath(inside);
  if (isInside(top, root)) return root;
  throw failed(`${prefix} is a link at HEAD, and leads out of the worktree to ${root}`);
}

/** Where the repository of a worktree is, by git's own folder of the worktree. */
function commonOf(gitDirectory: string): string {
  return dirname(dirname(gitDirectory));
}

const STATUS = ["status", "--porcelain", "-z", "--untracked-files=all", "--ignore-submodules=dirty"];

/** What became of a worktree: removed where nothing in it was changed, else kept. */
export type WorktreeEnd = { readonly kind: "removed" } | ({ readonly kind: "kept" } & WorktreeState);

/**
 * Removes it where nothing in it was changed; else its branch comes to stand where its HEAD does, and its HEAD on the branch.
 * @throws HarnessError WorktreeFailed; then it stays, and so does its record.
 */
export async function closeWorktree(worktree: Worktree, place: WorktreePlace): Promise<WorktreeEnd> {
  const { record } = worktree;
  const state = await stateOf(worktree, place);
  if (state.changed.length === 0 && state.commits === 0) {
    await discard(record, place, { git: place.git(commonOf(worktree.gitDirectory)), tip: record.base });
    return { kind: "removed" };
  }
  await takeOver(worktree, place);
  await place.records.write({ ...record, kept: true });
  return { kind: "kept", ...state };
}

interface WorktreeState {
  readonly changed: readonly string[];
  readonly commits: number;
  /** The last of the commits, the newest first: a short hash and the subject of each, as its sub-agent wrote it. */
  readonly named: readonly string[];
  /** What it had put among git's own files, and is removed. */
  readonly odd: readonly string[];
}

/**
 * What was committed, whatever its HEAD names: a branch of somebody else's is read there, and never written.
 *
 * Git would append to a log that is there, wherever that leads: of the branch nobody has made one, and HEAD is written here.
 */
async function takeOver({ record, gitDirectory }: Worktree, place: WorktreePlace): Promise<void> {
  const { signal } = new AbortController();
  const { repository, path, branch, base } = record;
  const { files } = place.world;
  const common = commonOf(gitDirectory);
  const git = place.git(common);
  const reference = `refs/heads/${branch}`;
  const head = await headOfWorktree({ path, gitDirectory }, git, signal);
  const log = join(common, "logs", reference);
  if ((await files.lstat(log)) !== undefined)
    throw failed(`somebody has made ${log}; look at it, and remove it`);
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

/** By git's own folder of it: a `.git` that was written there meanwhile says nothing. */
async function stateOf(
  { record: { path, base }, gitDirectory }: Pick<Worktree, "record" | "gitDirectory">,
  place: WorktreePlace,
): Promise<WorktreeState> {
  const { world } = place;
  const git = place.git(commonOf(gitDirectory));
  const { signal } = new AbortController(); // also of one that was cancelled: what it left is looked at
  const odd = await removeOddFiles(gitDirectory, world.files);
  const at = [`--git-dir=${gitDirectory}`, `--work-tree=${path}`];
  const status = await git(path, [...at, ...STATUS], signal);
  const changed = status.split("\0").flatMap((line) => (line === "" ? [] : [line.slice(3)]));
  const own = ["HEAD", "--not", base];
  const commits = Number(await git(path, [...at, "rev-list", "--count", ...own], signal));
  const last = [...at, "rev-list", "--oneline", `--max-count=${COMMITS_NAMED_MAX}`, ...own];
  const named = commits === 0 ? [] : (await git(path, last, signal)).trimEnd().split("\n");
  const links = (await git(path, [...at, "ls-files", "--stage", "-z"], signal)).split("\0");
  for (const link of links.filter((line) => line.startsWith("160000 "))) {
    const folder = link.slice(link.indexOf("\t") + 1);
    const at = join(path, folder);
    // Git looks into no submodule here; one that was empty and is not any more was worked in.
    const isFilled =
      (await world.files.stat(at))?.kind === "directory" && (await world.files.list(at)).length > 0;
    if (isFilled) changed.push(folder);
  }
  return { changed, commits, named, odd };
}

/** Takes a worktree, its branch and its record away: the branch only while it stands where it was looked at. */
async function discard(
  { id, repository, path, branch }: WorktreeRecord,
  { records, world }: WorktreePlace,
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

/** The commit that a branch stands at; empty where there is no such branch. */
async function tipOf(repository: string, branch: string, { git, signal }: GitHere): Promise<string> {
  const asked = ["for-each-ref", "--format=%(objectname)", `refs/heads/${branch}`];
  return (await git(repository, asked, signal)).trim();
}

/** What a sub-agent has left, for whoever reads its result. */
export function worktreeText({ record: { path, branch, base } }: Worktree, end: WorktreeEnd): string {
  if (end.kind === "removed") return "It changed nothing in its worktree, which was removed.";
  const { changed, commits, odd } = end;
  const named = changed
    .slice(0, NAMED_MAX)
    .map((name) => shortened(visible(name), NAME_CHARACTERS_MAX))
    .join(", ");
  const more = changed.length > NAMED_MAX ? ` and ${changed.length - NAMED_MAX} more` : "";
  const files =
    changed.length === 0
      ? ""
      : ` ${count(changed.length, "file")} changed and not committed: ${named}${more}.`;
  const subjects = end.named.map((line) => shortened(visible(line), SUBJECT_CHARACTERS_MAX)).join("; ");
  const earlier = commits > end.named.length ? `; and ${commits - end.named.length} earlier` : "";
  const own =
    commits === 0 ? " Nothing is committed." : ` ${count(commits, "commit")} on it: ${subjects}${earlier}.`;
  const strange =
    odd.length === 0
      ? ""
      : ` It had put links or pipes among git's own files, which were removed: ${odd.slice(0, NAMED_MAX).map(visible).join(", ")}.`;
  return `Its work is in the worktree ${path} alone, on the branch ${branch}, made of ${base.slice(0, 12)}.${own}${files}${strange}`;
}

/**
 * Removes a worktree that its sub-agent has left, once nothing is in it alone: no file that is not committed, and no commit
 * that neither another branch nor the HEAD of its repository leads to.
 * @throws HarnessError WorktreeStays where there is such a thing.
 */
export async function removeWorktree(
  record: WorktreeRecord,
  place: WorktreePlace,
  signal: AbortSignal,
): Promise<void> {
  const { id, path, repository, branch, base } = record;
  const { files } = place.world;
  if ((await files.stat(repository)) === undefined) {
    if ((await files.lstat(path)) !== undefined)
      throw stays(
        `its repository ${repository} is gone, so nobody can tell what is in ${path}; remove that folder yourself`,
      );
    await place.records.remove(id);
    return;
  }
  const { common } = await repositoryAt(repository, place, signal);
  const git = place.git(common);
  const isThere = (await files.lstat(path)) !== undefined;
  const inside = isThere ? await insideOf(record, { common, place, signal }) : { changed: 0, heads: [] };
  const tip = await tipOf(repository, branch, { git, signal });
  const commits = [...inside.heads, ...(tip === "" ? [] : [tip])];
  const own = { files: inside.changed, commits: await notTakenOver(commits, record, { git, signal }) };
  if (own.files > 0 || own.commits > 0) throw stays(heldText(record, { ...own, isThere, tip }));
  await discard(record, place, { git, tip: tip === "" ? base : tip });
}

interface Held {
  readonly files: number;
  readonly commits: number;
  readonly isThere: boolean;
  readonly tip: string;
}

function heldText(
  { id, path, repository, branch }: WorktreeRecord,
  { files, commits, isThere, tip }: Held,
): string {
  const held = [
    ...(files === 0 ? [] : [`${count(files, "file")} not committed`]),
    ...(commits === 0 ? [] : [`${count(commits, "commit")} that no other branch has`]),
  ].join(", ");
  const away = [
    ...(isThere ? [`git -C ${repository} worktree remove --force ${path}`] : []),
    ...(tip === "" ? [] : [`git -C ${repository} branch -D ${branch}`]),
    `cinch agents remove ${id}`,
  ].join(" && ");
  return `${isThere ? path : `the branch ${branch}`} holds changes: ${held}. To throw them away: ${away}`;
}

interface GitHere {
  readonly git: Git;
  readonly signal: AbortSignal;
}

/** How many files of a worktree that is there are in it alone, and where its HEAD stands. */
async function insideOf(
  record: WorktreeRecord,
  {
    common,
    place,
    signal,
  }: { readonly common: string; readonly place: WorktreePlace; readonly signal: AbortSignal },
): Promise<{ readonly changed: number; readonly heads: readonly string[] }> {
  const { path, repository } = record;
  const gitDirectory = join(common, "worktrees", basename(path));
  if ((await place.world.files.lstat(gitDirectory))?.kind !== "directory")
    throw stays(`${repository} knows nothing of the worktree ${path}`);
  const { changed } = await stateOf({ record, gitDirectory }, place);
  const head = await headOfWorktree({ path, gitDirectory }, place.git(common), signal);
  return { changed: changed.length, heads: [head] };
}

/** Of what these commits lead to, how many would be lost with the worktree and its branch. */
async function notTakenOver(
  commits: readonly string[],
  { repository, branch, base }: WorktreeRecord,
  { git, signal }: GitHere,
): Promise<number> {
  if (commits.length === 0) return 0;
  const head = await commitAtHead(git, repository, signal);
  const others = [base, ...(head === "" ? [] : [head]), `--exclude=${branch}`, "--branches"];
  return Number(await git(repository, ["rev-list", "--count", ...commits, "--not", ...others], signal));
}

async function headOf(git: Git, repository: string, signal: AbortSignal): Promise<string> {
  const base = await commitAtHead(git, repository, signal);
  if (!NOTHING_IN_HEAD.test(base)) throw failed(`${repository} has no commit yet`);
  return base;
}

/** Empty where its HEAD stands on a branch that has no commit yet. */
async function commitAtHead(git: Git, repository: string, signal: AbortSignal): Promise<string> {
  const found = await git(repository, ["rev-parse", "--verify", "--quiet", "HEAD^{commit}"], signal).catch(
    () => "",
  );
  signal.throwIfAborted();
  return found.trim();
}
