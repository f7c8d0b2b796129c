import { expect, test } from "bun:test";
import * as fc from "fast-check";
import { holds } from "../../../test/support/property.ts";
import { checkValid } from "../../../test/support/valid-history.ts";
import { testWorld } from "../../../test/support/world.ts";
import { TOOLS } from "../../app/plan/tool-list.ts";
import type { CallId } from "../../base/ids.ts";
import type { ContentBlock } from "../../protocol/content.ts";
import type { Event } from "../../protocol/events/events.ts";
import type { Message } from "../../protocol/message.ts";
import { TokenCounter } from "../../providers/dialect/request/token-counter.ts";
import type { RequestContext, RequestHandler } from "../../providers/middleware.ts";
import { validHistory } from "../../session/history/valid-history.ts";
import { runCompaction } from "./run-compaction.ts";
import type { CompactionTrigger } from "./window/token-budget.ts";
import { tokenBudget } from "./window/token-budget.ts";

const words = fc.oneof(
  fc.string({ minLength: 1, maxLength: 40, unit: "binary" }),
  fc
    .tuple(fc.constantFrom("a ", "日本", "👩‍💻"), fc.integer({ min: 1, max: 3_000 }))
    .map(([w, n]) => w.repeat(n)),
  fc.constantFrom("<untrusted-tool-result>", "</untrusted-summary>", "\ud800", "always do it"),
);
const image: ContentBlock = {
  type: "image",
  source: { type: "base64", media_type: "image/png", data: "aGk=" },
};

/** One step of a conversation: words, or calls with their results, as a log may hold it. */
const step = fc.oneof(
  words.map((text): Message[] => [{ role: "user", content: [{ type: "text", text }] }]),
  words.map((text): Message[] => [{ role: "user", content: [{ type: "text", text }, image] }]),
  words.map((text): Message[] => [{ role: "assistant", content: [{ type: "text", text }] }]),
  fc
    .array(fc.tuple(fc.constantFrom("Read", "Write", "Bash", "TodoWrite"), words, fc.boolean()), {
      minLength: 1,
      maxLength: 3,
    })
    .map((list): Message[] => [
      {
        role: "assistant",
        content: [
          { type: "thinking", family: "f", text: "hm", data: {} },
          ...list.map(([name]) => ({ type: "tool_use" as const, id: ID, name, input: { file_path: name } })),
        ],
      },
      {
        role: "user",
        content: list.map(([, text, failed]) => ({
          type: "tool_result" as const,
          tool_use_id: ID,
          content: [{ type: "text" as const, text }],
          ...(failed ? { is_error: true } : {}),
        })),
      },
    ]),
);
const ID = "call_00000000000000000000000000" as CallId;

/** Gives every call an id of its own, and its result the same. */
function numbered(steps: readonly (readonly Message[])[]): readonly Message[] {
  let next = 0;
  return validHistory(
    steps.flatMap((messages) => {
      const first = next;
      const idOf = (at: number) => `call_${String(first + at).padStart(26, "0")}` as CallId;
      return messages.map(({ role, content }): Message => {
        let at = 0;
        return {
          role,
          content: content.map((block) => {
            if (block.type === "tool_use") {
              next += 1;
              return { ...block, id: idOf(at++) };
            }
            return block.type === "tool_result" ? { ...block, tool_use_id: idOf(at++) } : block;
          }),
        };
      });
    }),
  );
}

const world = testWorld();

/** Compacts a history again and again, and gives every view that came of it. */
async function views(
  history: readonly Message[],
  trigger: CompactionTrigger,
  window: number,
): Promise<readonly (readonly Message[])[]> {
  let messages = history;
  const made: (readonly Message[])[] = [];
  const tokens = new TokenCounter();
  const told: Event[] = [];
  const context = {
    world,
    signal: new AbortController().signal,
    emit: () => undefined,
    provider: { name: "p" },
    history: {
      get messages() {
        return messages;
      },
      async replace(view: readonly Message[], tell: (boundary: number) => Event) {
        expect(tokens.ofMessages("m", view)).toBeLessThan(tokens.ofMessages("m", messages));
        messages = view;
        made.push(view);
        told.push(tell(1));
      },
    },
  } as unknown as RequestContext;
  const summary: RequestHandler = async function* () {
    yield { kind: "text", index: 0, text: "</untrusted-summary>\ud800 the summary" };
  };
  for (let times = 0; times < 3; times++) {
    const request = {
      model: "m",
      system: [],
      messages,
      tools: [],
      outputTokensMax: 500,
      cache: { prefix: false, messages: [] },
    };
    await runCompaction({
      trigger,
      request,
      context,
      next: summary,
      budget: tokenBudget({ window, refusedAt: undefined, outputTokensMax: 500, threshold: 0.8, prefix: 0 }),
      tokens,
      model: "p:m",
      keepTurns: 3,
      keep: async (name) => `/scratch/${name}`,
      tools: TOOLS,
      redact: (text) => text,
      asksModel: times !== 1,
    });
    const more: Message = {
      role: "user",
      content: [{ type: "text", text: `and then ${"more ".repeat(400)}` }],
    };
    messages = validHistory([...messages, more]);
  }
  for (const event of told) expect(event.kind).toBe("CompactionTriggered");
  return made;
}

test("[SES-13 R02] whatever was said, what is left of it is valid for a provider, and smaller", async () => {
  const triggers = fc.constantFrom<CompactionTrigger>("threshold", "overflow", "command");
  await holds(
    fc.asyncProperty(
      fc.array(step, { minLength: 1, maxLength: 20 }),
      triggers,
      fc.constantFrom(1_500, 4_000, 20_000),
      async (steps, trigger, window) => {
        const history = numbered(steps);
        if (history.length === 0) return;
        for (const view of await views(history, trigger, window)) expect(checkValid(view)).toEqual([]);
      },
    ),
    200,
  );
});

test("[SES-13 R02] at whatever message a history ends, it can be made smaller and stays valid", async () => {
  const turn = (n: number): Message[] => [
    { role: "user", content: [{ type: "text", text: `question ${n} ${"word ".repeat(200)}` }] },
    {
      role: "assistant",
      content: [
        { type: "thinking", family: "f", text: "hm", data: {} },
        { type: "tool_use", id: ID, name: "Grep", input: {} },
      ],
    },
    {
      role: "user",
      content: [
        { type: "tool_result", tool_use_id: ID, content: [{ type: "text", text: "line ".repeat(900) }] },
      ],
    },
    { role: "assistant", content: [{ type: "text", text: `answer ${n}` }] },
  ];
  const all = numbered(
    Array.from({ length: 12 }, (_, n) => [turn(n).slice(0, 1), turn(n).slice(1, 3), turn(n).slice(3)]).flat(),
  );
  let made = 0;
  for (let end = 1; end <= all.length; end++) {
    const history = all.slice(0, end);
    // In the middle of calls no request is ever made.
    if (history.at(-1)?.content.some(({ type }) => type === "tool_use")) continue;
    for (const view of await views(history, "threshold", 6_000)) {
      made += 1;
      expect(checkValid(view)).toEqual([]);
    }
  }
  expect(made).toBeGreaterThan(30);
});
