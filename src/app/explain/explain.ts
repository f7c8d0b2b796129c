import { join } from "node:path";
import { childEnvironment } from "../../base/child-environment.ts";
import type { ClientId } from "../../base/ids.ts";
import type { PermissionSettings } from "../../config/sections/permissions.ts";
import { trustSection } from "../../config/sections/trust.ts";
import { settingsOf } from "../../config/settings/settings.ts";
import { hookFiles } from "../../features/hooks/open.ts";
import type { McpServer } from "../../features/mcp/config.ts";
import { mcpSection } from "../../features/mcp/config.ts";
import { acknowledgedServers } from "../../features/mcp/declared/declared-servers.ts";
import { idleIn, knownServers, toolNamed } from "../../features/mcp/known-servers.ts";
import { idleRuleError } from "../../features/mcp/mcp-rules.ts";
import { examine } from "../../guard/permissions/inspection/command-facts.ts";
import { remedyOf } from "../../guard/permissions/judge/asking.ts";
import { confinedBy, lookOf } from "../../guard/permissions/judge/gate.ts";
import type { CommandView, Decision } from "../../guard/permissions/judge/judge.ts";
import { judge } from "../../guard/permissions/judge/judge.ts";
import { withKeyNames } from "../../guard/permissions/judge/key-links.ts";
import { counts, policyAt, unknownPlugins } from "../../guard/permissions/policy.ts";
import type { Place } from "../../guard/permissions/rules/place.ts";
import { printRule } from "../../guard/permissions/rules/rule.ts";
import { sandboxSection } from "../../guard/sandbox/config.ts";
import { sessionKeys } from "../../guard/sandbox/policy/credential-places.ts";
import { resolvedHome } from "../../guard/sandbox/policy/hidden-places.ts";
import { namedFiles, ownDirectories } from "../../guard/sandbox/policy/own-directories.ts";
import type { ExpectedSandbox } from "../../guard/sandbox/policy/sandbox-sources.ts";
import { expectedSandbox } from "../../guard/sandbox/policy/sandbox-sources.ts";
import type { SandboxTrial } from "../../guard/sandbox/sandbox-probe.ts";
import { readProjectFiles } from "../../guard/trust/project-files.ts";
import { settingsFrom } from "../../guard/trust/project-trust.ts";
import { judgeItems } from "../../guard/trust/trust-gate.ts";
import { hostRipgrep } from "../../platform/ripgrep.ts";
import type { Policy } from "../../session/guard/policy.ts";
import type { Rule } from "../../session/guard/rule.ts";
import type { TrustItem } from "../../session/guard/trust.ts";
import type { HarnessOptions } from "../../session/plan/options.ts";
import { BackgroundRuns } from "../../tools/bash/background-runs.ts";
import { prepareCall } from "../../tools/chain/validate.ts";
import { withPacks } from "../../tools/pack.ts";
import { ToolRegistry } from "../../tools/registry.ts";
import type { CallPlan, Tool, ToolContext, Workspace } from "../../tools/tool.ts";
import { SECTIONS } from "../plan/sections.ts";
import { openSettings } from "../plan/settings.ts";
import { TOOLS } from "../plan/tool-list.ts";
import { builtinTools } from "../session/builtins.ts";

