import { repositoryRoot } from "../../config/repository-root.ts";
import { readExtensions } from "../../guard/trust/project-files.ts";
import type { ReadSettings } from "../../session/commands/cli-command.ts";
import type { SettingsHere } from "../../session/feature.ts";
import { WritableFolders } from "../../session/guard/writable-folders.ts";
import type { ToolTable } from "../../tools/tool-facts.ts";
import { readAgentSet } from "./definitions/agent-set.ts";
import type { AgentDefinition } from "./definitions/definition.ts";
import { AGENT_FILES } from "./definitions/trust-files.ts";
import { worktreeContext, worktreeRecordsFolder } from "./worktree/agent-workspace.ts";
import { worktreeStays } from "./worktree/git.ts";
import { removeWorktree } from "./worktree/worktree.ts";
import type { WorktreeRecord } from "./worktree/worktree-record.ts";
import { isWorktreeInUse, WorktreeRecords } from "./worktree/worktree-record.ts";

type Options = Pick<SettingsHere, "world" | "paths" | "workingDir" | "environment">;

interface ReadOptions extends Options {
  /** The tools that definitions may name, in addition to those of servers and plugins. */
  readonly tools: ToolTable;
}

/** A kind of sub-agent that a session here would find, and whether its file has been acknowledged. */
export interface ReviewedAgent {
  readonly agent: AgentDefinition;
  readonly state: "active" | "new" | "changed";
}

export interface AgentsReview {
  readonly agents: readonly ReviewedAgent[];
  /** Invalid files, as `path:line: field: problem`. */
  readonly problems: readonly string[];
  readonly warnings: readonly string[];
}

/** Reads all definitions here, acknowledged or not, and the problems of invalid ones. */
export async function readAgents(options: ReadOptions) {
  const { world, paths, workingDir, environment } = options;
  const here = await world.files.realpath(workingDir);
  const root = (await repositoryRoot(world.files, here)) ?? here;
  const { items, problems } = await readExtensions(
    { world, paths, wishes: { environment } },
    root,
    AGENT_FILES,
  );
  const files = items.flatMap(({ path, scope, files: [file] }) =>
    file === undefined ? [] : [{ path, scope, bytes: file.bytes }],
  );
  return { root, items, problems, set: await readAgentSet(files, options.tools) };
}

/** Returns every kind of sub-agent here, acknowledged or not, for `cinch agents list`. */
export async function reviewAgents(
  options: ReadOptions,
  { judge }: Pick<ReadSettings, "judge">,
): Promise<AgentsReview> {
  const { root, items, problems, set } = await readAgents(options);
  const { pending } = await judge(items, root);
  const states = new Map(pending.map(({ item, verdict }) => [item.path, verdict.kind] as const));
  return {
    agents: set.agents.map((agent) => ({ agent, state: states.get(agent.path ?? "") ?? "active" })),
    problems: [...problems, ...set.problems],
    warnings: set.warnings,
  };
}

/** An existing worktree of a sub-agent. */
export interface ListedWorktree {
  readonly record: WorktreeRecord;
  /** `running`: its sub-agent works in it; `kept`: it contains changes; `left`: its process was killed. */
  readonly state: "running" | "kept" | "left";
}

export async function listWorktrees({
  world,
  paths,
}: Pick<Options, "world" | "paths">): Promise<readonly ListedWorktree[]> {
  const records = await new WorktreeRecords(world.files, worktreeRecordsFolder(paths)).list();
  return records.map((record) => {
    const state = record.kept === true ? "kept" : isWorktreeInUse(record, world) ? "running" : "left";
    return { record, state };
  });
}

/**
 * Removes a worktree whose sub-agent has ended and that contains no changes.
 * @throws HarnessError WorktreeStays if it contains changes, is in use, or does not exist.
 */
export async function removeLeftWorktree(
  options: Options,
  id: string,
  signal: AbortSignal,
): Promise<WorktreeRecord> {
  const all = await listWorktrees(options);
  const found = all.filter(({ record }) => record.id.startsWith(id.toLowerCase()));
  const [one] = found;
  if (one === undefined || found.length > 1)
    throw worktreeStays(
      `${one === undefined ? "no" : "more than one"} worktree of a sub-agent has an id that begins with "${id}"`,
    );
  const writable = new WritableFolders(options.paths); // no session runs in this process
  if (one.state === "running") throw worktreeStays(`a sub-agent works in ${one.record.path} now`);
  await removeWorktree(one.record, await worktreeContext({ ...options, writable }, one.record.path), signal);
  return one.record;
}
