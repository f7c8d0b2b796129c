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
  const registered = new Collection(from);
  const harness: PluginHarness = {
    apiVersion: PLUGIN_API_VERSION,
    signal,
    ...toolRegistrars(registered),
    ...momentRegistrars(registered),
    ...commandRegistrars(registered, tools),
    ...contractRegistrars(registered),
    log(level, message, fields) {
      if (LOG_LEVELS.includes(level)) log.write(level, String(message), fields);
    },
  };
  return { harness, close: () => registered.close() };
}

/** The registrations of one plugin so far. It takes none after it is closed, and none above the limit. */
class Collection {
  readonly all: MutableRegistrations = {
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
  readonly #from: string;
  #count = 0;
  #isClosed = false;

  constructor(from: string) {
    this.#from = from;
  }

  /** @throws HarnessError PluginInvalid. */
  ensure(isRight: boolean, problem: string): void {
    if (!isRight) throw new HarnessError("PluginInvalid", { from: this.#from, problem });
  }

  /**
   * Counts one registration, before its own checks.
   * @param run the functions by name. Another type would otherwise be noticed only in the middle of a session.
   */
  open(what: string, run: Readonly<Record<string, unknown>> = {}): void {
    this.ensure(!this.#isClosed, `it registers ${what} after register has returned`);
    this.#count += 1;
    this.ensure(this.#count <= REGISTRATIONS_MAX, `it registers more than ${REGISTRATIONS_MAX} things`);
    for (const [name, each] of Object.entries(run))
      this.ensure(
        typeof each === "function",
        name === ITSELF ? `${what} is not a function` : `${what}: ${name} is not a function`,
      );
  }

  close(): Registrations {
    this.#isClosed = true;
    return this.all;
  }
}

/** Returns the methods that register tools, and middleware around calls and requests. */
function toolRegistrars(
  registered: Collection,
): Pick<PluginHarness, "tool" | "toolSource" | "toolMiddleware" | "requestMiddleware"> {
  const { all } = registered;
  return {
    tool(tool) {
      const { run, plan = run } = tool;
      registered.open(`the tool ${nameOf(tool)}`, { run, plan });
      const problem = toolProblem(pluginTool(tool, ""));
      registered.ensure(
        problem === undefined,
        `the tool ${JSON.stringify(tool.name)} is invalid: ${problem}`,
      );
      all.tools.push({ ...tool });
    },
    toolSource(source) {
      registered.open("a tool source", { tools: source.tools });
      all.sources.push(source);
    },
    toolMiddleware(run, options = {}) {
      registered.open("tool middleware", { [ITSELF]: run });
      all.toolMiddleware.push({ run, ...options });
    },
    requestMiddleware(run, options = {}) {
      registered.open("request middleware", { [ITSELF]: run });
      all.requestMiddleware.push({ run, ...options });
    },
  };
}

/** Returns the methods that register functions for events and for moments of a session. */
function momentRegistrars(registered: Collection): Pick<PluginHarness, "on" | "hook"> {
  const { all } = registered;
  return {
    on(run, kinds) {
      registered.open("a listener", { [ITSELF]: run });
      const unknown = kinds?.find((kind) => !EVENT_KINDS.includes(kind));
      registered.ensure(unknown === undefined, `there is no event ${JSON.stringify(unknown)}`);
      all.listeners.push({ run, ...(kinds === undefined ? {} : { kinds: [...kinds] }) });
    },
    hook(event, run, options = {}) {
      registered.open("a hook", { [ITSELF]: run });
      registered.ensure(HOOK_EVENTS.includes(event), `there is no moment ${JSON.stringify(event)}`);
      const { blocking, timeoutMs = 1 } = options;
      registered.ensure(
        blocking !== true || CAN_BLOCK.includes(event),
        `a hook at ${event} can stop nothing`,
      );
      const isTime = Number.isSafeInteger(timeoutMs) && timeoutMs >= 1 && timeoutMs <= HOOK_TIMEOUT_MS_MAX;
      registered.ensure(isTime, `timeoutMs is not a whole number from 1 to ${HOOK_TIMEOUT_MS_MAX}`);
      all.hooks.push({ event, run, options: { ...options } });
    },
  };
}

/** Returns the methods that register slash commands and permission rules. */
function commandRegistrars(
  registered: Collection,
  tools: ToolTable,
): Pick<PluginHarness, "commands" | "permission"> {
  const { all } = registered;
  return {
    commands(namespace, commands) {
      registered.open(`the namespace ${nameOf({ name: namespace })}`);
      for (const command of commands)
        registered.ensure(
          typeof command.run === "function",
          `the command ${nameOf(command)}: run is not a function`,
        );
      registered.ensure(
        NAMESPACE.test(namespace),
        `${JSON.stringify(namespace)} is not a namespace: ${NAME_FORM}`,
      );
      registered.ensure(!all.namespaces.has(namespace), `it claims the namespace ${namespace} twice`);
      registered.ensure(commands.length > 0, `the namespace ${namespace} has no commands`);
      const problem = commandsProblem(commands);
      registered.ensure(problem === undefined, `in the namespace ${namespace}, ${problem}`);
      all.namespaces.set(namespace, [...commands]);
    },
    permission(effect, text) {
      registered.open("a rule");
      registered.ensure(
        ["allow", "ask", "deny"].includes(effect),
        `a rule allows, asks or denies, and not ${effect}`,
      );
      const parsed = parseRule({ effect, text }, "user", tools);
      registered.ensure(parsed.kind === "rule", parsed.kind === "rule" ? "" : parsed.problem);
      all.rules.push({ effect, text });
    },
  };
}

/** Returns the methods that register implementations of the engine's contracts: providers and transports. */
function contractRegistrars(registered: Collection): Pick<PluginHarness, "provider" | "transport"> {
  const { all } = registered;
  return {
    provider(name, opener) {
      registered.open("a provider", { [ITSELF]: opener });
      registered.ensure(
        PROVIDER_NAME.test(name),
        `${JSON.stringify(name)} is not a provider name: small letters, digits, - and _`,
      );
      registered.ensure(!all.providers.has(name), `it registers the provider ${name} twice`);
      all.providers.set(name, opener);
    },
    transport(transport) {
      registered.open(`the transport ${nameOf(transport)}`, { open: transport.open });
      registered.ensure(
        NAMESPACE.test(transport.name),
        `${JSON.stringify(transport.name)} is not a transport name: ${NAME_FORM}`,
      );
      all.transports.push(transport);
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
