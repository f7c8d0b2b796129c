import type { SessionId } from "../../base/ids.ts";
import { isObject } from "../../base/json.ts";
import { shortened } from "../../base/text.ts";
import type { Command, CommandOf } from "../../protocol/commands.ts";
import type { Envelope } from "../../protocol/envelope.ts";
import { rewindText } from "../kit/rewind-text.ts";
import { neutraliseLine } from "../kit/terminal-text.ts";

/** Turns that can be named; older ones are reached by their event with `cinch sessions rewind`. */
const TURNS_HELD_MAX = 500;
const TURNS_LISTED_MAX = 20;
const WORDS_SHOWN_MAX = 60;

/** A turn that was seen to begin. */
export interface SeenTurn {
  readonly turn: number;
  readonly event: number;
  readonly words: string;
}

/** The turns with one that an event tells of, where it does. */
export function withTurn(turns: readonly SeenTurn[], envelope: Envelope): readonly SeenTurn[] {
  if (envelope.kind !== "TurnStarted" || envelope.parentCall !== undefined) return turns;
  const { turn, content = [] } = envelope.payload;
  const text = content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join(" ");
  const words = neutraliseLine(shortened(text.replaceAll(/\s+/gu, " ").trim(), WORDS_SHOWN_MAX));
  return [...turns.slice(1 - TURNS_HELD_MAX), { turn, event: envelope.id, words }];
}

/** What setting back needs of the line client. */
export interface RewindSurface {
  readonly session: SessionId;
  readonly turns: readonly SeenTurn[];
  say(text: string): Promise<void>;
  /** Sends a command; gives what it answered with, or undefined where it was refused, which is told. */
  request(command: Command): Promise<unknown>;
}

const WHAT = ["files", "conversation", "both"] as const;

/**
 * Without a number it lists the turns. With one it shows what setting back to right before that turn would do, then has
 * it done: the engine asks before it does anything.
 */
export async function rewind(args: readonly string[], client: RewindSurface): Promise<void> {
  const [number, named = "both"] = args;
  if (number === undefined) return await client.say(turnList(client.turns));
  const what = WHAT.find((known) => known === named);
  const turn = client.turns.findLast((seen) => String(seen.turn) === number);
  if (what === undefined || (turn === undefined && number !== "0")) {
    return await client.say(
      what === undefined
        ? "Say what is to be set back: /rewind N files, /rewind N conversation or /rewind N both."
        : "There is no turn with this number; /rewind lists them.",
    );
  }
  const command: CommandOf<"RewindSession"> = {
    kind: "RewindSession",
    sessionId: client.session,
    to: turn?.event ?? 0,
    what,
  };
  const planned = await client.request({ ...command, preview: true });
  if (planned === undefined) return;
  await client.say(rewindText(planned));
  const done = await client.request(command);
  if (!isObject(done)) return;
  await client.say(done["done"] === true ? rewindText(done) : "Nothing was set back.");
}

function turnList(turns: readonly SeenTurn[]): string {
  if (turns.length === 0) return "There is no turn to go back to yet.";
  const listed = turns.slice(-TURNS_LISTED_MAX);
  const width = Math.max(...listed.map(({ turn }) => String(turn).length));
  return [
    ...listed.map(({ turn, words }) => `  ${String(turn).padStart(width)}  ${words}`),
    "/rewind N sets files and conversation back to right before turn N; /rewind N files or /rewind N conversation one of them.",
  ].join("\n");
}
