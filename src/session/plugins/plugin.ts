import type { CallId } from "../../base/ids.ts";
import type { JsonObject, JsonSchema } from "../../base/json.ts";
import type { LogLevel } from "../../base/log.ts";
import type { Envelope } from "../../protocol/events/envelope.ts";
import type { EventKind } from "../../protocol/events/events.ts";
import type { RequestContext, RequestHandler } from "../../providers/middleware.ts";
import type { ModelEvent, ModelRequest } from "../../providers/provider.ts";
import type { ProviderFactory } from "../../providers/registry.ts";
import type { CallPlan, ToolOutput, ToolSource } from "../../tools/tool.ts";
import type { Level } from "../../tools/tool-facts.ts";
import type { EnginePort } from "../engine-port.ts";
import type { PluginHook, PluginHookOptions, PluginMoments } from "./plugin-moments.ts";
import type { PluginSession } from "./plugin-session.ts";

/**
 * Code that extends cinch within its process ([A] § Plugin contract, PLUG-01).
 *
 * It runs as the user and can do whatever the user can. Permission, redaction and the sandbox restrict what the model
 * wants, but never what a plugin does to the machine. So only the user can name a plugin.
 */
export interface Plugin {
  /**
   * 1 to 32 lower-case letters, digits and hyphens, starting with a letter. It is the namespace of the plugin's
   * events and must be unique.
   */
  readonly name: string;
  /** Version of this contract for which it was written; the first is 1. */
  readonly apiVersion: number;
  /**
   * Registers what the plugin adds. Called once in an engine, before the first session with the plugin. Nothing can
   * be registered after it has returned.
   */
  register(harness: PluginHarness): void | Promise<void>;
}

/**
 * Registers the parts of a plugin. Each registered function is called under a time limit, and its failures
 * are contained.
 */
export interface PluginHarness {
  /** The contract's version in this cinch. */
  readonly apiVersion: number;
  /** Aborts when the engine ends. */
  readonly signal: AbortSignal;
  /** Registers a tool in the short form. */
  tool(tool: PluginTool): void;
  /** Registers tools with the engine's own contract, including a late source. */
  toolSource(source: Pick<ToolSource, "tools" | "late">): void;
  /**
   * Registers middleware around every call of a tool with valid input, outside permission. It can observe, refuse, or
   * change the input, which is then judged like any other. It cannot allow anything.
   */
  toolMiddleware(run: PluginToolMiddleware, options?: PluginMiddlewareOptions): void;
  /**
   * Registers the outermost middleware around every request to a model. It refuses a request by throwing what
   * `context.error` returns: nothing is sent, and the turn ends with that reason.
   */
  requestMiddleware(run: PluginRequestMiddleware, options?: PluginMiddlewareOptions): void;
  /** Registers a listener. It gets each event of each session in order, once the event is in the log. */
  on(listener: PluginListener, kinds?: readonly EventKind[]): void;
  /** Registers a hook, called at a moment of a session like the hooks of the configuration and by the same rules. */
  hook<Moment extends keyof PluginMoments>(
    moment: Moment,
    run: PluginHook<Moment>,
    options?: PluginHookOptions,
  ): void;
  /** Registers a namespace of slash commands: `/NAMESPACE:NAME words`. */
  commands(namespace: string, commands: readonly PluginCommand[]): void;
  /**
   * Registers a permission rule, as in config.toml. The user is notified at the start of rules that allow something.
   */
  permission(effect: "allow" | "ask" | "deny", rule: string): void;
  /** Registers a model provider. It is selected with `--model NAME:MODEL` and gets no key from cinch. */
  provider(name: string, open: ProviderFactory): void;
  /** Registers a transport of the control plane. It opens once the engine serves clients, and closes with it. */
  transport(transport: PluginTransport): void;
  /** Writes to the operational log under the plugin's name. Never log content of a conversation. */
  log(level: LogLevel, message: string, fields?: Readonly<Record<string, unknown>>): void;
}

export interface PluginTool {
  /** Letters, digits, underscores and dashes. */
  readonly name: string;
  /** At most 250 characters. */
  readonly description: string;
  readonly inputSchema: JsonSchema;
  /** The level that a call needs. Default: DangerFullAccess, which is asked for. */
  readonly level?: Level;
  /** True if a call can change anything outside the conversation. Default: true. */
  readonly mutating?: boolean;
  /** True if the tool is not declared to the model but found by ToolSearch. Default: false. */
  readonly lazy?: boolean;
  /**
   * Returns what a call will touch, with absolute and resolved paths, for the permission gate to judge. Default:
   * nothing that a rule about paths or addresses could name.
   */
  plan?(input: JsonObject, at: PluginPlace): CallPlan | Promise<CallPlan>;
  /** Returns the result as a text or as blocks. An exception fails the call, and the model sees it. */
  run(input: JsonObject, call: PluginCallContext): string | ToolOutput | Promise<string | ToolOutput>;
}

export interface PluginPlace {
  /** The workspace folder of the session. */
  readonly root: string;
  readonly cwd: string;
  readonly signal: AbortSignal;
}

export interface PluginCallContext extends PluginSession, PluginPlace {
  readonly callId: CallId;
  readonly turn: number;
  /** Emits partial output for people who watch. */
  progress(text: string): void;
}

/** A tool call, as tool middleware gets it. */
export interface PluginCall extends PluginSession {
  readonly callId: CallId;
  readonly turn: number;
  readonly tool: string;
  readonly input: JsonObject;
  /** One line that names the call, as permission rules do. */
  readonly summary: string;
  readonly signal: AbortSignal;
}

/**
 * Surrounds a tool call. It calls `next` at most once, with the same or another input. Without that call, its return
 * value is the result, and the tool does not run.
 */
export type PluginToolMiddleware = (
  call: PluginCall,
  next: (input?: JsonObject) => Promise<ToolOutput>,
) => string | ToolOutput | Promise<string | ToolOutput>;

export type PluginRequestMiddleware = (
  request: ModelRequest,
  context: RequestContext & Pick<PluginSession, "error">,
  next: RequestHandler,
) => AsyncIterable<ModelEvent> | Promise<AsyncIterable<ModelEvent>>;

export interface PluginMiddlewareOptions {
  /** True if a call or request does not run when this middleware fails. Default: it runs without the middleware. */
  readonly guards?: boolean;
}

export type PluginListener = (event: Envelope, session: PluginSession) => void | Promise<void>;

export interface PluginCommand {
  /** 1 to 32 lower-case letters, digits and hyphens, starting with a letter. */
  readonly name: string;
  /** The arguments after the name, for help texts: "NdM". */
  readonly usage?: string;
  /** One line for people. */
  readonly help: string;
  /** Runs the command. The returned text is shown to the sender; an exception rejects the command. */
  run(words: PluginWords, session: PluginCommandContext): string | undefined | Promise<string | undefined>;
}

/** The arguments of a command. */
export interface PluginWords {
  /** The words, split like a shell does. */
  readonly args: readonly string[];
  /** The text after the name as it was typed. */
  readonly text: string;
  /** The whole payload, for programs that send another form. */
  readonly payload: unknown;
}

export interface PluginCommandContext extends PluginSession {
  /** The class of the sender. */
  readonly by: "human" | "agent";
  readonly signal: AbortSignal;
}

export interface PluginTransport {
  readonly name: string;
  /**
   * Starts to serve clients. Each attached client has the rights that the transport states, so the transport must
   * authenticate it. The signal aborts when the engine ends; the returned object is disposed of before that.
   */
  open(engine: EnginePort, signal: AbortSignal): AsyncDisposable | Promise<AsyncDisposable>;
}
