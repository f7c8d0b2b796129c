import { stringAt } from "../../base/json.ts";
import type { Message } from "../../protocol/message.ts";
import { commonStart } from "../../providers/dialect/request/common-start.ts";
import type { ToolTable } from "../../tools/tool-facts.ts";
import { unwrapCall } from "../../tools/tool-search.ts";

const NETWORK_COMMANDS =
  /(?:^|[\s;&|("'`/$])(?:curl|wget|gh|glab|http|https|xh|lynx|w3m|links|nc|ncat|telnet|ftp|scp|rsync|git\s+(?:\S+\s+){0,6}?(?:clone|fetch|pull|ls-remote))(?=$|[\s;&|)"'`])/;
/** Sections of a prompt with content from elsewhere: attachments, and summaries of removed text. */
const SECTIONS = [
  { mark: "<untrusted-attachment>", what: "what was attached to the prompt" },
  { mark: "<untrusted-summary>", what: "a summary of what stood here before" },
] as const;

/**
 * Detects whether a conversation has read untrusted content: a page, another server's answer, an attachment. A memory
 * written afterwards may contain it, which is the known way to poison memories.
 *
 * This is a conservative guess, not a boundary: files of the repository do not count, because all work reads them.
 */
export class UntrustedContent {
  readonly #tools: ToolTable;
  #read: string | undefined;
  /** Weak, because an idle session keeps its history only in the log. */
  readonly #seen = new WeakSet<Message>();
  /** By the first message: the messages of the last request. */
  readonly #checked = new WeakMap<Message, readonly Message[]>();
  #isFirst = true;

  constructor(tools: ToolTable) {
    this.#tools = tools;
  }

  /** The untrusted content that was read, in words for a person; undefined if there was none. */
  get description(): string | undefined {
    return this.#read;
  }

  /** Checks the messages of a request. A finding holds until the session ends. */
  check(messages: readonly Message[]): void {
    if (this.#read !== undefined) return;
    // A summary made in this run covers only what was checked in this run.
    const sections = this.#isFirst ? SECTIONS : SECTIONS.slice(0, 1);
    const [first] = messages;
    if (first === undefined) return;
    for (const message of messages.slice(commonStart(messages, this.#checked.get(first) ?? []))) {
      if (this.#seen.has(message)) continue;
      this.#seen.add(message);
      for (const block of message.content) this.#read ??= untrustedIn(block, sections, this.#tools);
    }
    this.#checked.set(first, messages);
    this.#isFirst = false;
  }
}

function untrustedIn(
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