/** What would happen to one call, and why. */
export interface Explained {
  readonly decision: Decision["kind"];
  /** What would happen to a command that runs in a working sandbox; for other tools, the same. */
  readonly inSandbox: Decision["kind"];
  /** The rule that decides without a sandbox, as configuration writes it. */
  readonly rule?: string;
  readonly why: string;
  readonly whyInSandbox: string;
  /** Which of the two holds here, of a command. */
  readonly here: ExpectedSandbox;
  /** What would let it through, where it is not allowed: without a sandbox, and in one where that is another thing. */
  readonly remedies: readonly string[];
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
export interface Explainer {
  readonly policy: Policy;
  readonly rules: readonly RuleInForce[];
  /** Sentences for the person. */
  readonly notices: readonly string[];
  /** The tools that there are, those of MCP servers as far as they are known. */
  readonly tools: readonly string[];
  /** Whether a call of this name can be explained; of a server that has never run, any tool can. */
  hasTool(name: string): boolean;
  /** @param input the input of the call, as a model would send it. */
  explain(tool: string, input: unknown): Promise<Explained>;
  /** Runs a small command in the sandbox that commands would get here, to see that it works. */
  trySandbox(): Promise<SandboxTrial>;
}

/**
 * Reads configuration, profile and acknowledged project settings, and judges calls by them, without running anything.
 * @throws HarnessError as the start of a session does: ConfigInvalid, ProfileMissing, PathMissing.
 */
export async function openExplainer(options: HarnessOptions, signal: AbortSignal): Promise<Explainer> {
  const { world, paths } = options;
  const root = await world.files.realpath(options.workingDir);
  const { config, profile } = await openSettings({ ...options, workingDir: root });
  const sandboxed = settingsOf(sandboxSection, { config, profile });
  const project = await projectOf(options, root, profile);
  const own = await ownDirectories(world.files, paths);
  const policy = policyAt(root, {
    profile: profile.permissions,
    user: config.permissions,
    tools: TOOLS,
    project: project.permissions,
    ...unknownPlugins(config),
    strictPermissions: options.strictPermissions,
    ownDirectories: own,
    steering: await namedFiles(world.files, [
      settingsOf(trustSection, { wishes: options, config }).lockfile,
      ...profile.files,
      ...(await hookFiles({
        files: world.files,
        config,
        profile,
        folder: join(paths.config, "hooks"),
        root,
        home: options.environment["HOME"],
      })),
    ]),
    ...(options.level === undefined ? {} : { level: options.level }),
  });
  const registry = new ToolRegistry();
  const runs = new BackgroundRuns(() => undefined);
  registry.add(withPacks(builtinTools({ runs, ripgrep: hostRipgrep(paths.data) }), profile.toolPacks));
  const context = contextOf(options, root, signal);
  const keys = sessionKeys({
    world,
    root,
    environment: options.environment,
    hidden: sandboxed.hidden,
  });
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

  const servers = await knownServers(
    [...settingsOf(mcpSection, { config, profile }), ...project.servers],
    options,
  );
  const find = (name: string) => registry.find(name) ?? toolNamed(name, servers);

  async function explain(name: string, input: unknown): Promise<Explained> {
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
    const home = await resolvedHome(context.world.files, context.workspace.env["HOME"]);
    const place: Place = {
      root,
      scratch: context.workspace.scratch,
      ...(home === undefined ? {} : { home }),
    };
    const { target } = plan;
    const decide = (view?: CommandView) => judge(plan, tool, policy, place, view);
    const remedy = (decision: Decision, view?: CommandView) =>
      remedyOf(decision, { plan, tool, place, policy, view });
    if (target.kind !== "command") {
      const decision = decide();
      return { ...explained(decision, decision, [remedy(decision)]), here };
    }
    const facts = await examine(
      target,
      place,
      lookOf(policy, place, { world, env: context.workspace.env, keys }),
    );
    const without = confinedBy(
      here.kind === "none"
        ? here
        : { kind: "none", why: "it is looked at as if there were none", policy: unavailable },
      target,
    );
    const network = hosts.length === 0 ? "off" : hosts;
    const within = confinedBy({ kind: "working", network, ...(takesHosts ? { takesHosts } : {}) }, target);
    const [alone, held] = [
      { facts, ...without },
      { facts, ...within },
    ];
    const [decision, inSandbox] = [decide(alone), decide(held)];
    const remedies = [remedy(decision, alone), ...(here.kind === "none" ? [] : [remedy(inSandbox, held)])];
    return { ...explained(decision, inSandbox, remedies), here };
  }

  const said = [config.permissions, profile.permissions, ...project.permissions];
  return {
    async trySandbox() {
      const { trySandbox } = await import("../../guard/sandbox/sandbox-probe.ts");
      return await trySandbox(root, sandboxes);
    },
    policy,
    rules: said.flatMap((settings) =>
      inForce(settings, { root, strictPermissions: options.strictPermissions }),
    ),
    notices: [
      ...profile.warnings,
      ...project.notices,
      ...idleIn(said, servers).map((idle) => idleRuleError(idle).message),
    ],
    tools: [...registry.declared(), ...servers.flatMap(({ tools = [] }) => tools)].map(({ name }) => name),
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

/** What the tool itself does not take is not run, whoever would allow it. */
function refusal(why: string, here: ExpectedSandbox): Explained {
  return { decision: "deny", inSandbox: "deny", why, whyInSandbox: why, here, remedies: [] };
}

function inForce(
  { rules }: PermissionSettings,
  session: Parameters<typeof counts>[1],
): readonly RuleInForce[] {
  return rules
    .filter((rule) => counts(rule, session))
    .map(({ effect, text, where, promoted }) => ({
      effect,
      rule: text,
      from: `${where.path}:${where.line}`,
      ...(promoted?.directory === undefined ? {} : { directory: promoted.directory }),
    }));
}

async function projectOf(
  options: HarnessOptions,
  root: string,
  profile: Parameters<typeof readProjectFiles>[2],
): Promise<{
  readonly permissions: readonly PermissionSettings[];
  readonly servers: readonly McpServer[];
  readonly notices: readonly string[];
}> {
  const { settings, extensions, context, problems } = await readProjectFiles(options, root, profile);
  const declaring = extensions.filter(({ kind }) => kind === "mcp");
  const items = [...settings, ...declaring];
  if (items.length === 0) return { permissions: [], servers: [], notices: problems };
  const { pending } = await judgeItems(options, items, { root: context.root, promoteProse: false });
  const left = new Set(pending.map(({ item }) => item));
  const isKept = (item: TrustItem) => !left.has(item);
  const kept = await Promise.all(settings.filter(isKept).map((item) => settingsFrom(item, SECTIONS)));
  const servers = await Promise.all(
    declaring
      .filter(isKept)
      .map(({ path, files: [file] }) =>
        acknowledgedServers({ path, bytes: file?.bytes ?? new Uint8Array() }),
      ),
  );
  return {
    permissions: kept.map(({ permissions }) => permissions),
    servers: servers.flat(),
    notices: [
      ...problems,
      ...pending.map(({ path }) => `${path} was not acknowledged, and is left out (cinch ack)`),
    ],
  };
}

/** As a session has it at its start. No tool writes while it plans. */
function contextOf(
  { world, paths, environment }: HarnessOptions,
  root: string,
  signal: AbortSignal,
): ToolContext {
  const workspace: Workspace = {
    root,
    cwd: root,
    seen: new Map(),
    env: childEnvironment(environment),
    scratch: join(paths.data, "scratch", "explain"),
  };
  return {
    world,
    signal,
    session: world.ids.next("sess"),
    callId: world.ids.next("call"),
    originator: world.ids.next("cli") satisfies ClientId,
    turn: 1,
    workspace,
    progress: () => undefined,
    emit: () => undefined,
  };
}
