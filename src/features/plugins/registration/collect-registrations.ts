import { HarnessError } from "../../../base/errors.ts";
import type { Log } from "../../../base/log.ts";
import { LOG_LEVELS } from "../../../base/log.ts";
import { shortened } from "../../../base/text/text.ts";
import { parseRule } from "../../../guard/permissions/rules/rule.ts";
import { HOOK_EVENTS } from "../../../protocol/events/hook-events.ts";
import { EVENT_KINDS } from "../../../protocol/kinds.ts";
import { PROVIDER_NAME } from "../../../providers/vendors.ts";
import { CAN_BLOCK } from "../../../session/hooks/hook.ts";
import type { PluginCommand, PluginHarness } from "../../../session/plugins/plugin.ts";
import { toolProblem } from "../../../tools/registry.ts";
import type { ToolTable } from "../../../tools/tool-facts.ts";
import { pluginTool } from "../runtime/tools.ts";
import type { RegisteredPlugin } from "./registered-plugin.ts";
import { PLUGIN_API_VERSION } from "./registered-plugin.ts";

/** The most registrations of one plugin. */
const REGISTRATIONS_MAX = 1_000;
const NAMESPACE = /^[a-z][a-z0-9-]{0,31}$/;
const HELP_CHARACTERS_MAX = 200;
const NAME_CHARACTERS_MAX = 80;
const HOOK_TIMEOUT_MS_MAX = 600_000;

export type Registrations = Omit<RegisteredPlugin, "name" | "from" | "health" | "signal">;

type MutableRegistrations = {
  readonly [Key in keyof Registrations]: Registrations[Key] extends readonly (infer Item)[]
    ? Item[]
    : Registrations[Key] extends ReadonlyMap<infer Name, infer Value>
      ? Map<Name, Value>
      : never;
};

export interface CollectOptions {
  /** The origin of the plugin, for messages. */
  readonly from: string;
  readonly signal: AbortSignal;
  /** Writes under the plugin's name. */
  readonly log: Log;
  /** The tools of cinch itself. The plugin's rules may name them. */
  readonly tools: ToolTable;
}

/**
 * Collects what one plugin registers and checks each registration, until it is closed. An invalid registration throws
 * in the plugin's own call.
 */
export function collectRegistrations({ from, signal, log, tools }: CollectOptions): {
  readonly harness: PluginHarness;
  readonly close: () => Registrations;
} {
  const all: MutableRegistrations = {
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
  const ensure = (isRight: boolean, problem: string) => {
    if (!isRight) throw new HarnessError("PluginInvalid", { from, problem });
  };
  /** @param run the functions by name. Another type would otherwise be noticed only in the middle of a session. */
  const open = (what: string, run: Readonly<Record<string, unknown>> = {}) => {
    ensure(!isClosed, `it registers ${what} after register has returned`);
    count += 1;
    ensure(count <= REGISTRATIONS_MAX, `it registers more than ${REGISTRATIONS_MAX} things`);
    for (const [name, each] of Object.entries(run))
      ensure(
        typeof each === "function",
        name === ITSELF ? `${what} is not a function` : `${what}: ${name} is not a function`,
      );
  };
  const harness: PluginHarness = {
    apiVersion: PLUGIN_API_VERSION,
    signal,
    tool(tool) {
      const { run, plan = run } = tool;
      open(`the tool ${nameOf(tool)}`, { run, plan });
      const problem = toolProblem(pluginTool(tool, ""));
      ensure(problem === undefined, `the tool ${JSON.stringify(tool.name)} is invalid: ${problem}`);
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
      ensure(unknown === undefined, `there is no event ${JSON.stringify(unknown)}`);
      all.listeners.push({ run, ...(kinds === undefined ? {} : { kinds: [...kinds] }) });
    },
    hook(event, run, options = {}) {
      open("a hook", { [ITSELF]: run });
      ensure(HOOK_EVENTS.includes(event), `there is no moment ${JSON.stringify(event)}`);
      const { blocking, timeoutMs = 1 } = options;
      ensure(blocking !== true || CAN_BLOCK.includes(event), `a hook at ${event} can stop nothing`);
      const isTime = Number.isSafeInteger(timeoutMs) && timeoutMs >= 1 && timeoutMs <= HOOK_TIMEOUT_MS_MAX;
      ensure(isTime, `timeoutMs is not a whole number from 1 to ${HOOK_TIMEOUT_MS_MAX}`);
      all.hooks.push({ event, run, options: { ...options } });
    },
    commands(namespace, commands) {
      open(`the namespace ${nameOf({ name: namespace })}`);
      for (const command of commands)
        ensure(typeof command.run === "function", `the command ${nameOf(command)}: run is not a function`);
      ensure(NAMESPACE.test(namespace), `${JSON.stringify(namespace)} is not a namespace: ${NAME_FORM}`);
      ensure(!all.namespaces.has(namespace), `it claims the namespace ${namespace} twice`);
      ensure(commands.length > 0, `the namespace ${namespace} has no commands`);
      const problem = commandsProblem(commands);
      ensure(problem === undefined, `in the namespace ${namespace}, ${problem}`);
      all.namespaces.set(namespace, [...commands]);
    },
    permission(effect, text) {
      open("a rule");
      ensure(["allow", "ask", "deny"].includes(effect), `a rule allows, asks or denies, and not ${effect}`);
      const parsed = parseRule({ effect, text }, "user", tools);
      ensure(parsed.kind === "rule", parsed.kind === "rule" ? "" : parsed.problem);
      all.rules.push({ effect, text });
    },
    provider(name, opener) {
      open("a provider", { [ITSELF]: opener });
      ensure(
        PROVIDER_NAME.test(name),
        `${JSON.stringify(name)} is not a provider name: small letters, digits, - and _`,
      );
      ensure(!all.providers.has(name), `it registers the provider ${name} twice`);
      all.providers.set(name, opener);
    },
    transport(transport) {
      open(`the transport ${nameOf(transport)}`, { open: transport.open });
      ensure(
        NAMESPACE.test(transport.name),
        `${JSON.stringify(transport.name)} is not a transport name: ${NAME_FORM}`,
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

/** The registered value is the function to call. */
const ITSELF = "itself";

/** Renders a name for messages. A plugin written in JavaScript may pass anything. */
function nameOf({ name }: { readonly name?: unknown }): string {
  return typeof name === "string" ? JSON.stringify(shortened(name, NAME_CHARACTERS_MAX)) : "without a name";
}

const NAME_FORM = "1 to 32 small letters, digits and hyphens, a letter first";

function commandsProblem(commands: readonly PluginCommand[]): string | undefined {
  const names = commands.map(({ name }) => name);
  const wrong = names.find((name) => !NAMESPACE.test(name));
  if (wrong !== undefined) return `${JSON.stringify(wrong)} is not a command: ${NAME_FORM}`;
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  if (twice !== undefined) return `the command ${twice} is registered twice`;
  const untold = commands.find(({ help, usage = "" }) => !isLine(help) || help === "" || !isLine(usage));
  return untold === undefined
    ? undefined
    : `the help of ${untold.name} is not one line of at most ${HELP_CHARACTERS_MAX} characters`;
}

function isLine(text: unknown): text is string {
  return typeof text === "string" && text.length <= HELP_CHARACTERS_MAX && !/[\r\n]/.test(text);
}
