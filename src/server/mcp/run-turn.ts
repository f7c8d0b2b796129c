import type { CallToolResult } from "@modelcontextprotocol/server";
import * as z from "zod";
import { defined } from "../../base/defined.ts";
import type { InputId, SessionId } from "../../base/ids.ts";
import type { Clock } from "../../base/world.ts";
import type { Connection } from "../../protocol/connection.ts";
import type { Envelope } from "../../protocol/events/envelope.ts";
import { readCommand } from "../../protocol/read.ts";
import { type TurnAnswer, UsageInfo } from "../../protocol/resources.ts";
import { isShellEvent } from "../../view/event-facts.ts";
import { followTurn } from "../../view/follow-turn.ts";
import { permissionHeading } from "../../view/questions/question-words.ts";
import type { SentInput } from "../../view/turn-result.ts";
import { turnAnswer } from "../../view/turn-result.ts";
import { sessionInfo } from "../hub/queries/session-info.ts";
import type { AgentClient } from "./agent-client.ts";
import { factsResult, withBanner } from "./results.ts";
import { eventsUri } from "./uris.ts";

/** Longest silence for a client that waits for a turn and wants progress. */
const PROGRESS_MS = 10_000;

export const DELIVERIES = ["reject", "queue", "steer"] as const;

/** One call of a tool. */
export interface McpToolCall {
  readonly client: AgentClient;
  readonly clock: Pick<Clock, "timer">;
  /** Aborts when the client wants no answer any more. */
  readonly signal: AbortSignal;
  /** Returns true if the client took the request back, false if its connection ended. */
  readonly isTakenBack: () => boolean;
  /** Reports progress to the client; absent: it wants none. */
  readonly progress?: (message: string) => Promise<void>;
}

export interface TurnInput {
  readonly prompt: string;
  readonly sessionId?: SessionId | undefined;
  readonly wait?: "turn" | "none" | undefined;
  readonly skill?: string | undefined;
  readonly delivery?: (typeof DELIVERIES)[number] | undefined;
}

/** Answer of the tools that run a turn. */
export const RUN_RESULT = z.object({
  sessionId: z.string(),
  /** False if it answers before the turn has ended. */
  ended: z.boolean(),
  text: z.string().optional().describe("The last message of the model that had text."),
  reason: z.string().optional().describe("Why the turn ended: complete, cancelled, error, turn_limit …"),
  cost: z.number().nullable().optional().describe("US dollars; null where a price is unknown."),
  turns: z.int().optional().describe("Calls of the model in this turn."),
  usage: UsageInfo.optional(),
  tools_used: z.array(z.string()).optional(),
  refused: z.int().optional().describe("Calls that did not run because nobody had allowed them."),
  error: z.object({ reason: z.string(), message: z.string() }).optional(),
  inputId: z.string().optional(),
  events: z.string().optional().describe("The resource that tells what happens from here on."),
});

/**
 * Sends input and, unless told otherwise, waits for the end of its turn.
 *
 * If the client leaves, only the waiting stops; if it takes its request back, the turn stops too.
 */
export async function runTurnTool(input: TurnInput, call: McpToolCall): Promise<CallToolResult> {
  const { client, signal } = call;
  const sessionId = await client.sessionFor(input.sessionId);
  const connection = await client.connection();
  client.noteTurns(sessionId);
  const { prompt, skill, delivery } = input;
  const command = readCommand({
    kind: "SendInput",
    sessionId,
    content: [{ type: "text", text: prompt }],
    ...defined({ skill, delivery }),
  });
  const isFirst = client.takeBanner();
  const answered = (result: CallToolResult) => (isFirst ? withBanner(result, client) : result);
  if (input.wait === "none") {
    const { events } = await sessionInfo(client.engine, sessionId, { ...client.asking, signal });
    const { inputId } = await connection.send(command);
    const facts = { sessionId, ended: false, events: eventsUri(sessionId, events) };
    return answered(factsResult(inputId === undefined ? facts : { ...facts, inputId }));
  }
  signal.throwIfAborted();
  const leave = new AbortController();
  let sent: SentInput = { by: connection.clientId };
  let hasBegun = false;
  const stop = () => {
    if (call.isTakenBack()) void takeBack(connection, sessionId, hasBegun ? undefined : sent.inputId);
    leave.abort(signal.reason);
  };
  signal.addEventListener("abort", stop, { once: true });
  try {
    // Before it is sent: else a turn could end before anybody reads.
    const events = connection.subscribe(sessionId, { signal: leave.signal });
    const { inputId } = await connection.send(command);
    if (inputId !== undefined) sent = { ...sent, inputId };
    const turn = await followTurn(progressing(events, call), sent, () => {
      hasBegun = true;
    });
    return answered(toolResult(sessionId, turnAnswer(turn)));
  } finally {
    signal.removeEventListener("abort", stop);
    leave.abort(new Error("nobody waits for the turn any more"));
  }
}

/** Returns the message first, for the caller; then cost and effort. */
function toolResult(sessionId: SessionId, turn: TurnAnswer): CallToolResult {
  const { text, reason, cost_usd: cost, turns, usage, tools_used, refused, error } = turn;
  const summary = { cost, turns, tools_used, reason, sessionId };
  const failed = reason === "error" ? "The turn failed" : "The turn ended before it was done";
  const failure = error === undefined ? "" : `${failed}: ${error.message} (${error.reason})`;
  const message = [text, failure].filter((part) => part !== "").join("\n\n");
  return {
    content: [
      ...(message === "" ? [] : [{ type: "text" as const, text: message }]),
      { type: "text", text: JSON.stringify(summary) },
    ],
    structuredContent: {
      ...summary,
      text,
      ended: true,
      ...defined({ usage, refused, error }),
    },
    ...(reason === "error" ? { isError: true } : {}),
    _meta: { cost, turns, tools_used },
  };
}

/** Reports the calls that start, and at intervals that the turn continues: otherwise the client stops waiting. */
async function* progressing(
  events: AsyncIterable<Envelope>,
  { clock, progress }: McpToolCall,
): AsyncGenerator<Envelope> {
  if (progress === undefined) return yield* events;
  let telling = Promise.resolve();
  const say = (message: string) => {
    telling = telling.then(() => progress(`${message}.`)).catch(() => undefined); // a client that left gets no progress
  };
  let timer: Disposable | undefined;
  const beat = () => {
    timer = clock.timer(PROGRESS_MS, () => {
      say("The turn continues");
      beat();
    });
  };
  beat();
  try {
    for await (const event of events) {
      const text = progressText(event);
      if (text !== undefined) say(text);
      yield event;
    }
  } finally {
    timer?.[Symbol.dispose]();
  }
}

/** Returns what to report of an event, without a full stop; undefined for most events. */
export function progressText(event: Envelope): string | undefined {
  if (isShellEvent(event)) return undefined;
  if (event.kind === "ToolCallStarted") return `Calls ${event.payload.tool}`;
  return event.kind === "PermissionRequested" ? permissionHeading(event.payload) : undefined;
}

/** Withdraws an input that still waits; else cancels its turn. */
async function takeBack(
  connection: Connection,
  sessionId: SessionId,
  waiting: InputId | undefined,
): Promise<void> {
  const command =
    waiting === undefined
      ? ({ kind: "CancelTurn", sessionId } as const)
      : ({ kind: "WithdrawInput", sessionId, inputId: waiting } as const);
  await connection.send(command).catch(() => undefined); // it is over, or this client may not stop it
}
