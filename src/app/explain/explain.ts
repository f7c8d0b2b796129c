import { defined } from "../../base/defined.ts";
import type { ClientId } from "../../base/ids.ts";
import { nearestWords } from "../../base/text/near.ts";
import { positionText } from "../../config/profile-files.ts";
import { settingsOf } from "../../config/settings/settings.ts";
import { ALLOW_FLAG, appliesToSession } from "../../guard/permissions/policy.ts";
import { printRule } from "../../guard/permissions/rules/rule.ts";
import { sandboxSection } from "../../guard/sandbox/config.ts";
import type { ExpectedSandbox } from "../../guard/sandbox/policy/sandbox-sources.ts";
import { expectedSandbox, workingConfinement } from "../../guard/sandbox/policy/sandbox-sources.ts";
import type { SandboxTrial } from "../../guard/sandbox/sandbox-probe.ts";
import type { AskedPart } from "../../protocol/events/asked-call.ts";
import type { LiveTools, RuntimeTools } from "../../session/commands/runtime-tools.ts";
import type { CallVerdict } from "../../session/guard/permissions.ts";
import type { Policy } from "../../session/guard/policy.ts";
import type { Rule } from "../../session/guard/rule.ts";
import type { Confinement } from "../../session/guard/sandbox.ts";
import type { PermissionSettings } from "../../session/settings/permission-settings.ts";
import { prepareCall } from "../../tools/chain/validate.ts";
import type { Tool, ToolContext } from "../../tools/tool.ts";
import type { HarnessOptions } from "../engine/options.ts";
import type { BareSession } from "./bare-session.ts";
import { openBareSession } from "./bare-session.ts";

/** Verdict about one call, with its reason. */
export interface Explained {
  readonly decision: CallVerdict["decision"]["kind"];
  /** Verdict for a command in a working sandbox; for other tools, the same as `decision`. */
  readonly inSandbox: CallVerdict["decision"]["kind"];
  /** The rule that decides without a sandbox, as configuration writes it. */
  readonly rule?: string;
  readonly why: string;
  readonly whyInSandbox: string;
  /** For a command: the one of the two that holds here. */
  readonly here: ExpectedSandbox;
  /** Way to allow a call that is not, without a sandbox: a phrase for the person. */
  readonly remedy?: string;
  /** The same in a working sandbox. Absent if it is the same, or if no sandbox is to be expected here. */
  readonly remedyInSandbox?: string;
  /** Verdicts on the parts of a compound command that is not allowed, without a sandbox. Absent for any other call. */
  readonly parts?: readonly AskedPart[];
  /** True for a call that the tool itself refuses, whatever the rules say: `why` tells the reason. */
  readonly wouldFail?: true;
  /** Origin of the facts about a tool of an MCP server, or the reason why they are unknown: a phrase for the person. */
  readonly toolFacts?: string;
  /** Code of the user that may refuse the call all the same, as hooks do. It was not run. Phrases for the person. */
  readonly mayRefuse?: readonly string[];
}

/** Returns the tools of a running session with this working directory and profile; undefined if there is none. */
export type FindLiveTools = (here: SessionSelector) => Promise<LiveTools | undefined>;

interface SessionSelector {
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
  /** The available tools; those of MCP servers as far as they are known. */
  readonly tools: readonly string[];
  /** Returns true if calls of the tool can be explained. Any tool of a server that has never run can. */
  hasTool(name: string): boolean;
  /** Returns why a tool cannot be explained, with what was probably meant: a phrase for the person. */
  unknownTool(name: string): string;
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
  await using undo = new AsyncDisposableStack();
  const bare = undo.use(await openBareSession(options, signal));
  const { root, policy } = bare.plan;
  const tools = await explainedTools(bare, options, findLiveTools);
  const expected = await expectedConfinements(bare, options);
  const { here } = expected;
  const context = contextOf(bare, signal);
  const permissionSettings = [
    bare.config.permissions,
    bare.plan.profile.permissions,
    ...bare.project.settings.map(({ permissions }) => permissions),
  ];
  const opened = undo.move(); // the caller frees it
  return {
    async trySandbox() {
      const { trySandbox } = await import("../../guard/sandbox/sandbox-probe.ts");
      const backend = here.kind === "none" ? "none" : here.name;
      return await trySandbox(bare.host.sandbox, { root, backend });
    },
    policy,
    rules: [
      ...(options.wishes.allow ?? []).map((rule) => ({ effect: "allow", rule, from: ALLOW_FLAG }) as const),
      ...permissionSettings.flatMap((settings) =>
        inForce(settings, { root, strictPermissions: options.wishes.strictPermissions }),
      ),
    ],
    notices: [...bare.notices, ...tools.idleRules(permissionSettings)],
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
    hasTool: (name) => tools.find(name) !== undefined,
    tools: tools.names,
    unknownTool: (name) => tools.unknown(name),
    async explain(wantedName, givenInput) {
      // A call through CallTool is one of the tool it names.
      const { name, input } = bare.registry.resolve(wantedName, givenInput);
      const tool = tools.find(name);
      const verdict =
        tool === undefined
          ? refusal(tools.unknown(name), here)
          : await explainTool({ id: context.callId, name, input, tool }, context, { bare, expected });
      const toolFacts = tools.originOf(name);
      return toolFacts === undefined ? verdict : { ...verdict, toolFacts };
    },
  };
}

