import { HarnessError } from "../../../base/errors.ts";
import type { Log } from "../../../base/log.ts";
import { LOG_LEVELS } from "../../../base/log.ts";
import { shortened } from "../../../base/text/text.ts";
import { parseRule } from "../../../guard/permissions/rules/rule.ts";
import { HOOK_EVENTS } from "../../../protocol/events/hook-events.ts";
import { EVENT_KINDS } from "../../../protocol/kinds.ts";
import { PROVIDER_NAME } from "../../../providers/vendors.ts";
import { CAN_BLOCK } from "../../../session/hooks/hook.ts";
import { toolProblem } from "../../../tools/registry.ts";
import type { ToolTable } from "../../../tools/tool-facts.ts";
import { pluginTool } from "../runtime/tools.ts";
import type { PluginCommand, PluginHarness } from "./plugin.ts";
import { PLUGIN_API_VERSION } from "./plugin.ts";
import type { Registered } from "./registered.ts";

/** What a plugin may register in all. */
const REGISTRATIONS_MAX = 1_000;
const NAMESPACE = /^[a-z][a-z0-9-]{0,31}$/;
const HELP_CHARACTERS_MAX = 200;
const NAME_CHARACTERS_MAX = 80;
const HOOK_TIMEOUT_MS_MAX = 600_000;

export type Collected = Omit<Registered, "name" | "from" | "health" | "signal">;

type Growing = {
  readonly [Key in keyof Collected]: Collected[Key] extends readonly (infer Item)[]
    ? Item[]
    : Collected[Key] extends ReadonlyMap<infer Name, infer Value>
      ? Map<Name, Value>
      : never;
};

export interface CollectParts {
  /** Where the plugin came from, for people. */
  readonly from: string;
  readonly signal: AbortSignal;
  /** Under the plugin's name. */
  readonly log: Log;
  /** The tools of cinch itself, which its rules may name. */
  readonly tools: ToolTable;
}

/**
 * Takes what one plugin registers, each thing checked as it comes, until it is closed. A registration that is none throws
 * in the plugin's own call.
 */
