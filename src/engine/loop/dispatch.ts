import { messageOf } from "../../base/errors.ts";
import type { ClientId, SessionId } from "../../base/ids.ts";
import { lastLines } from "../../base/text/last-lines.ts";
import type { World } from "../../base/world.ts";
import type { PayloadOf } from "../../protocol/events/events.ts";
import { TAIL_BYTES_MAX, TAIL_LINES_MAX } from "../../protocol/events/progress-limits.ts";
import type { RedactingStream } from "../../safety/redact.ts";
import type { ToolCall, ToolHandler } from "../../tools/middleware.ts";
import { errorOutput } from "../../tools/output.ts";
import type { ToolRegistry } from "../../tools/registry.ts";
import type { SubAgentContext, ToolContext, ToolOutput, Workspace } from "../../tools/tool.ts";
import { displayFields } from "../../tools/tool-facts.ts";
import { cancelledCallText } from "../../view/texts/ending-text.ts";
import type { Bus } from "../bus/bus.ts";
import type { EventOrigin } from "../bus/origin.ts";
import type { Redaction } from "../bus/redaction.ts";
import type { CancelNode } from "../cancel.ts";
import type { PendingCall } from "./reply.ts";
import type { TurnTiming } from "./timing.ts";

/** The turn that a call belongs to. */
export interface DispatchContext {
  readonly originator: ClientId;
  readonly origin: EventOrigin;
  readonly turn: number;
  readonly cancel: CancelNode;
  readonly timing: TurnTiming;
  /** Set for a command that a person runs by themselves. */
  readonly shell?: { readonly toModel: boolean };
}

export interface DispatcherDependencies {
  readonly world: World;
  readonly session: SessionId;
  readonly bus: Bus;
  readonly registry: Pick<ToolRegistry, "resolve">;
  /** Set for a sub-agent's dispatcher. */
  readonly within?: SubAgentContext;
  readonly workspace: Workspace;
  readonly redaction: Redaction;
  /** The tool middleware around the tool. All policy is in there, none here ([A] hard rule 8). */
  readonly handler: ToolHandler;
  /**
   * Returns true for a call that may run in parallel with others of the same answer: it changes nothing and needs
   * no question. Returns "alone" for a call that also only reads, but runs by itself. Absent: one call runs at a
   * time (ENG-20).
   */
  readonly mayRunBeside?: (call: ToolCall, context: ToolContext) => Promise<boolean | "alone">;
}

export interface ParallelCalls {
  /** At least one. */
  readonly count: number;
  /** True if they change nothing: an earlier failure does not stop them, and theirs stops no other read-only call. */
  readonly onlyRead: boolean;
}

/** One call by itself. */
export const SINGLE_CALL: ParallelCalls = { count: 1, onlyRead: false };

/** Limit of calls that run in parallel. */
export const CALLS_AT_ONCE_MAX = 8;

/** Passes a call of the model to its tool, through the middleware, and publishes its events. */
export class Dispatcher {
  readonly #parts: DispatcherDependencies;

  constructor(parts: DispatcherDependencies) {
    this.#parts = parts;
  }

  /** Counts how many of these calls, from the first on, may run in parallel. */
  async together(calls: readonly PendingCall[], context: DispatchContext): Promise<ParallelCalls> {
    const { mayRunBeside } = this.#parts;
    if (mayRunBeside === undefined) return SINGLE_CALL;
    const first = calls.slice(0, CALLS_AT_ONCE_MAX);
    for (const [at, call] of first.entries()) {
      const { tool, name, input } = this.#parts.registry.resolve(call.name, call.input);
      const { signal } = context.cancel;
      const toolContext = this.#context(call, context, { signal, progress: () => undefined });
      const beside = await mayRunBeside({ ...call, name, input, tool }, toolContext);
      if (beside === true) continue;
      return at === 0 ? { count: 1, onlyRead: beside === "alone" } : { count: at, onlyRead: true };
    }
    return { count: first.length, onlyRead: true };
  }

  /**
   * Runs one call and resolves to its result, failures included.
   * @throws the signal's reason when it was cancelled; its result was published as well.
   */
  async dispatch(call: PendingCall, context: DispatchContext): Promise<ToolOutput> {
    this.start(call, context);
    const { output, thrown } = await this.#run(call, context);
    if (thrown !== undefined) throw thrown.reason;
    return output;
  }

  /** Returns false if the session has no tool of a name. */
  has(name: string): boolean {
    return this.#parts.registry.resolve(name, {}).tool.missing !== true;
  }

