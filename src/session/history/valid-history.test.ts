import { expect, test } from "bun:test";
import * as fc from "fast-check";
import { checkValid } from "../../../test/support/valid-history.ts";
import { testWorld } from "../../../test/support/world.ts";
import type { ContentBlock } from "../../protocol/content.ts";
import type { Message } from "../../protocol/message.ts";
import { INTERRUPTED, validHistory } from "./valid-history.ts";

const HISTORIES = 100_000;

const { ids } = testWorld();
const [one, two, three] = [ids.next("call"), ids.next("call"), ids.next("call")] as const;

const LONE = "\ud83d cut";
const image: ContentBlock = { type: "image", source: { type: "base64", media_type: "image/png", data: "" } };
/** Parts of random histories: every block type, sound and broken, and three call ids that meet again. */
const BLOCKS: readonly ContentBlock[] = [
  text("hi"),
  text(" \n"),
  text(LONE),
  image,
  { type: "thinking", family: "f", text: LONE, data: { signature: "s" } },
  { type: "opaque", family: "f", data: 1 },
  { type: "yield" },
  ...[one, two, three].flatMap((id): ContentBlock[] => [
    { type: "tool_use", id, name: "Read", input: { path: "a" } },
    { type: "tool_use", id, name: "Read", input: { [LONE]: [LONE] } },
    result(id, "done"),
    { type: "tool_result", tool_use_id: id, content: [], is_error: true },
  ]),
  { type: "tool_use", id: two, name: "Bash", input: "not an object" },
];

test(`[ENG-18 R01 R02] ${HISTORIES} random histories are all valid afterwards, and stay as they are then`, async () => {
  // A number is one block and its role, or the end of a message: cheap to make, and it shrinks.
  const histories = fc.array(fc.nat(BLOCKS.length * 3 - 1), { maxLength: 14, size: "max" });
  await fc.assert(
    fc.property(histories, (numbers) => {
      const valid = validHistory(historyOf(numbers));
      const problems = checkValid(valid);
      if (problems.length > 0) throw new Error(problems.join("; "));
      return JSON.stringify(validHistory(valid)) === JSON.stringify(valid);
    }),
    { numRuns: HISTORIES },
  );
}, 300_000);

test("[ENG-18 R02] cut off after any block, a history is valid for the next request", () => {
  const whole: Message[] = [
    user(text("do it")),
    assistant({ type: "thinking", family: "f", text: "hm", data: 1 }, call(one), call(two)),
    user(result(one, "a"), result(two, "b")),
    assistant(text("and"), call(three)),
    user(result(three, "c"), text("more")),
    assistant(text("done")),
  ];
  expect(validHistory(whole)).toEqual(whole);
  for (let at = 0; at < whole.length; at++) {
    const message = whole[at] ?? user();
    for (let kept = 0; kept <= message.content.length; kept++) {
      const cut = [...whole.slice(0, at), { ...message, content: message.content.slice(0, kept) }];
      expect(checkValid(validHistory(cut))).toEqual([]);
    }
  }
});

test("[ENG-18 R01] a call without a result is answered by an error, before any other message", () => {
  expect(
    validHistory([user(text("go")), assistant(call(one), call(two)), user(text("stop"), result(two, "b"))]),
  ).toEqual([
    user(text("go")),
    assistant(call(one), call(two)),
    user({ ...result(one, INTERRUPTED), is_error: true }, result(two, "b"), text("stop")),
  ]);
});

test("[ENG-18] a result that came late is moved to its call; one without a call, or a second one, is dropped", () => {
  const late = [
    user(result(three, "whose?"), text("go")),
    assistant(call(one)),
    assistant(text("meanwhile")),
    user(result(one, "late"), result(one, "again")),
  ];
  expect(validHistory(late)).toEqual([
    user(text("go")),
    assistant(call(one)),
    user(result(one, "late")),
    assistant(text("meanwhile")),
  ]);
});

test("[ENG-18] nothing that was said is lost when messages of one role are joined", () => {
  const said = [
    user(text("a")),
    user(text("b")),
    assistant(text("c")),
    assistant(),
    assistant(text("d")),
    user(text("")),
  ];
  expect(validHistory(said)).toEqual([user(text("a"), text("b")), assistant(text("c"), text("d"))]);
});

function historyOf(numbers: readonly number[]): Message[] {
  const messages: { role: Message["role"]; content: ContentBlock[] }[] = [];
  for (const number of numbers) {
    const block = BLOCKS[number % BLOCKS.length];
    const how = Math.floor(number / BLOCKS.length);
    const role = how === 0 ? "user" : "assistant";
    if (how === 2 || messages.length === 0) messages.push({ role, content: [] });
    if (messages.at(-1)?.role !== role) messages.push({ role, content: [] });
    if (block !== undefined) messages.at(-1)?.content.push(block);
  }
  return messages;
}

function text(words: string) {
  return { type: "text", text: words } as const;
}

function call(id: typeof one) {
  return { type: "tool_use", id, name: "Read", input: { path: "a" } } as const;
}

function result(id: typeof one, words: string) {
  return { type: "tool_result" as const, tool_use_id: id, content: [text(words)] };
}

function user(...content: ContentBlock[]): Message {
  return { role: "user", content };
}

function assistant(...content: ContentBlock[]): Message {
  return { role: "assistant", content };
}
