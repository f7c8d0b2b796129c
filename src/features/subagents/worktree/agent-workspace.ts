import { join } from "node:path";
import type { PromptText } from "../../../base/brand.ts";
import { trustedText } from "../../../base/brand.ts";
import { messageOf } from "../../../base/errors.ts";
import type { HarnessPaths } from "../../../base/files/harness-paths.ts";
import { worktreesFolder } from "../../../base/files/harness-paths.ts";
import { visibleLine } from "../../../safety/hidden.ts";
import type { SessionHost } from "../../../session/host.ts";
import type { SpawnRequest } from "../tools/spawn-agent.ts";
import { openGit } from "./git.ts";
import type { WorktreeContext } from "./worktree.ts";
import { closeWorktree, openWorktree, worktreeText } from "./worktree.ts";
import { WorktreeRecords } from "./worktree-record.ts";

/** The worktree of one running sub-agent. */
export interface AgentWorkspace {
  readonly root: string;
  readonly hint: PromptText;
  /** Closes the worktree. Returns sentences about what was left, for the caller of the sub-agent. Never throws. */
  end(): Promise<readonly string[]>;
}

/** Returns the tools and folders for creating and recording worktrees. */
export async function worktreeContext(
  { world, paths, environment, writable }: Pick<SessionHost, "world" | "paths" | "environment" | "writable">,
  root: string,
): Promise<WorktreeContext> {
  const git = await openGit(world, {
    path: environment?.["PATH"],
    writable: [root, ...writable.all],
  });
  return {
    world,
    git,
    records: new WorktreeRecords(world.files, worktreeRecordsFolder(paths)),
    folder: worktreesFolder(paths),
  };
}

export function worktreeRecordsFolder({ data }: HarnessPaths): string {
  return join(data, "worktrees");
}

/** @throws HarnessError WorktreeFailed; the signal's reason. */
export async function openAgentWorkspace(
  { parentCall, agents, signal }: SpawnRequest,
  host: Pick<SessionHost, "world" | "paths" | "environment" | "sandbox" | "writable">,
  workspace: string,
): Promise<AgentWorkspace> {
  const place = await worktreeContext(host, workspace);
  const agent = agents.at(-1) ?? "agent";
  const tree = await openWorktree({ callId: parentCall, agent, workspace }, place, signal);
  const { root, isParentDirty, record } = tree;
  return {
    root,
    hint: trustedText(
      `You work in a git worktree of your own, ${visibleLine(root)}, which stands at the commit ${record.base.slice(0, 12)}: paths and commands begin there, and nothing outside of it is yours to change. You may commit there, on no branch: ${visibleLine(record.branch)} will stand at your last commit when you end. What you leave uncommitted is kept too.`,
    ),
    async end() {
      const dirty = isParentDirty
        ? ["It began at HEAD: what was not committed here was not in its worktree."]
        : [];
      try {
        await host.sandbox.leave(root);
        return [...dirty, worktreeText(tree, await closeWorktree(tree, place))];
      } catch (thrown) {
        return [
          ...dirty,
          `What it left in the worktree ${record.path} could not be inspected, and stays there: ${messageOf(thrown)}`,
        ];
      }
    },
  };
}
