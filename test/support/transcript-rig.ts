import type { Envelope } from "../../src/protocol/events/envelope.ts";
import type { Event } from "../../src/protocol/events/events.ts";
import { T0 } from "./store-rig.ts";
import { testWorld } from "./world.ts";

const { ids } = testWorld({}, 11);

export const SESSION = ids.next("sess");
export const LOG = ids.next("log");
export const CLIENT = ids.next("cli");
export const CALL = ids.next("call");
export const OTHER_CALL = ids.next("call");

/** Facts of an exported log. */
export const INFO = {
  logId: LOG,
  session: SESSION,
  workingDir: "/home/someone/project",
  profile: "default",
  model: "mock:one",
  createdAt: T0,
  updatedAt: T0,
  lastEvent: 0,
  turns: 1,
  title: "fix it",
  pinned: false,
  interrupted: false,
};

/** Events in their envelopes, with ids from 1 on. */
export function envelopes(...events: readonly Event[]): readonly Envelope[] {
  return events.map((event, at) => ({ id: at + 1, session: SESSION, ts: T0, ...event }));
}

export async function* each<Item>(items: Iterable<Item>): AsyncGenerator<Item> {
  yield* items;
}

export async function gather<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  return await Array.fromAsync(items);
}

export function says(text: string): Event {
  return { kind: "TextDelta", payload: { text } };
}

export function asks(turn: number, text: string): Event {
  const content = [{ type: "text" as const, text }];
  return { kind: "TurnStarted", payload: { turn, originator: CLIENT, content } };
}

export function ends(turn: number): Event {
  return { kind: "TurnEnded", payload: { turn, reason: "complete", rounds: 1 } };
}

export function starts(tool: string, args: unknown, callId = CALL): Event {
  return { kind: "ToolCallStarted", payload: { callId, tool, args, mutating: false } };
}

export function results(text: string, callId = CALL): Event {
  return { kind: "ToolResult", payload: { callId, content: [{ type: "text", text }] } };
}
