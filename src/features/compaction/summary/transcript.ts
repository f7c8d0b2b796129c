import { byteLength, count } from "../../../base/text/text.ts";
import type { ContentBlock } from "../../../protocol/content.ts";
import type { Message } from "../../../protocol/message.ts";
import { isTurnStart, userText } from "../facts/user-text.ts";
import { withoutFence } from "./compacted-head.ts";
import { headAndTail, withinBytes } from "./cut-text.ts";

/** Limits for one piece of a transcript, from generous to scarce: the first with which everything fits is used. */
const PIECE_BYTES = [4_000, 1_200, 400, 160] as const;

/**
 * Renders what was said and done, for a model to summarise, within a number of bytes. The middle is dropped first.
 */
export function transcript(messages: readonly Message[], earlier: string, bytesMax: number): string {
  const before =
    earlier === "" ? "" : `Summary of what was before:\n${headAndTail(earlier, bytesMax / 3)}\n\n`;
  const room = Math.max(0, bytesMax - byteLength(before));
  for (const pieceBytes of PIECE_BYTES) {
    const text = messages.flatMap((message) => lines(message, pieceBytes)).join("\n");
    if (byteLength(text) <= room) return before + text;
  }
  const scarce = messages.flatMap((message) => lines(message, PIECE_BYTES[3])).join("\n");
  return before + headAndTail(scarce, room);
}

function lines({ role, content }: Message, bytesMax: number): readonly string[] {
  return content.flatMap((block) => line(role, block, bytesMax));
}

function line(role: Message["role"], block: ContentBlock, bytesMax: number): readonly string[] {
  switch (block.type) {
    case "text":
      return [`${role === "user" ? "User" : "Assistant"}: ${headAndTail(block.text, bytesMax)}`];
    case "tool_use":
      return [`Call of ${block.name}: ${headAndTail(JSON.stringify(block.input) ?? "", bytesMax / 2)}`];
    case "tool_result": {
      const text = block.content.map((part) =>
        part.type === "text" ? withoutFence(part.text) : `(${part.type})`,
      );
      return [
        `${block.is_error === true ? "Failed" : "Result"}: ${headAndTail(text.join("\n"), bytesMax / 2)}`,
      ];
    }
    case "image":
    case "audio":
    case "document":
      return [`User: [${block.type}]`];
    case "thinking":
    case "opaque":
    case "yield":
      return [];
  }
}

const ASKED_BYTES = 240;
const SAID_BYTES = 400;

/**
 * Returns a summary that needs no model (tier 3): for each turn what was asked, what was called and what was said
 * last. The newest turns come first if not all fit.
 */
export function digest(messages: readonly Message[], earlier: string, bytesMax: number): string {
  const before = earlier === "" ? "" : headAndTail(earlier, Math.floor(bytesMax / 3));
  const turns = splitTurns(messages).map(turnLine);
  let remainingBytes = bytesMax - byteLength(before) - 100;
  const sections: string[] = [];
  for (const text of turns.toReversed()) {
    remainingBytes -= byteLength(text) + 1;
    if (remainingBytes < 0) break;
    sections.unshift(text);
  }
  const missing = turns.length - sections.length;
  return [
    ...(before === "" ? [] : [before]),
    ...(missing === 0 ? [] : [`(${count(missing, "turn")} more in the log)`]),
    ...sections,
  ].join("\n");
}

export function splitTurns(messages: readonly Message[]): readonly (readonly Message[])[] {
  const turns: Message[][] = [];
  for (const message of messages) {
    const current = turns.at(-1);
    if (current === undefined || isTurnStart(message)) turns.push([message]);
    else current.push(message);
  }
  return turns;
}

/** Returns the facts of one turn: what was asked, which tools were called and how often, and what was said last. */
export function turnFacts(messages: readonly Message[]): {
  readonly asked: string;
  readonly calls: string;
  readonly said: string;
} {
  const [first] = messages;
  const asked = first !== undefined && isTurnStart(first) ? userText(first) : "";
  const counts = new Map<string, number>();
  let said = "";
  for (const { role, content } of messages) {
    for (const block of content) {
      if (block.type === "tool_use") counts.set(block.name, (counts.get(block.name) ?? 0) + 1);
      if (role === "assistant" && block.type === "text") said = block.text;
    }
  }
  return { asked, calls: [...counts].map(([name, times]) => `${name} ×${times}`).join(", "), said };
}

function turnLine(messages: readonly Message[]): string {
  const { asked, calls, said } = turnFacts(messages);
  return [
    asked === "" ? "- Went on." : `- Asked: ${JSON.stringify(withinBytes(asked, ASKED_BYTES))}.`,
    ...(calls === "" ? [] : [`Called ${calls}.`]),
    ...(said === "" ? [] : [`Said: ${JSON.stringify(withinBytes(said, SAID_BYTES))}.`]),
  ].join(" ");
}
