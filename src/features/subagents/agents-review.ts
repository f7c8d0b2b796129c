import { repositoryRoot } from "../../config/repository-root.ts";
import { readExtensions } from "../../guard/trust/project-files.ts";
import type { ReadSettings } from "../../session/commands/cli-command.ts";
import type { EngineOptions } from "../../session/options.ts";
import type { ToolTable } from "../../tools/tool-facts.ts";
import { agentSet } from "./definitions/agent-set.ts";
import type { AgentDefinition } from "./definitions/definition.ts";
import { worktreePlace, worktreeRecords } from "./worktree/agent-worktrees.ts";
import { stays } from "./worktree/git.ts";
import type { WorktreeRecord } from "./worktree/record.ts";
import { isInUse, WorktreeRecords } from "./worktree/record.ts";
import { removeWorktree } from "./worktree/worktree.ts";

type Options = Pick<EngineOptions, "world" | "paths" | "workingDir" | "environment">;

interface ReadOptions extends Options {
  /** The tools that definitions may name, beside those of servers and plugins. */
  readonly tools: ToolTable;
}

/** A kind of sub-agent that a session here would find, and whether its file counts. */
export interface ReviewedAgent {
  readonly agent: AgentDefinition;
  readonly state: "active" | "new" | "changed";
}

export interface AgentsReview {
  readonly agents: readonly ReviewedAgent[];
  /** Files that are none, `path:line: field: problem`, and what else there is to say. */
  readonly problems: readonly string[];
  readonly warnings: readonly string[];
}

/** The definitions that lie here, acknowledged or not, and why some of them cannot be. */
export async function readAgents(options: ReadOptions) {
  const { world, workingDir } = options;
  const here = await world.files.realpath(workingDir);
  const root = (await repositoryRoot(world.files, here)) ?? here;
  const { items, problems } = await readExtensions(options, root, "agent");
  const files = items.flatMap(({ path, scope, files: [file] }) =>
    file === undefined ? [] : [{ path, scope, bytes: file.bytes }],
  );
  return { root, items, problems, set: await agentSet(files, options.tools) };
}

/** Every kind of sub-agent here, acknowledged or not: what `cinch agents list` shows. */
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

/** A worktree of a sub-agent that is there still. */
export interface KeptWorktree {
  readonly record: WorktreeRecord;
  /** `running`: its sub-agent works in it; `kept`: it left changes; `left`: its process was killed. */
  readonly state: "running" | "kept" | "left";
}

export async function listWorktrees({
  world,
  paths,
}: Pick<Options, "world" | "paths">): Promise<readonly KeptWorktree[]> {
  const records = await new WorktreeRecords(world.files, worktreeRecords(paths)).list();
  return records.map((record) => {
    const state = record.kept === true ? "kept" : isInUse(record, world) ? "running" : "left";
    return { record, state };
  });
}

/**
 * Removes a worktree whose sub-agent has ended and left nothing in it.
 * @throws HarnessError WorktreeStays where it holds changes, is in use, or is not there.
 */
export async function removeKept(options: Options, id: string, signal: AbortSignal): Promise<WorktreeRecord> {
  const all = await listWorktrees(options);
  const found = all.filter(({ record }) => record.id.startsWith(id.toLowerCase()));
  const [one] = found;
  if (one === undefined || found.length > 1)
    throw stays(
      `${one === undefined ? "no" : "more than one"} worktree of a sub-agent has an id that begins with "${id}"`,
    );
  if (one.state === "running") throw stays(`a sub-agent works in ${one.record.path} now`);
  await removeWorktree(one.record, await worktreePlace(options, one.record.path), signal);
  return one.record;
}
