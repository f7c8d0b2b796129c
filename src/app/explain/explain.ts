import type { ClientId } from "../../base/ids.ts";
import { settingsOf } from "../../config/settings/settings.ts";
import { mcpSection } from "../../features/mcp/config.ts";
import { readAcknowledgedServers } from "../../features/mcp/declared/declared-servers.ts";
import type { LiveTools } from "../../features/mcp/known-servers.ts";
import {
  findKnownTool,
  idleRulesIn,
  readKnownServers,
  serverOfTool,
  withLiveTools,
} from "../../features/mcp/known-servers.ts";
import { idleRuleError } from "../../features/mcp/mcp-rules.ts";
import { inspectCommand } from "../../guard/permissions/inspection/inspect-command.ts";
import { confinementView, inspectionOptions } from "../../guard/permissions/judge/gate.ts";
import type { CommandView, Decision } from "../../guard/permissions/judge/judge.ts";
import { judge } from "../../guard/permissions/judge/judge.ts";
import { withKeyNames } from "../../guard/permissions/judge/key-links.ts";
import { decisionRemedy } from "../../guard/permissions/judge/permission-question.ts";
import { appliesToSession } from "../../guard/permissions/policy.ts";
import { printRule } from "../../guard/permissions/rules/rule.ts";
import type { WorkspacePaths } from "../../guard/permissions/rules/workspace-paths.ts";
import { sandboxSection } from "../../guard/sandbox/config.ts";
import { resolveHome } from "../../guard/sandbox/policy/hidden-paths.ts";
import type { ExpectedSandbox } from "../../guard/sandbox/policy/sandbox-sources.ts";
import { expectedSandbox } from "../../guard/sandbox/policy/sandbox-sources.ts";
import type { SandboxTrial } from "../../guard/sandbox/sandbox-probe.ts";
import type { Policy } from "../../session/guard/policy.ts";
import type { Rule } from "../../session/guard/rule.ts";
import type { PermissionSettings } from "../../session/settings/permission-settings.ts";
import { prepareCall } from "../../tools/chain/validate.ts";
import type { CallPlan, Tool, ToolContext } from "../../tools/tool.ts";
import type { HarnessOptions } from "../engine/options.ts";
import type { BareSession } from "./bare-session.ts";
import { openBareSession } from "./bare-session.ts";

/** Verdict about one call, with its reason. */
export interface Explained {
  readonly decision: Decision["kind"];
  /** Verdict for a command in a working sandbox; for other tools, the same as `decision`. */
  readonly inSandbox: Decision["kind"];
  /** The rule that decides without a sandbox, as configuration writes it. */
  readonly rule?: string;
  readonly why: string;
  readonly whyInSandbox: string;
  /** For a command: the one of the two that holds here. */
  readonly here: ExpectedSandbox;
  /** Ways to allow a call that is not: without a sandbox, and in one if that differs. */
  readonly remedies: readonly string[];
  /** Origin of the facts about a tool of an MCP server, or the reason why they are unknown: a phrase for the person. */
  readonly toolFacts?: string;
}

/** Returns the tools of a running session with this working directory and profile; undefined if there is none. */
export type FindLiveTools = (here: SessionPlace) => Promise<LiveTools | undefined>;

interface SessionPlace {
  readonly root: string;
  /** Name of the profile in the session. */
  readonly profile: string;
}

/** A rule that is in force, and the file that it stands in. */
export interface RuleInForce {
  readonly effect: Rule["effect"];
  readonly rule: string;
  readonly from: string;
  /** The only directory that it holds in, with what is below. */
  readonly directory?: string;
}

/** The permissions of a directory as a session there would have them. Only `trySandbox` starts anything. */
export interface Explainer extends AsyncDisposable {
  readonly policy: Policy;
  readonly rules: readonly RuleInForce[];
  /** Sentences for the person. */
  readonly notices: readonly string[];
  /** The tools that there are, those of MCP servers as far as they are known. */
  readonly tools: readonly string[];
  /** Returns true if calls of the tool can be explained. Any tool of a server that has never run can. */
  hasTool(name: string): boolean;
  /** @param input the input of the call, as a model would send it. */
  explain(tool: string, input: unknown): Promise<Explained>;
  /** Runs a small command in the sandbox that commands would get here, to see that it works. */
  trySandbox(): Promise<SandboxTrial>;
}

/**
 * Reads configuration, profile and acknowledged project settings, and judges calls by them, without running anything.
 * @param findLiveTools is asked for the tools of MCP servers, if there are servers. Default: those that were recorded.
 * @throws HarnessError as the start of a session does: ConfigInvalid, ProfileMissing, PathMissing.
 */
