import * as fc from "fast-check";
import type { SessionId } from "../../../src/base/ids.ts";
import type { Envelope } from "../../../src/protocol/events/envelope.ts";
import { fakeId } from "../fake-connection.ts";
import { hostileText } from "./hostile-text.ts";

/** More than is read at once when a session is opened, by some pages. */
const TURNS = 320;
/** Every so many turns a text fills several screens. */
const LONG_EACH = 40;
const STARTED_MS = 1_740_000_000_000;
const FIRST_CALL = 1_000;
/** The word that a search finds in texts that were read back, and in folded output. */
export const FOUND_WORD = "needle";

const logs = new Map<SessionId, readonly Envelope[]>();

/** Returns the stored log of a session: turns with texts, calls and folded output, and hostile texts among them. */
export function longLog(session: SessionId): readonly Envelope[] {
  const known = logs.get(session);
  if (known !== undefined) return known;
  const texts = fc.sample(hostileText, { seed: 11, numRuns: TURNS });
  const log: Envelope[] = [];
  const add = (kind: string, payload: object, more: object = {}) => {
    const id = log.length + 1;
    const ts = new Date(STARTED_MS + id * 1_000).toISOString();
    log.push({ id, session, ts, kind, payload, ...more } as unknown as Envelope);
  };
  for (const [at, text] of texts.entries()) addTurn(add, at + 1, text);
  logs.set(session, log);
  return log;
}

type Add = (kind: string, payload: object, more?: object) => void;

function addTurn(add: Add, turn: number, text: string): void {
  const callId = fakeId("call", FIRST_CALL + turn);
  const word = turn % 9 === 0 ? FOUND_WORD : "hay";
  add("TurnStarted", {
    turn,
    originator: fakeId("cli", 2),
    content: [{ type: "text", text: `${turn} ${text}` }],
  });
  add("TextDelta", { text: `answer ${turn}: ${word}\n\n` });
  if (turn % LONG_EACH === 0)
    add("TextDelta", { text: `${"a long paragraph of words. ".repeat(20)}\n\n`.repeat(20) });
  add("ToolCallStarted", { callId, tool: "Bash", args: { command: `run ${turn} ${text}` }, mutating: true });
  add("ToolCallProgress", { callId, partial: `line\n${text}\n` });
  add("ToolResult", { callId, content: [{ type: "text", text: `output of ${turn}\n`.repeat(12) + word }] });
  add("TextDelta", { text });
  add("TurnEnded", { turn, reason: "complete", rounds: 2 });
}