  /** Publishes the start of a call. `finish` runs it. */
  start(call: PendingCall, { origin, shell }: DispatchContext): void {
    const { bus, registry } = this.#parts;
    const { tool, name, input } = registry.resolve(call.name, call.input);
    const { mutating } = tool;
    const by = shell === undefined ? {} : { ...BY_USER, toModel: shell.toModel };
    bus.publish(
      {
        kind: "ToolCallStarted",
        payload: { callId: call.id, tool: name, args: input, mutating, ...displayFields(tool), ...by },
      },
      origin,
    );
  }

  /**
   * Runs a call whose start was published, and resolves to its result, also if it was cancelled.
   * @throws the error that ended the bus.
   */
  async finish(call: PendingCall, context: DispatchContext): Promise<ToolOutput> {
    return (await this.#run(call, context)).output;
  }

  async #run(call: PendingCall, context: DispatchContext): Promise<EndedCall> {
    const { bus, registry, world } = this.#parts;
    const { tool, name, input } = registry.resolve(call.name, call.input);
    using node = context.cancel.child();
    const progress = this.#progress(call, context);
    const startMs = world.clock.monotonic();
    try {
      node.signal.throwIfAborted();
      const resolved = { ...call, name, input, tool };
      const toolContext = this.#context(call, context, { signal: node.signal, progress: progress.push });
      // The middleware may have added text to the tool's: a refusal, or the command it would have run.
      const output = this.#parts.redaction.output(await this.#parts.handler(resolved, toolContext));
      progress.end();
      this.#tell(call, output, context);
      return { output };
    } catch (thrown) {
      if (this.#parts.bus.failure === undefined) progress.end();
      // Every published start of a call has a published end, whatever the result.
      const aborted = node.signal.aborted;
      const isBegun = bus.takeBegun(call.id);
      const output = aborted ? cancelled(node.signal.reason, isBegun) : broken(thrown);
      this.#tell(call, output, context);
      return { output, thrown: { reason: aborted ? node.signal.reason : thrown } };
    } finally {
      bus.takeBegun(call.id);
      context.timing.toolCall(call.id, name, world.clock.monotonic() - startMs);
    }
  }

  #tell(call: PendingCall, output: ToolOutput, context: DispatchContext): void {
    const { content, isError } = output;
    const by = context.shell === undefined ? {} : BY_USER;
    const payload = { callId: call.id, content: [...content], ...(isError ? { isError } : {}), ...by };
    this.#parts.bus.publish({ kind: "ToolResult", payload }, context.origin);
  }

  /** Publishes partial output after redaction; held text comes with the result. */
  #progress(call: PendingCall, { origin }: DispatchContext): Progress {
    const { bus, redaction } = this.#parts;
    let stream: RedactingStream | undefined; // most calls show nothing before their end
    let tail = "";
    const publish = (payload: Omit<PayloadOf<"ToolCallProgress">, "callId">) =>
      bus.publish({ kind: "ToolCallProgress", payload: { callId: call.id, ...payload } }, origin);
    return {
      push(text, command) {
        stream ??= redaction.stream();
        const partial = stream.push(text);
        if (command === undefined) {
          if (partial !== "") publish({ partial });
          return;
        }
        tail = lastLines(tail + partial, { linesMax: TAIL_LINES_MAX, bytesMax: TAIL_BYTES_MAX });
        const { tailOnly, ...numbers } = command;
        if (tailOnly !== true && partial !== "") publish({ partial, ...numbers });
        const shown = { callId: call.id, partial: "", tail, ...numbers };
        bus.notify({ kind: "ToolCallProgress", payload: shown }, origin);
      },
      end() {
        const partial = stream?.end() ?? "";
        if (partial !== "") publish({ partial });
      },
    };
  }

  #context(
    call: PendingCall,
    context: DispatchContext,
    { signal, progress }: Pick<ToolContext, "signal" | "progress">,
  ): ToolContext {
    const { world, session, bus, workspace, within } = this.#parts;
    const { originator, origin, turn, shell } = context;
    return {
      world,
      signal,
      session,
      callId: call.id,
      originator,
      turn,
      workspace,
      ...(within === undefined ? {} : { within }),
      ...(shell === undefined ? {} : { byUser: true }),
      progress,
      emit: (event) => bus.publish(event, origin),
    };
  }
}

/** Marks the events of a command that a person runs by themselves. */
export const BY_USER = { by: "user", shell: true } as const;

/** A published result, and what was thrown instead of it, if anything. */
interface EndedCall {
  readonly output: ToolOutput;
  readonly thrown?: { readonly reason: unknown };
}

interface Progress {
  readonly push: ToolContext["progress"];
  readonly end: () => void;
}

function broken(thrown: unknown): ToolOutput {
  return errorOutput(`not finished: ${messageOf(thrown)}`);
}

function cancelled(reason: unknown, isBegun: boolean): ToolOutput {
  return errorOutput(cancelledCallText(messageOf(reason), isBegun));
}
