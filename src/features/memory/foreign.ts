import { stringAt } from "../../base/json.ts";
import type { Message } from "../../protocol/message.ts";
import type { ToolTable } from "../../tools/tool-facts.ts";
import { unwrapCall } from "../../tools/tool-search.ts";

const NETWORK_COMMANDS =
  /(?:^|[\s;&|("'`/$])(?:curl|wget|gh|glab|http|https|xh|lynx|w3m|links|nc|ncat|telnet|ftp|scp|rsync|git\s+(?:\S+\s+){0,6}?(?:clone|fetch|pull|ls-remote))(?=$|[\s;&|)"'`])/;
/** What was piped into the prompt, and what was made of words that are gone. */
const SECTIONS = [
  { mark: "<untrusted-attachment>", what: "what was attached to the prompt" },
  { mark: "<untrusted-summary>", what: "a summary of what stood here before" },
] as const;

/**
 * Remembers whether a conversation has read what strangers wrote: a page, another server's answer, an attachment. What a
 * model keeps after that may be theirs (the known way to poison a memory).
 *
 * It is a guess on the safe side, no boundary: files of the repository are not counted, since all work reads them.
 */
export class ForeignReading {
  readonly #tools: ToolTable;
  #read: string | undefined;
  /** Held by nobody else, they are let go of: an idle session has its history in the log alone. */
  readonly #seen = new WeakSet<Message>();
  #isFirst = true;

  constructor(tools: ToolTable) {
    this.#tools = tools;
  }

  /** What was read, in words for a person; undefined where nothing was. */
  get what(): string | undefined {
    return this.#read;
  }

  /** Is shown the messages of each request. What was seen once counts until the session ends. */
  see(messages: readonly Message[]): void {
    if (this.#read !== undefined) return;
    // A summary that was made in this run tells of what was seen in this run.
    const sections = this.#isFirst ? SECTIONS : SECTIONS.slice(0, 1);
    for (const message of messages) {
      if (this.#seen.has(message)) continue;
      this.#seen.add(message);
      for (const block of message.content) this.#read ??= foreignIn(block, sections, this.#tools);
    }
    this.#isFirst = false;
  }
}

function foreignIn(
  block: Message["content"][number],
  sections: readonly (typeof SECTIONS)[number][],
  tools: ToolTable,
): string | undefined {
  if (block.type === "text") return sections.find(({ mark }) => block.text.includes(mark))?.what;
  if (block.type !== "tool_use") return undefined;
  const { name, input } = unwrapCall(block);
  const facts = tools.of(name);
  if (facts?.output !== "own") return `what ${name} answered`;
  const command =
    facts.effect === "runs-commands" && facts.subject !== undefined
      ? stringAt(input, facts.subject)
      : undefined;
  const network = command === undefined ? null : NETWORK_COMMANDS.exec(command);
  return network === null ? undefined : "what a command got from the network";
}
