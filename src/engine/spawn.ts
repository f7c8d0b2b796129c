import type { PromptText } from "../base/brand.ts";
import type { ContentBlock } from "../protocol/content.ts";
import type { Message } from "../protocol/message.ts";
import type { RequestMiddleware } from "../providers/middleware.ts";
import type { Spawned, Spawning } from "../session/spawn.ts";
import type { ToolHandler } from "../tools/middleware.ts";
import type { ToolRegistry } from "../tools/registry.ts";
import { Conversation } from "./loop/conversation.ts";
import { Dispatcher } from "./loop/dispatch.ts";
import { runTurn } from "./loop/loop.ts";
import type { EngineParts } from "./loop/turn.ts";
import { Turn } from "./loop/turn.ts";

/** What a session's sub-agents share with it. */
export interface SpawnParts {
  readonly engine: EngineParts;
  /** Of the session: a sub-agent sees it, or less of it. */
  readonly registry: ToolRegistry;
  /** The whole tool middleware: permissions, hooks, ledger, sandbox, redaction. */
  readonly handler: ToolHandler;
  /** What stands around the session's own requests, less what declares its tools. */
  readonly requestMiddleware: readonly RequestMiddleware[];
}

/**
 * Runs a sub-agent inside a session: a fresh history and a hint of its own; the session's provider, tools and middleware
 * (ENG-10, [E] Spawn).
 *
 * Its events go to the session's bus with `parentCall`, under the number of the turn that it works for. Its messages are
 * in no log: what it came to is the result of the call above. It ends with its signal, at once; however it ends, nothing
 * of it reaches the agent above but this result. Only a log that can no longer be written is thrown.
 */
export async function spawn(request: Spawning, parts: SpawnParts): Promise<Spawned> {
  const { engine } = parts;
  const { bus, redaction, world, session } = engine;
  const { within, tools, workspace, guard = (handler) => handler } = request;
  const conversation = new Conversation(unremembered(bus), []);
  const child: EngineParts = {
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
    within,
  };
  using turn = new Turn(child, request.turn, request.originator, request.signal);
  await turn.begin([{ type: "text", text: request.prompt }]);
  const ended = await runTurn(turn, child);
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

/** The bus, but for the messages: a sub-agent's history is its own, and ends with it. */
function unremembered(bus: EngineParts["bus"]) {
  return {
    remember: () => undefined,
    publish: bus.publish.bind(bus),
    commit: bus.commit.bind(bus),
    get lastEvent() {
      return bus.lastEvent;
    },
  };
}

/** Declares the sub-agent's own tools, once those that have to be there are, and adds what it is told. */
function equipped(tools: ToolRegistry, hint: readonly PromptText[]): RequestMiddleware {
  const sections = hint.map((text) => ({ name: "sub-agent", text }));
  return async function* equipped(request, context, next) {
    if (tools.isLate) await tools.ready(context.signal);
    yield* next({ ...request, tools: tools.declared(), system: [...request.system, ...sections] }, context);
  };
}

function lastText(messages: readonly Message[]): string {
  const last = messages.findLast(({ role, content }) => role === "assistant" && textOf(content) !== "");
  return last === undefined ? "" : textOf(last.content);
}

function textOf(content: readonly ContentBlock[]): string {
  return content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("");
}