/** The tools whose calls can be explained: those of the session, and those that it would learn only when it runs. */
interface ExplainedTools {
  readonly names: readonly string[];
  find(name: string): Tool | undefined;
  /** Returns why a tool cannot be explained, with what was probably meant: a phrase for the person. */
  unknown(name: string): string;
  originOf(name: string): string | undefined;
  idleRules(said: readonly PermissionSettings[]): readonly string[];
}

async function explainedTools(
  { plan, project, registry }: BareSession,
  { world, paths, features: { features } }: HarnessOptions,
  findLiveTools: FindLiveTools | undefined,
): Promise<ExplainedTools> {
  const { root, reference } = plan;
  const context = {
    ...{ world, paths, plan, items: project.items },
    findLive: async () => await findLiveTools?.({ root, profile: reference }),
  };
  const runtime = await Promise.all(features.map((feature) => feature.offers?.tools?.(context)));
  const late = runtime.filter((each) => each !== undefined);
  const names = [...registry.list().map(({ tool }) => tool), ...late.flatMap((each) => each.tools)].map(
    ({ name }) => name,
  );
  return {
    names,
    find: (name) => registry.find(name) ?? firstOf(late, (each) => each.find(name)),
    unknown(name) {
      const said = `there is no tool ${name}`;
      const missing = firstOf(late, (each) => each.missing(name));
      if (missing !== undefined) return `${said}: ${missing}`;
      const [meant] = nearestWords(name, names);
      return `${said}; ${meant === undefined ? `there are ${names.join(", ")}` : `did you mean ${meant}?`}`;
    },
    originOf: (name) => firstOf(late, (each) => each.originOf(name)),
    idleRules: (said) => late.flatMap((each) => each.idleRules(said)),
  };
}

/** Confinements that a command is judged under. */
interface ExpectedConfinements {
  /** The sandbox that a session would have on this machine. */
  readonly here: ExpectedSandbox;
  readonly without: Confinement;
  readonly working: Confinement;
}

async function expectedConfinements(
  { config, host, plan: { profile } }: BareSession,
  { world, relayCommand, wishes }: HarnessOptions,
): Promise<ExpectedConfinements> {
  const settings = settingsOf(sandboxSection, { config, profile });
  const sandboxes = {
    world,
    programs: { path: wishes.environment["PATH"] ?? "", writable: host.writable },
    ...(relayCommand === undefined ? {} : { relay: { command: relayCommand } }),
    settings,
  };
  const here = await expectedSandbox(sandboxes);
  const without: Confinement =
    here.kind === "none"
      ? here
      : { kind: "none", why: "it is judged as if there were none", policy: settings.unavailable };
  return { here, without, working: workingConfinement(sandboxes) };
}

/** Explains a call as the chain of a session would treat it: its input, then features, then the gate. */
async function explainTool(
  unplanned: Parameters<typeof prepareCall>[0],
  context: ToolContext,
  { bare, expected }: { readonly bare: BareSession; readonly expected: ExpectedConfinements },
): Promise<Explained> {
  const { here, without, working } = expected;
  const prepared = await prepareCall(unplanned, context);
  if (prepared.kind === "refused") {
    const [block] = prepared.output.content;
    const why = block?.type === "text" ? block.text : "the tool refuses the input";
    return { ...refusal(why, here), wouldFail: true };
  }
  const { call } = prepared;
  const forecasts = await bare.features.forecast(call, context);
  const refused = forecasts.find(({ kind }) => kind === "refuses");
  if (refused !== undefined) {
    const { why, remedy } = refused;
    return { ...refusal(why, here), ...(remedy === undefined ? {} : { remedy }) };
  }
  const { permissions } = bare.host;
  const verdict = await permissions.verdict(call, context, without);
  const isCommand = call.plan?.target.kind === "command";
  const inSandbox = isCommand ? await permissions.verdict(call, context, working) : verdict;
  const { rule, kind, why } = verdict.decision;
  const { remedy } = verdict;
  const parts = kind === "allow" ? [] : await verdict.parts();
  const other = here.kind === "none" || inSandbox.remedy === remedy ? undefined : inSandbox.remedy;
  return {
    ...{ decision: kind, why, here },
    inSandbox: inSandbox.decision.kind,
    whyInSandbox: inSandbox.decision.why,
    ...(rule === undefined ? {} : { rule: printRule(rule) }),
    ...defined({ remedy, remedyInSandbox: other }),
    ...(parts.length === 0 ? {} : { parts }),
    ...(forecasts.length === 0 ? {} : { mayRefuse: forecasts.map((each) => each.why) }),
  };
}

function firstOf<Value>(
  late: readonly RuntimeTools[],
  of: (each: RuntimeTools) => Value | undefined,
): Value | undefined {
  for (const each of late) {
    const found = of(each);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Returns the verdict about a call that cannot be judged. */
function refusal(why: string, here: ExpectedSandbox): Explained {
  return { decision: "deny", inSandbox: "deny", why, whyInSandbox: why, here };
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
      from: positionText(where),
      ...(promoted?.directory === undefined ? {} : { directory: promoted.directory }),
    }));
}

/** Returns the context of a call as a session has it at its start. No tool writes while it plans. */
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
