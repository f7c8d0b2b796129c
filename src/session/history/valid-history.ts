import { unreachable } from "../../base/assert.ts";
import type { CallId } from "../../base/ids.ts";
import { isObject, wellFormedJson } from "../../base/json.ts";
import { wellFormed } from "../../base/text/text.ts";
import type { ContentBlock, ResultContent, ToolResultBlock, ToolUseBlock } from "../../protocol/content.ts";
import type { Message } from "../../protocol/message.ts";

/** Text for the model about a call whose result was never recorded. */
export const INTERRUPTED = "interrupted: no result was recorded";

const NO_OUTPUT = "(no output)";
const CONTINUED = "(the conversation goes on here)";

/**
 * Turns any list of messages into one that every provider takes (ENG-18, R01, R02).
 *
 * Afterwards: user first, then alternating roles; no empty message or block; exactly one tool_result answers each
 * tool_use, at the start of the next message and in the order of the calls; there is no other tool_result; call ids
 * are unique; all text is well-formed. A result that stands too late is moved to its call, a missing one becomes an
 * error result. A valid list comes back equal.
 */
export function validHistory(messages: readonly Message[]): Message[] {
  const results = collectResults(messages);
  const answered = new Set<CallId>();
  const history: Message[] = [];

  for (const message of messages) {
    if (message.role === "user") {
      push(history, "user", userBlocks(message));
      continue;
    }
    const blocks = assistantBlocks(message, answered);
    push(history, "assistant", blocks);
    const answers = blocks
      .filter((block) => block.type === "tool_use")
      .map((call) => answerTo(call, results));
    push(history, "user", answers);
  }
  return history;
}

/**
 * Returns the same messages with neighbours of one role joined: they are stored one by one and sent with
 * alternating roles.
 */
export function joinRoles(messages: readonly Message[]): Message[] {
  const history: Message[] = [];
  for (const message of messages) {
    const last = history.at(-1);
    if (last?.role === message.role) history[history.length - 1] = joinMessages(last, message);
    else history.push(message);
  }
  return history;
}

/**
 * Joins two messages of one role. Results of calls come first: input from beside a turn may have been stored before
 * them, and providers take no other block between a call and its result.
 */
export function joinMessages(one: Message, other: Message): Message {
  const content = [...one.content, ...other.content];
  const isResult = ({ type }: ContentBlock) => type === "tool_result";
  if (!other.content.some(isResult) || one.content.every(isResult)) return { ...one, content };
  return { ...one, content: [...content.filter(isResult), ...content.filter((block) => !isResult(block))] };
}

/** Returns the first result of each call that stands somewhere after the call. */
function collectResults(messages: readonly Message[]): ReadonlyMap<CallId, ToolResultBlock> {
  const called = new Set<CallId>();
  const results = new Map<CallId, ToolResultBlock>();
  for (const { role, content } of messages) {
    for (const block of content) {
      if (role === "assistant" && block.type === "tool_use") called.add(block.id);
      if (role === "user" && block.type === "tool_result" && called.has(block.tool_use_id)) {
        if (!results.has(block.tool_use_id)) results.set(block.tool_use_id, block);
      }
    }
  }
  return results;
}

function userBlocks({ content }: Message): ContentBlock[] {
  return content.flatMap((block): ContentBlock[] => {
    if (block.type === "text") return validText(block);
    return block.type === "image" || block.type === "audio" || block.type === "document" ? [block] : [];
  });
}

/** Returns the blocks to keep. Adds their calls to `seen`; a call id that was there before is dropped. */
function assistantBlocks({ content }: Message, seen: Set<CallId>): ContentBlock[] {
  const blocks: ContentBlock[] = [];
  for (const block of content) {
    switch (block.type) {
      case "text":
        blocks.push(...validText(block));
        break;
      case "tool_use":
        if (seen.has(block.id)) continue;
        seen.add(block.id);
        blocks.push(validCall(block));
        break;
      case "thinking":
        blocks.push({ ...block, text: wellFormed(block.text) });
        break;
      case "opaque":
      case "yield":
        blocks.push(block);
        break;
      case "image":
      case "audio":
      case "document":
      case "tool_result":
        break; // an assistant may not send it
      default:
        unreachable(block);
    }
  }
  // Thinking at the end came from a stream that broke off; no provider takes it back.
  while (blocks.at(-1)?.type === "thinking") blocks.pop();
  return blocks.every(({ type }) => type === "yield" || type === "thinking") ? [] : blocks;
}

function validText<Block extends { readonly type: "text"; readonly text: string }>(block: Block): Block[] {
  if (block.text.trim() === "") return [];
  return block.text.isWellFormed() ? [block] : [{ ...block, text: wellFormed(block.text) }];
}

function validCall(call: ToolUseBlock): ToolUseBlock {
  const input = isObject(call.input) ? wellFormedJson(call.input) : {};
  return input === call.input ? call : { ...call, input };
}

function answerTo(call: ToolUseBlock, results: ReadonlyMap<CallId, ToolResultBlock>): ToolResultBlock {
  const result = results.get(call.id);
  if (result === undefined) return interruptedResult(call.id);
  const content = result.content.flatMap((block): ResultContent[] =>
    block.type === "text" ? validText(block) : [block],
  );
  return { ...result, content: content.length > 0 ? content : [{ type: "text", text: NO_OUTPUT }] };
}

function interruptedResult(id: CallId): ToolResultBlock {
  return {
    type: "tool_result",
    tool_use_id: id,
    content: [{ type: "text", text: INTERRUPTED }],
    is_error: true,
  };
}

/** Adds blocks to the last message if it has the same role. */
function push(history: Message[], role: Message["role"], blocks: readonly ContentBlock[]): void {
  if (blocks.length === 0) return;
  const last = history.at(-1);
  if (last?.role === role) {
    history[history.length - 1] = { role, content: [...last.content, ...blocks] };
    return;
  }
  if (last === undefined && role === "assistant") {
    history.push({ role: "user", content: [{ type: "text", text: CONTINUED }] });
  }
  history.push({ role, content: [...blocks] });
}
