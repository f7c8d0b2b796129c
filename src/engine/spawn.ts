import type { PromptText } from "../base/brand.ts";
import { defined } from "../base/defined.ts";
import { toHarnessError } from "../base/files/storage-problem.ts";
import type { ContentBlock } from "../protocol/content.ts";
import type { Message } from "../protocol/message.ts";
import type { RequestMiddleware } from "../providers/middleware.ts";
import { lateStream } from "../providers/middleware.ts";
import type { AgentInputs, RunSubAgentRequest, SubAgentResult } from "../session/spawn.ts";
import type { ToolHandler } from "../tools/middleware.ts";
import type { ToolRegistry } from "../tools/registry.ts";
import { Conversation } from "./loop/conversation.ts";
import { Dispatcher } from "./loop/dispatch.ts";
import { runTurn } from "./loop/loop.ts";
import type { EngineDependencies } from "./loop/turn.ts";
import { Turn } from "./loop/turn.ts";

/** Parts of a session that its sub-agents share. */
export interface SpawnDependencies {
  readonly engine: EngineDependencies;
  /** The session's registry: a sub-agent sees all or part of it. */
  readonly registry: ToolRegistry;
  /** The whole tool middleware: permissions, hooks, ledger, sandbox, redaction. */
  readonly handler: ToolHandler;
  /** Middleware of the session's own requests, except the part that declares its tools. */
  readonly requestMiddleware: readonly RequestMiddleware[];
}

/**
 * Runs a sub-agent inside a session with a new history and its own hint; it shares the session's provider, tools and
 * middleware (ENG-10, [E] Spawn).
 *
 * Its events go to the session's bus with `parentCall`, under the number of the turn that it works for. Its messages
 * are in no log: only its result reaches the agent above. It ends at once with its signal. Throws only if the log
 * cannot be written.
 */
export async function spawn(request: RunSubAgentRequest, parts: SpawnDependencies): Promise<SubAgentResult> {
  const { engine } = parts;
  const { bus, redaction, world, session } = engine;
  const { within, tools, workspace, guard = (handler) => handler } = request;
  const conversation = new Conversation(unremembered(bus), []);
  const child: EngineDependencies = {
    world,
    session,
    bus,
    conversation,
    dispatcher: new Dispatcher({
      world,
      session,
      bus,
      registry: tools,
      workspace,
      redaction,
      handler: guard(parts.handler),
      within,
    }),
    redaction,
    requestMiddleware: [equipped(tools, request.hint), ...parts.requestMiddleware],
    tools: () => tools.declared(),
    model: request.model ?? engine.model,
    roundsMax: request.roundsMax,
    limits: engine.limits,
    spend: engine.spend,
    within,
  };
  using turn = new Turn(child, request.turn, request.originator, request.signal);
  turn.begin([{ type: "text", text: request.prompt }]);
  const { inputs } = request;
  inputs?.begin(async (event, originator) => {
    bus.publish(event, { ...turn.origin, ...defined({ originator }) });
    await bus.commit("power");
  });
  const ended = await runTurn(turn, child, async () => await steer(turn, inputs));
  await inputs?.end();
  bus.publish(ended, turn.origin);
  await bus.commit("process");
  const { reason } = ended.payload;
  const text = reason === "error" || reason === "cancelled" ? "" : lastText(conversation.messages);
  const { rounds, error } = turn;
  return {
    text,
    reason,
    rounds,
    ...(reason === "error" && error !== undefined ? { error: error.message } : {}),
  };
}

/**
 * Delivers inputs that clients sent to the sub-agent. A refused input is reported and dropped. An input
 * whose hooks still run when the sub-agent is cancelled stays in the queue.
 */
async function steer(turn: Turn, inputs: AgentInputs | undefined): Promise<boolean> {
  let any = false;
  for (let input = inputs?.first(); inputs !== undefined && input !== undefined; input = inputs.first()) {
    const { inputId, content, originator } = input;
    const { number, cancel, history } = turn;
    try {
      const added = await inputs.examine(content, {
        turn: number,
        originator,
        signal: cancel.signal,
        messages: () => history.messages,
        emit: (event) => turn.publish(event),
      });
      cancel.signal.throwIfAborted();
      inputs.take(inputId);
      await turn.interject(input, added);
      any = true;
    } catch (thrown) {
      cancel.signal.throwIfAborted();
      inputs.take(inputId);
      const { reason, message, fields } = toHarnessError(thrown);
      turn.publish({ kind: "Error", payload: { reason, message, details: { ...fields, inputId } } });
      turn.publish({ kind: "InputWithdrawn", payload: { inputId } });
    }
  }
  return any;
}

/** Returns the bus without storing messages: a sub-agent's history ends with it. */
function unremembered(bus: EngineDependencies["bus"]) {
  return {
    remember: () => undefined,
    publish: bus.publish.bind(bus),
    commit: bus.commit.bind(bus),
    get lastEvent() {
      return bus.lastEvent;
    },
  };
}

/** Declares the sub-agent's tools, when the required ones are ready, and adds its hint. */
function equipped(tools: ToolRegistry, hint: readonly PromptText[]): RequestMiddleware {
  const sections = hint.map((text) => ({ name: "sub-agent", text }));
  return function equipped(request, context, next) {
    return lateStream(async () => {
      if (tools.isLate) await tools.ready(context.signal);
      return next({ ...request, tools: tools.declared(), system: [...request.system, ...sections] }, context);
    });
  };
}

function lastText(messages: readonly Message[]): string {
  const last = messages.findLast(({ role, content }) => role === "assistant" && textOf(content) !== "");
  return last === undefined ? "" : textOf(last.content);
}

function textOf(content: readonly ContentBlock[]): string {
  return content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("");
}