export function collecting({ from, signal, log, tools }: CollectParts): {
  readonly harness: PluginHarness;
  readonly close: () => Collected;
} {
  const all: Growing = {
    tools: [],
    sources: [],
    toolMiddleware: [],
    requestMiddleware: [],
    listeners: [],
    hooks: [],
    namespaces: new Map(),
    rules: [],
    providers: new Map(),
    transports: [],
  };
  let count = 0;
  let isClosed = false;
  const must = (isRight: boolean, problem: string) => {
    if (!isRight) throw new HarnessError("PluginInvalid", { from, problem });
  };
  /** @param run what it is called with, by its name: a text in its place would be found out in the middle of a session. */
  const open = (what: string, run: Readonly<Record<string, unknown>> = {}) => {
    must(!isClosed, `it registers ${what} after register has returned`);
    count += 1;
    must(count <= REGISTRATIONS_MAX, `it registers more than ${REGISTRATIONS_MAX} things`);
    for (const [name, each] of Object.entries(run))
      must(
        typeof each === "function",
        name === ITSELF ? `${what} is no function` : `${what}: ${name} is no function`,
      );
  };
  const harness: PluginHarness = {
    apiVersion: PLUGIN_API_VERSION,
    signal,
    tool(tool) {
      const { run, plan = run } = tool;
      open(`the tool ${nameOf(tool)}`, { run, plan });
      const problem = toolProblem(pluginTool(tool, ""));
      must(problem === undefined, `the tool ${JSON.stringify(tool.name)} is none: ${problem}`);
      all.tools.push({ ...tool });
    },
    toolSource(source) {
      open("a tool source", { tools: source.tools });
      all.sources.push(source);
    },
    toolMiddleware(run, options = {}) {
      open("tool middleware", { [ITSELF]: run });
      all.toolMiddleware.push({ run, ...options });
    },
    requestMiddleware(run, options = {}) {
      open("request middleware", { [ITSELF]: run });
      all.requestMiddleware.push({ run, ...options });
    },
    on(run, kinds) {
      open("a listener", { [ITSELF]: run });
      const unknown = kinds?.find((kind) => !EVENT_KINDS.includes(kind));
      must(unknown === undefined, `there is no event ${JSON.stringify(unknown)}`);
      all.listeners.push({ run, ...(kinds === undefined ? {} : { kinds: [...kinds] }) });
    },
    hook(event, run, options = {}) {
      open("a hook", { [ITSELF]: run });
      must(HOOK_EVENTS.includes(event), `there is no moment ${JSON.stringify(event)}`);
      const { blocking, timeoutMs = 1 } = options;
      must(blocking !== true || CAN_BLOCK.includes(event), `a hook at ${event} can stop nothing`);
      const isTime = Number.isSafeInteger(timeoutMs) && timeoutMs >= 1 && timeoutMs <= HOOK_TIMEOUT_MS_MAX;
      must(isTime, `timeoutMs is no whole number from 1 to ${HOOK_TIMEOUT_MS_MAX}`);
      all.hooks.push({ event, run, options: { ...options } });
    },
    commands(namespace, commands) {
      open(`the namespace ${nameOf({ name: namespace })}`);
      for (const command of commands)
        must(typeof command.run === "function", `the command ${nameOf(command)}: run is no function`);
      must(NAMESPACE.test(namespace), `${JSON.stringify(namespace)} is no namespace: ${NAME_FORM}`);
      must(!all.namespaces.has(namespace), `it claims the namespace ${namespace} twice`);
      must(commands.length > 0, `the namespace ${namespace} has no commands`);
      const problem = commandsProblem(commands);
      must(problem === undefined, `in the namespace ${namespace}, ${problem}`);
      all.namespaces.set(namespace, [...commands]);
    },
    permission(effect, text) {
      open("a rule");
      must(["allow", "ask", "deny"].includes(effect), `a rule allows, asks or denies, and not ${effect}`);
      const parsed = parseRule({ effect, text }, "user", tools);
      must(parsed.kind === "rule", parsed.kind === "rule" ? "" : parsed.problem);
      all.rules.push({ effect, text });
    },
    provider(name, opener) {
      open("a provider", { [ITSELF]: opener });
      must(
        PROVIDER_NAME.test(name),
        `${JSON.stringify(name)} is no provider name: small letters, digits, - and _`,
      );
      must(!all.providers.has(name), `it registers the provider ${name} twice`);
      all.providers.set(name, opener);
    },
    transport(transport) {
      open(`the transport ${nameOf(transport)}`, { open: transport.open });
      must(
        NAMESPACE.test(transport.name),
        `${JSON.stringify(transport.name)} is no transport name: ${NAME_FORM}`,
      );
      all.transports.push(transport);
    },
    log(level, message, fields) {
      if (LOG_LEVELS.includes(level)) log.write(level, String(message), fields);
    },
  };
  return {
    harness,
    close() {
      isClosed = true;
      return all;
    },
  };
}

/** What is given is itself what is called. */
const ITSELF = "itself";

/** A plugin may be written in JavaScript: a name may be anything. */
function nameOf({ name }: { readonly name?: unknown }): string {
  return typeof name === "string" ? JSON.stringify(shortened(name, NAME_CHARACTERS_MAX)) : "without a name";
}

const NAME_FORM = "1 to 32 small letters, digits and hyphens, a letter first";

function commandsProblem(commands: readonly PluginCommand[]): string | undefined {
  const names = commands.map(({ name }) => name);
  const wrong = names.find((name) => !NAMESPACE.test(name));
  if (wrong !== undefined) return `${JSON.stringify(wrong)} is no command: ${NAME_FORM}`;
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  if (twice !== undefined) return `the command ${twice} stands twice`;
  const untold = commands.find(({ help, usage = "" }) => !isLine(help) || help === "" || !isLine(usage));
  return untold === undefined
    ? undefined
    : `the help of ${untold.name} is not one line of at most ${HELP_CHARACTERS_MAX} characters`;
}

function isLine(text: unknown): text is string {
  return typeof text === "string" && text.length <= HELP_CHARACTERS_MAX && !/[\r\n]/.test(text);
}
