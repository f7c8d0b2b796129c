import { join } from "node:path";
import { decode } from "../../base/text/text.ts";
import type { Files } from "../../base/world.ts";
import { codeOf, FileTooLarge } from "../../base/world.ts";
import { isInWorkspace } from "../containment.ts";
import type { ToolContext, Workspace } from "../tool.ts";

const REPORT_BYTES_MAX = 16_384;

/** Returns the file that the shell of one call writes its last directory to. */
export function reportPath(workspace: Workspace, callId: string): string {
  return join(workspace.scratch, `${callId}.cwd`);
}

/**
 * Returns the directory of the next command: that of the last one, or the root if it no longer exists or was moved.
 */
export async function nextDirectory(
  files: Files,
  { root, cwd }: Workspace,
): Promise<{ readonly cwd: string; readonly lost?: string }> {
  return (await isUnchangedDirectory(files, cwd)) ? { cwd } : { cwd: root, lost: cwd };
}

/** Returns true if a resolved path still leads to a directory of the same path. */
export async function isUnchangedDirectory(files: Files, directory: string): Promise<boolean> {
  return (await resolved(files, directory)) === directory;
}

export interface ShellEnd {
  /** Absent if it could not be created, or is not needed. */
  readonly report?: string;
  /** True if the shell certainly ended where it began. */
  readonly stays: boolean;
  /** Directory in which the command started. */
  readonly cwd: string;
  /** True if the shell ended by itself, so that a missing report means it was replaced. */
  readonly replaced: boolean;
}

/**
 * Updates the session's working directory to the shell's last one, inside the workspace.
 *
 * Returns notes for the model; empty if the directory is unchanged or was updated.
 */
export async function updateWorkingDirectory(
  { world, workspace }: ToolContext,
  { report, stays, cwd, replaced }: ShellEnd,
): Promise<readonly string[]> {
  const reported = stays ? cwd : report === undefined ? undefined : await takeReport(world.files, report);
  workspace.cwd = cwd;
  if (reported === undefined) {
    return replaced ? [`[The shell did not tell its last directory; the next command runs in ${cwd}]`] : [];
  }
  const path = await resolved(world.files, reported);
  if (path === undefined) {
    workspace.cwd = workspace.root;
    return [`[The working directory is gone; the next command runs in ${workspace.root}]`];
  }
  if (!isInWorkspace(workspace, path)) {
    return [`[${path} is outside the workspace; the next command runs in ${cwd}]`];
  }
  workspace.cwd = path;
  return [];
}

/** Reads the report and removes it. Returns undefined if the shell wrote none. */
async function takeReport(files: Files, report: string): Promise<string | undefined> {
  try {
    const text = decode(await files.read(report, REPORT_BYTES_MAX));
    await files.remove(report);
    return text === "" ? undefined : text.replace(/\n$/, "");
  } catch (thrown) {
    if (codeOf(thrown) === "ENOENT") return undefined;
    if (thrown instanceof FileTooLarge) return ""; // no directory has such a name
    throw thrown;
  }
}

/** Returns undefined if there is no directory. */
async function resolved(files: Files, path: string): Promise<string | undefined> {
  if (!path.startsWith("/")) return undefined;
  try {
    return await files.realpath(`${path}/.`); // the dot resolves in directories only
  } catch (thrown) {
    if (codeOf(thrown) === undefined) throw thrown;
    return undefined;
  }
}
