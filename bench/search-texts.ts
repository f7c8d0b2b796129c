import type { CallId, SessionId } from "../src/base/ids.ts";
import type { World } from "../src/base/world.ts";
import type { Envelope } from "../src/protocol/events/envelope.ts";
import type { Event } from "../src/protocol/events/events.ts";

/** A word that only the first session has. */
export const ONLY_IN_OLDEST = "quetzalcoatl";

const COMMON_WORDS =
  "the of and to in is that it for was on are as with be at this from error file line test".split(" ");
const SYLLABLES = "ba con der el fi ga hor in jo ka lo mi nu or pre qui re sta tri un vel wor xe yl za".split(
  " ",
);
const WORDS = 20_000;
const TURN_EVENTS = 20;
const DELTA_WORDS = 10;
const RESULT_WORDS = 90;

/** Words of two to four syllables; of any three, two are common ones. */
function word(draw: () => number): string {
  const rank = Math.floor(WORDS ** draw());
  const common = COMMON_WORDS[rank - 1];
  if (common !== undefined) return common;
  let rest = (rank * 2_654_435_761) >>> 0;
  let text = "";
  for (let count = 2 + (rank % 3); count > 0; count--) {
    text += SYLLABLES[rest % SYLLABLES.length];
    rest = Math.floor(rest / SYLLABLES.length) + rank;
  }
  return text;
}

function words(draw: () => number, count: number): string {
  return Array.from({ length: count }, () => word(draw)).join(" ");
}

interface MadeSession {
  readonly session: number;
  readonly events: number;
  readonly world: Pick<World, "clock" | "ids">;
}

/** The events of one session: turns with text in deltas, calls with results, and costs. The same for each number. */
export function sessionEvents(id: SessionId, made: MadeSession): readonly Envelope[] {
  return [...eachSessionEvent(id, made)];
}

/** Yields the same events, for sessions that do not fit in memory. */
export function* eachSessionEvent(
  id: SessionId,
  { session, events, world }: MadeSession,
): Generator<Envelope> {
  const draw = drawing(session + 1);
  const ts = new Date(world.clock.now()).toISOString();
  let callId: CallId = world.ids.next("call");
  const event = (at: number): Event => {
    const turn = 1 + Math.floor(at / TURN_EVENTS);
    const place = at % TURN_EVENTS;
    if (place === 0) {
      const text = `${words(draw, 20)}${session === 0 && turn === 1 ? ` ${ONLY_IN_OLDEST}` : ""}`;
      const originator = world.ids.next("cli");
      return { kind: "TurnStarted", payload: { turn, originator, content: [{ type: "text", text }] } };
    }
    if (place === TURN_EVENTS - 1) return { kind: "TurnEnded", payload: { turn, reason: "complete" } };
    if (place % 6 === 4) {
      callId = world.ids.next("call");
      const args = { command: words(draw, 6), file_path: `/repo/src/${word(draw)}.ts` };
      return { kind: "ToolCallStarted", payload: { callId, tool: "Bash", args, mutating: false } };
    }
    if (place % 6 === 5) {
      const content = [{ type: "text" as const, text: words(draw, RESULT_WORDS) }];
      return { kind: "ToolResult", payload: { callId, content } };
    }
    if (place % 6 === 0) return { kind: "CostIncremented", payload: { ...COST, turn } };
    return { kind: "TextDelta", payload: { text: ` ${words(draw, DELTA_WORDS)}` } };
  };
  for (let at = 0; at < events; at++) yield { ...event(at), id: at + 1, session: id, ts } as Envelope;
}

/** The text of an event that a search looks at. */
export function textOf({ kind, payload }: Envelope): string {
  switch (kind) {
    case "TextDelta":
      return payload.text;
    case "TurnStarted":
      return (payload.content ?? []).map((block) => (block.type === "text" ? block.text : "")).join("");
    case "ToolResult":
      return payload.content.map((block) => (block.type === "text" ? block.text : "")).join("");
    case "ToolCallStarted":
      return JSON.stringify(payload.args);
    default:
      return "";
  }
}

const COST = { provider: "bench", model: "model", inputTokens: 1, outputTokens: 1, usd: 0.001 };

/** Numbers between 0 and 1, the same for one seed (xorshift32). */
function drawing(seed: number): () => number {
  let state = Math.imul(seed, 0x9e_37_79_b1) >>> 0 || 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    state >>>= 0;
    return state / 2 ** 32;
  };
}
