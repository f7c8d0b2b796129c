import type { CallId } from "../../../base/ids.ts";
import type { JsonObject, JsonSchema } from "../../../base/json.ts";
import type { LogLevel } from "../../../base/log.ts";
import type { Envelope } from "../../../protocol/events/envelope.ts";
import type { EventKind } from "../../../protocol/events/events.ts";
import type { RequestContext, RequestHandler } from "../../../providers/middleware.ts";
import type { ModelEvent, ModelRequest } from "../../../providers/provider.ts";
import type { ProviderFactory } from "../../../providers/registry.ts";
import type { EnginePort } from "../../../session/engine-port.ts";
import type { CallPlan, ToolOutput, ToolSource } from "../../../tools/tool.ts";
import type { Level } from "../../../tools/tool-facts.ts";
import type { PluginHook, PluginHookOptions, PluginMoments } from "../runtime/moments.ts";
import type { PluginSession } from "../runtime/session.ts";

/** The version of this contract. It counts up with a change that breaks a plugin; what is added later does not. */
export const PLUGIN_API_VERSION = 1;

/**
 * Code that extends cinch from within its process ([A] § Plugin contract, PLUG-01).
 *
 * It runs as the user and can do whatever the user can. Permission, redaction and the sandbox stand between it and what
 * the model wants, never between it and the machine: that is why nobody but the user can name one.
 */
export interface Plugin {
  /** 1 to 32 small letters, digits and hyphens, a letter first. It is the namespace of its events, and its own alone. */
  readonly name: string;
  /** The `PLUGIN_API_VERSION` that it was written for. */
  readonly apiVersion: number;
  /**
   * Says what the plugin adds. It is called once in an engine, before the first session that has it; when it has returned,
   * nothing more can be registered.
   */
  register(harness: PluginHarness): void | Promise<void>;
}

/** What a plugin registers with. Whatever it hands over is called under a time limit, and a failure of it is contained. */
export interface PluginHarness {
  /** Of this cinch. */
  readonly apiVersion: number;
  /** Aborts when the engine ends. */
  readonly signal: AbortSignal;
  /** A tool that says in a few lines what it is and does. */
  tool(tool: PluginTool): void;
  /** Tools with the engine's own contract, a late source too. */
  toolSource(source: Pick<ToolSource, "tools" | "late">): void;
  /**
   * Stands around every call of a tool whose input is valid, outside of permission: it can watch, change the input, which
   * is then judged like any other, and refuse. It can allow nothing.
   */
  toolMiddleware(run: PluginToolMiddleware, options?: PluginMiddlewareOptions): void;
  /**
   * Stands outermost around every request to a model. It refuses one by throwing what `context.error` returns: nothing is
   * sent, and the turn ends with that reason.
   */
  requestMiddleware(run: PluginRequestMiddleware, options?: PluginMiddlewareOptions): void;
  /** Told of each event of each session, in order, once it is in the log. */
  on(listener: PluginListener, kinds?: readonly EventKind[]): void;
  /** Called at a moment of a session, beside the hooks of the configuration and by the same rules. */
  hook<Moment extends keyof PluginMoments>(
    moment: Moment,
    run: PluginHook<Moment>,
    options?: PluginHookOptions,
  ): void;
  /** Claims a namespace of slash commands: `/NAMESPACE:NAME words`. */
  commands(namespace: string, commands: readonly PluginCommand[]): void;
  /** A rule of the permission gate, as in config.toml. What allows something is told to the person at the start. */
  permission(effect: "allow" | "ask" | "deny", rule: string): void;
  /** A model provider. Its name stands in `--model NAME:MODEL`; it needs no key of cinch's. */
  provider(name: string, open: ProviderFactory): void;
  /** A wire of the control plane: opened once the engine serves others, closed with it. */
  transport(transport: PluginTransport): void;
  /** Into the operational log, under the plugin's name. Never content of a conversation. */
  log(level: LogLevel, message: string, fields?: Readonly<Record<string, unknown>>): void;
}

export interface PluginTool {
  /** Letters, digits, underscores and dashes. */
  readonly name: string;
  /** At most 250 characters. */
  readonly description: string;
  readonly inputSchema: JsonSchema;
  /** What a call needs. Absent: DangerFullAccess, which is asked for. */
  readonly level?: Level;
  /** Whether a call can change anything outside the conversation. Absent: it can. */
  readonly mutating?: boolean;
  /** Not declared to the model, but found by ToolSearch. */
  readonly lazy?: boolean;
  /**
   * Says what a call will touch, with paths that are absolute and resolved; the permission gate judges that. Absent: it
   * touches nothing that a rule about paths or addresses could name.
   */
  plan?(input: JsonObject, at: PluginPlace): CallPlan | Promise<CallPlan>;
  /** The result, as a text or as blocks. What it throws is the call's failure, which the model sees. */
  run(input: JsonObject, call: PluginCallContext): string | ToolOutput | Promise<string | ToolOutput>;
}

export interface PluginPlace {
  /** Where the session works. */
  readonly root: string;
  readonly cwd: string;
  readonly signal: AbortSignal;
}

export interface PluginCallContext extends PluginSession, PluginPlace {
  readonly callId: CallId;
  readonly turn: number;
  /** Partial output for people who watch. */
  progress(text: string): void;
}

/** One call, as tool middleware sees it. */
export interface PluginCall extends PluginSession {
  readonly callId: CallId;
  readonly turn: number;
  readonly tool: string;
  readonly input: JsonObject;
  /** One line that names it, as permission rules do. */
  readonly summary: string;
  readonly signal: AbortSignal;
}

/**
 * Calls `next` at most once, with another input where it wants one. Not calling it refuses the call: what is returned
 * is its result then.
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
  /** True: a call or request that it failed to look at does not run. Absent: it goes on without it. */
  readonly guards?: boolean;
}

export type PluginListener = (event: Envelope, session: PluginSession) => void | Promise<void>;

export interface PluginCommand {
  /** 1 to 32 small letters, digits and hyphens, a letter first. */
  readonly name: string;
  /** How it is typed, behind its name: "NdM". */
  readonly usage?: string;
  /** One line for people. */
  readonly help: string;
  /** What is returned is shown to whoever sent it. What it throws refuses the command. */
  run(words: PluginWords, session: PluginCommandContext): string | undefined | Promise<string | undefined>;
}

/** What a command was sent with. */
export interface PluginWords {
  /** As a shell splits them. */
  readonly args: readonly string[];
  /** Everything behind the name as it was typed. */
  readonly text: string;
  /** The whole payload, from programs that send another one. */
  readonly payload: unknown;
}

export interface PluginCommandContext extends PluginSession {
  /** Whether a person sent it, or an agent. */
  readonly by: "human" | "agent";
  readonly signal: AbortSignal;
}

export interface PluginTransport {
  readonly name: string;
  /**
   * Begins to carry clients. Whoever it attaches has the rights that it says, so it has to know who they are. The signal
   * aborts when the engine ends; what is returned is disposed before that.
   */
  open(engine: EnginePort, signal: AbortSignal): AsyncDisposable | Promise<AsyncDisposable>;
}
