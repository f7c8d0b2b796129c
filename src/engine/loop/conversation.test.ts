import { expect, test } from "bun:test";
import type { CallId } from "../../base/ids.ts";
import type { Message } from "../../protocol/message.ts";
import { textOutput } from "../../tools/output.ts";
import { Conversation } from "./conversation.ts";

const CALL = { id: "call_00000000000000000000000000" as CallId, name: "Read", input: {} };

function openConversation(load?: () => Promise<readonly Message[]>) {
  const stored: { readonly message: Message; readonly boundary: boolean }[] = [];
  const log = {
    lastEvent: 7,
    publish: () => undefined,
    commit: async () => undefined,
    remember: (message: Message, _turn: number, boundary = false) => void stored.push({ message, boundary }),
  };
  return { stored, conversation: new Conversation(log, [], load) };
}

function text(words: string) {
  return { type: "text", text: words } as const;
}

/** The texts and kinds of blocks of a conversation, a list for each message. */
function shown(messages: readonly Message[]): readonly (readonly string[])[] {
  return messages.map(({ content }) =>
    content.map((block) => (block.type === "text" ? block.text : block.type)),
  );
}

test("[CTL-19 ENG-18] input from beside a turn never stands between a call and its result, and is stored at once", () => {
  const { stored, conversation } = openConversation();
  conversation.addInput([text("go")], 1);
  conversation.addReply(
    { message: { role: "assistant", content: [{ type: "tool_use", ...CALL }] } } as never,
    1,
  );
  conversation.addAside([text("aside")], 1);
  expect(shown(conversation.messages)).toEqual([["go"], ["tool_use"]]);
  expect(stored.map(({ message }) => shown([message])[0])).toEqual([["go"], ["tool_use"], ["aside"]]);
  conversation.answer([CALL], new Map([[CALL.id, textOutput("read")]]), "", 1);
  expect(shown(conversation.messages)).toEqual([["go"], ["tool_use"], ["tool_result", "aside"]]);
  conversation.answer([], new Map(), "", 1);
  conversation.addInput([text("on")], 2);
  expect(shown(conversation.messages).at(-1)).toEqual(["tool_result", "aside", "on"]);
});

test("[CTL-19 SES-13] a compaction between input from beside a turn and its request loses none of it", async () => {
  const { stored, conversation } = openConversation();
  conversation.addInput([text("go")], 1);
  conversation.addAside([text("aside")], 1);
  const view: Message[] = [{ role: "user", content: [text("the summary")] }];
  await conversation.replace(view, { turn: 1, origin: {} }, () => ({
    kind: "CompactionTriggered",
    payload: { beforeTokens: 2, afterTokens: 1 },
  }));
  conversation.answer([], new Map(), "", 1);
  expect(shown(conversation.messages)).toEqual([["the summary", "aside"]]);
  const behind = stored.slice(stored.findLastIndex(({ boundary }) => boundary));
  expect(behind.map(({ message }) => shown([message])[0])).toEqual([["the summary"], ["aside"]]);
});

test("[CTL-19 SES-12] input from beside the turns is in a history that is read again meanwhile, once", async () => {
  const log: Message[] = [{ role: "user", content: [text("go")] }];
  const reading = Promise.withResolvers<void>();
  let reads = 0;
  const { conversation } = openConversation(async () => {
    const found = [...log];
    reads += 1;
    if (reads === 1) await reading.promise;
    return found;
  });
  conversation.addInput([text("go")], 1);
  conversation.release();
  const ready = conversation.ready();
  await Promise.resolve();
  await Promise.resolve();
  log.push({ role: "user", content: [text("aside")] });
  conversation.addAside([text("aside")], 1);
  reading.resolve();
  await ready;
  expect(reads).toBe(2);
  expect(shown(conversation.messages).flat()).toEqual(["go", "aside"]);
});
