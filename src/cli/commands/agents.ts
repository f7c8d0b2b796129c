import { resolve } from "node:path";
import { count } from "../../base/text/text.ts";
import type { CheckedAgents } from "../../features/subagents/agents-check.ts";
import type { AgentsReview, KeptWorktree, ReviewedAgent } from "../../features/subagents/agents-review.ts";
import type { ExitCode } from "../../session/cli-command.ts";
import { EXIT } from "../../session/cli-command.ts";
import { neutraliseLine } from "../../view/terminal/terminal-text.ts";
import { jsonLine } from "../../view/wire-json.ts";
import type { Invocation } from "../args/arguments.ts";
import { misuse, verbOf } from "../args/misuse.ts";
import type { Stop } from "../processes/stop.ts";
import type { Surroundings } from "../surroundings.ts";
import { surroundingsOf } from "../surroundings.ts";

type Agents = Extract<Invocation, { readonly kind: "agents" }>;

const VERBS = ["list", "check", "worktrees", "remove"] as const;
const USAGE =
  "write cinch agents list, cinch agents check [PATH…], cinch agents worktrees or cinch agents remove ID";

/** `cinch agents`: the kinds of sub-agents here, whether files keep to the format, and the worktrees that some have left. */
export async function runAgents({ settings, words, json }: Agents, stop: Stop): Promise<ExitCode> {
  const [word = "", ...rest] = words;
  const verb = verbOf("agents", word, { verbs: VERBS, usage: USAGE });
  const at = surroundingsOf(settings, stop);
  const { TOOLS } = await import("../../app/plan/tool-list.ts");
  if (verb === "check") {
    const { checkAgents } = await import("../../features/subagents/agents-check.ts");
    const { profile } = settings;
    const options = { ...at, ...(profile === undefined ? {} : { profile }) };
    const paths = rest.map((path) => resolve(at.workingDir, path));
    return await tellCheck(await checkAgents({ ...options, tools: TOOLS }, paths), { at, json });
  }
  const review = await import("../../features/subagents/agents-review.ts");
  const [id, ...more] = rest;
  if (more.length > 0 || (verb === "remove") !== (id !== undefined)) throw misuse(USAGE);
  if (verb === "list") return await list(await review.reviewAgents({ ...at, tools: TOOLS }), { at, json });
  if (id === undefined) return await worktrees(await review.listWorktrees(at), { at, json });
  const { path, branch } = await review.removeKept(at, id, stop.signal);
  const told = `removed: ${neutraliseLine(path)} and the branch ${neutraliseLine(branch)}\n`;
  await at.stdout.write(json ? jsonLine({ removed: path, branch }) : told);
  return EXIT.done;
}

interface Told {
  readonly at: Surroundings;
  readonly json: boolean;
}

const STATES = {
  active: undefined,
  new: "not acknowledged yet",
  changed: "changed since you acknowledged it",
} as const;

/** Why a definition does not count, and what to do about it; empty where it does. */
function stateText({ agent, state }: ReviewedAgent): string {
  const ack = agent.scope === "user" ? "cinch ack --all" : "cinch ack";
  return STATES[state] === undefined ? "" : ` [${STATES[state]}: ${ack}]`;
}

async function list({ agents, problems, warnings }: AgentsReview, { at, json }: Told): Promise<ExitCode> {
  for (const problem of [...problems, ...warnings])
    await at.stderr.write(`cinch: ${neutraliseLine(problem)}\n`);
  const width = Math.max(0, ...agents.map(({ agent }) => agent.name.length));
  for (const each of agents) {
    const { name, scope, description } = each.agent;
    const line = `${name.padEnd(width)}  ${scope.padEnd(7)}  ${neutraliseLine(description)}${stateText(each)}\n`;
    await at.stdout.write(json ? jsonLine(rowOf(each)) : line);
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

async function tellCheck(
  { checked, problems, warnings }: CheckedAgents,
  { at, json }: Told,
): Promise<ExitCode> {
  const lines = [
    ...problems.map((problem) => ({ severity: "error", problem })),
    ...warnings.map((problem) => ({ severity: "warning", problem })),
  ];
  for (const line of lines)
    await at.stdout.write(json ? jsonLine(line) : `${line.severity}: ${neutraliseLine(line.problem)}\n`);
  const counts = `${count(problems.length, "error")}, ${count(warnings.length, "warning")}`;
  await at.stderr.write(`cinch: ${count(checked, "definition")} checked, ${counts}\n`);
  return problems.length === 0 ? EXIT.done : EXIT.failed;
}

const WORKTREE_STATES = {
  running: "a sub-agent works in it",
  kept: "left with changes",
  left: "left by a killed process",
} as const;

async function worktrees(all: readonly KeptWorktree[], { at, json }: Told): Promise<ExitCode> {
  if (all.length === 0 && !json) await at.stderr.write("cinch: sub-agents have left no worktrees\n");
  for (const { record, state } of all) {
    const { id, path, branch, repository } = record;
    const line = `${id}  ${neutraliseLine(path)}  ${neutraliseLine(branch)} of ${neutraliseLine(repository)}  (${WORKTREE_STATES[state]})\n`;
    await at.stdout.write(json ? jsonLine({ ...record, state }) : line);
  }
  return EXIT.done;
}