export async function openExplainer(
  options: HarnessOptions,
  signal: AbortSignal,
  findLiveTools?: FindLiveTools,
): Promise<Explainer> {
  const { world } = options;
  const bare = await openBareSession(options, signal);
  const { config, registry, keys } = bare;
  const { root, profile, policy } = bare.plan;
  const context = contextOf(bare, signal);
  const sandboxed = settingsOf(sandboxSection, { config, profile });
  const searched = options.environment["PATH"];
  const sandboxes = {
    world,
    ...(searched === undefined ? {} : { path: searched }),
    settings: sandboxed,
  };
  const { unavailable, network: hosts } = sandboxed;
  const here = await expectedSandbox(sandboxes);
  const takesHosts =
    here.kind === "backend" && here.name === "bubblewrap" && options.relayCommand !== undefined;

  const declared = await Promise.all(
    bare.project.items
      .filter(({ kind }) => kind === "mcp")
      .map(({ path, files: [file] }) =>
        readAcknowledgedServers({ path, bytes: file?.bytes ?? new Uint8Array() }),
      ),
  );
  const known = await readKnownServers([...settingsOf(mcpSection, bare.plan), ...declared.flat()], options);
  const live = known.length === 0 ? undefined : await findLiveTools?.({ root, profile: bare.plan.reference });
  const servers = live === undefined ? known : withLiveTools(known, live);
  const find = (name: string) => registry.find(name) ?? findKnownTool(name, servers);

  async function explain(name: string, input: unknown): Promise<Explained> {
    const verdict = await verdictOf(name, input);
    const server = serverOfTool(name, servers);
    return server === undefined ? verdict : { ...verdict, toolFacts: server.from };
  }

  async function verdictOf(name: string, input: unknown): Promise<Explained> {
    const tool = find(name);
    if (tool === undefined) return refusal(`there is no tool ${name}`, here);
    const prepared = await prepareCall({ id: context.callId, name, input, tool }, context);
    if (prepared.kind === "refused") {
      const [block] = prepared.output.content;
      return refusal(block?.type === "text" ? block.text : "it is refused", here);
    }
    return await judged(prepared.call.plan, tool);
  }

  async function judged(planned: CallPlan, tool: Tool): Promise<Explained> {
    const plan = await withKeyNames(planned, world.files, keys);
    const home = await resolveHome(context.world.files, context.workspace.env["HOME"]);
    const workspace: WorkspacePaths = {
      root,
      scratch: context.workspace.scratch,
      ...(home === undefined ? {} : { home }),
    };
    const { target } = plan;
    const decide = (view?: CommandView) => judge(plan, tool, policy, workspace, view);
    const remedy = (decision: Decision, view?: CommandView) =>
      decisionRemedy(decision, { plan, tool, workspace: workspace, policy, view });
    if (target.kind !== "command") {
      const decision = decide();
      return { ...explained(decision, decision, [remedy(decision)]), here };
    }
    const facts = await inspectCommand(
      target,
      workspace,
      inspectionOptions(policy, workspace, { world, env: context.workspace.env, keys }),
    );
    const without = confinementView(
      here.kind === "none"
        ? here
        : { kind: "none", why: "it is looked at as if there were none", policy: unavailable },
      target,
    );
    const network = hosts.length === 0 ? "off" : hosts;
    const within = confinementView(
      { kind: "working", network, ...(takesHosts ? { takesHosts } : {}) },
      target,
    );
    const [alone, held] = [
      { facts, ...without },
      { facts, ...within },
    ];
    const [decision, inSandbox] = [decide(alone), decide(held)];
    const remedies = [remedy(decision, alone), ...(here.kind === "none" ? [] : [remedy(inSandbox, held)])];
    return { ...explained(decision, inSandbox, remedies), here };
  }

  const said = [
    config.permissions,
    profile.permissions,
    ...bare.project.settings.map(({ permissions }) => permissions),
  ];
  return {
    async trySandbox() {
      const { trySandbox } = await import("../../guard/sandbox/sandbox-probe.ts");
      return await trySandbox(root, sandboxes);
    },
    policy,
    rules: said.flatMap((settings) =>
      inForce(settings, { root, strictPermissions: options.strictPermissions }),
    ),
    notices: [...bare.notices, ...idleRulesIn(said, servers).map((idle) => idleRuleError(idle).message)],
    tools: [...registry.list().map(({ tool }) => tool), ...servers.flatMap(({ tools = [] }) => tools)].map(
      ({ name }) => name,
    ),
    [Symbol.asyncDispose]: () => bare[Symbol.asyncDispose](),
    hasTool: (name) => find(name) !== undefined,
    explain,
  };
}

function explained(
  decision: Decision,
  inSandbox: Decision,
  remedies: readonly (string | undefined)[],
): Omit<Explained, "here"> {
  const rule = "rule" in decision && decision.rule !== undefined ? printRule(decision.rule) : undefined;
  return {
    decision: decision.kind,
    inSandbox: inSandbox.kind,
    why: decision.why,
    whyInSandbox: inSandbox.why,
    remedies: [...new Set(remedies.filter((remedy) => remedy !== undefined))],
    ...(rule === undefined ? {} : { rule }),
  };
}

/** Returns the verdict about an input that the tool itself refuses. */
function refusal(why: string, here: ExpectedSandbox): Explained {
  return { decision: "deny", inSandbox: "deny", why, whyInSandbox: why, here, remedies: [] };
}

function inForce(
  { rules }: PermissionSettings,
  session: Parameters<typeof appliesToSession>[1],
): readonly RuleInForce[] {
  return rules
    .filter((rule) => appliesToSession(rule, session))
    .map(({ effect, text, where, promoted }) => ({
      effect,
      rule: text,
      from: `${where.path}:${where.line}`,
      ...(promoted?.directory === undefined ? {} : { directory: promoted.directory }),
    }));
}

/** Context of a call as a session has it at its start. No tool writes while it plans. */
function contextOf({ host: { world, workspace, session } }: BareSession, signal: AbortSignal): ToolContext {
  return {
    world,
    signal,
    session,
    callId: world.ids.next("call"),
    originator: world.ids.next("cli") satisfies ClientId,
    turn: 1,
    workspace,
    progress: () => undefined,
    emit: () => undefined,
  };
}
