import { resolve } from "node:path";
import { count } from "../../../base/text/text.ts";
import type { ExitCode } from "../../../session/commands/cli-command.ts";
import { EXIT } from "../../../session/commands/cli-command.ts";
import { neutraliseLine } from "../../../view/terminal/terminal-text.ts";
import { jsonLine } from "../../../view/wire-json.ts";
import type { CheckedAgents } from "../agents-check.ts";
import type { AgentsReview, ListedWorktree, ReviewedAgent } from "../agents-review.ts";
import type { AgentsContext } from "./flags.ts";

/** Lists or checks the kinds of sub-agents here, and lists or removes leftover worktrees. */
export async function run(context: AgentsContext): Promise<ExitCode> {
  const { verb, words, flags, workingDir, stdout, signal } = context;
  const place = placeOf(context);
  const { tools } = await context.engineHandles();
  if (verb === "check") {
    const { checkAgents } = await import("../agents-check.ts");
    const { skillNames } = context;
    const options = { ...place, tools, settings: await context.readSettings(), skillNames };
    const paths = words.map((path) => resolve(workingDir, path));
    return await writeCheck(await checkAgents(options, paths), context);
  }
  const review = await import("../agents-review.ts");
  switch (verb) {
    case "list":
      return await list(
        await review.reviewAgents({ ...place, tools }, await context.readSettings()),
        context,
      );
    case "worktrees":
      return await worktrees(await review.listWorktrees(place), context);
    case "remove": {
      const { path, branch } = await review.removeLeftWorktree(place, words[0] ?? "", signal);
      const message = `removed: ${neutraliseLine(path)} and the branch ${neutraliseLine(branch)}\n`;
      await stdout.write(flags.json ? jsonLine({ removed: path, branch }) : message);
      return EXIT.done;
    }
  }
}

function placeOf({ world, paths, workingDir, environment }: AgentsContext) {
  return { world, paths, workingDir, environment };
}

const STATES = {
  active: undefined,
  new: "not acknowledged yet",
  changed: "changed since you acknowledged it",
} as const;

/** Returns why a definition is not in use and what to do about it; empty for one in use. */
function stateText({ agent, state }: ReviewedAgent): string {
  const ack = agent.scope === "user" ? "cinch ack --all" : "cinch ack";
  return STATES[state] === undefined ? "" : ` [${STATES[state]}: ${ack}]`;
}

async function list(
  { agents, problems, warnings }: AgentsReview,
  { flags, stdout, stderr }: AgentsContext,
): Promise<ExitCode> {
  for (const problem of [...problems, ...warnings]) await stderr.write(`cinch: ${neutraliseLine(problem)}\n`);
  const width = Math.max(0, ...agents.map(({ agent }) => agent.name.length));
  for (const each of agents) {
    const { name, scope, description } = each.agent;
    const line = `${name.padEnd(width)}  ${scope.padEnd(7)}  ${neutraliseLine(description)}${stateText(each)}\n`;
    await stdout.write(flags.json ? jsonLine(rowOf(each)) : line);
  }
  return EXIT.done;
}

function rowOf({ agent, state }: ReviewedAgent) {
  const { name, scope, description, path, model, tools, disallowedTools, skills, roundsMax, worktree } =
    agent;
  return {
    name,
    scope,
    state,
    description,
    path,
    model,
    tools,
    disallowedTools,
    skills,
    roundsMax,
    worktree,
  };
}

async function writeCheck(
  { checked, problems, warnings }: CheckedAgents,
  { flags, stdout, stderr }: AgentsContext,
): Promise<ExitCode> {
  const lines = [
    ...problems.map((problem) => ({ severity: "error", problem })),
    ...warnings.map((problem) => ({ severity: "warning", problem })),
  ];
  for (const line of lines)
    await stdout.write(flags.json ? jsonLine(line) : `${line.severity}: ${neutraliseLine(line.problem)}\n`);
  const counts = `${count(problems.length, "error")}, ${count(warnings.length, "warning")}`;
  await stderr.write(`cinch: ${count(checked, "definition")} checked, ${counts}\n`);
  return problems.length === 0 ? EXIT.done : EXIT.failed;
}

const WORKTREE_STATES = {
  running: "a sub-agent works in it",
  kept: "left with changes",
  left: "left by a killed process",
} as const;

async function worktrees(
  all: readonly ListedWorktree[],
  { flags, stdout, stderr }: AgentsContext,
): Promise<ExitCode> {
  if (all.length === 0 && !flags.json) await stderr.write("cinch: sub-agents have left no worktrees\n");
  for (const { record, state } of all) {
    const { id, path, branch, repository } = record;
    const line = `${id}  ${neutraliseLine(path)}  ${neutraliseLine(branch)} of ${neutraliseLine(repository)}  (${WORKTREE_STATES[state]})\n`;
    await stdout.write(flags.json ? jsonLine({ ...record, state }) : line);
  }
  return EXIT.done;
}
