import { expect, test } from "bun:test";
import { until } from "../../../test/support/until.ts";
import { BoundedQueue } from "../../base/async/queue.ts";
import { Cancelled } from "../../base/errors.ts";
import { sharedTerminal } from "../../client/line/input/shared-terminal.ts";
import type { LineInput, LineTerminal } from "../../client/line/input/terminal.ts";
import { ANSWERS_MAX, LINES_LENGTH_MAX, LINES_MAX, PersonLeft, TypedAhead } from "./typed-ahead.ts";

/** A terminal at which a test types. Its prompts are kept with the question that each is for. */
function openTyping(interactive = true) {
  const inputs = new BoundedQueue<LineInput>(LINES_MAX + 1);
  const written: string[] = [];
  const prompts: (readonly [string | undefined, object | undefined])[] = [];
  const own: LineTerminal = {
    interactive,
    redraws: true,
    write: async (text) => void written.push(text),
    prompt: (text, asked) => void prompts.push([text, asked?.question]),
    input: () => inputs,
  };
  return {
    terminal: sharedTerminal(own, new AbortController().signal),
    prompts,
    written,
    type: (text: string, answers?: object) => void inputs.push({ kind: "line", text, answers }),
    interrupt: () => void inputs.push({ kind: "interrupt", atMs: 0 }),
    close: () => inputs.end(),
  };
}

test("[PERF-01 CLI-01] what is typed before a session is open waits for it in its order, and later lines are for the session", async () => {
  const { terminal, type, prompts } = openTyping();
  const ahead = new TypedAhead(terminal);
  type("one");
  type("two");
  await Promise.resolve();
  expect(prompts[0]).toEqual(["> ", undefined]);
  const question = {};
  const answers = ahead.ask({ prompt: "1-2 > ", question });
  type("2", question);
  expect(await answers.next()).toBe("2");
  answers[Symbol.dispose]();
  expect(prompts.at(-1)).toEqual(["> ", undefined]);
  expect(await ahead.take()).toEqual(["one", "two"]);
  type("three");
  const next = await terminal.input(new AbortController().signal)[Symbol.asyncIterator]().next();
  expect(next.value).toEqual({ kind: "line", text: "three", answers: undefined });
  expect(ahead.signal.aborted).toBe(false);
});

test("[PERM-14 CTL-11] a line typed before a question does not answer it, and is not lost", async () => {
  const { terminal, type, prompts } = openTyping();
  const ahead = new TypedAhead(terminal);
  const asked = { prompt: "1-2 > ", question: {} };
  await Promise.resolve();
  prompts.length = 0;
  using answers = ahead.ask(asked);
  type("1");
  type("1", {}); // for another question, which is settled
  type("2", asked.question);
  expect(await answers.next()).toBe("2");
  type("3", asked.question);
  expect(await answers.next()).toBe("3");
  // The same question all the time: a new one would take no key at first.
  expect(new Set(prompts.map(([, question]) => question))).toEqual(new Set([asked.question]));
  expect(await ahead.take()).toEqual(["1", "1"]);
});

test("[CLI-01 LIFE-02] Ctrl-C, the end of the input, and /quit leave before a session is open, from a question too", async () => {
  for (const [leave, reason] of [
    [(at: ReturnType<typeof openTyping>) => at.interrupt(), Cancelled],
    [(at: ReturnType<typeof openTyping>) => at.close(), PersonLeft],
    [(at: ReturnType<typeof openTyping>) => at.type(" /quit "), PersonLeft],
  ] as const) {
    const at = openTyping();
    const ahead = new TypedAhead(at.terminal);
    using answers = ahead.ask({ prompt: "1-2 > ", question: {} });
    const answer = answers.next();
    leave(at);
    expect(await answer.catch((thrown: unknown) => thrown)).toBeInstanceOf(reason);
    expect(ahead.signal.reason).toBeInstanceOf(reason);
    await expect(answers.next()).rejects.toBeInstanceOf(reason);
  }
});

test("[CLI-01] of a pipe nothing is read before the session", async () => {
  const { terminal, type, prompts } = openTyping(false);
  const ahead = new TypedAhead(terminal);
  type("one");
  expect(await ahead.take()).toEqual([]);
  expect(prompts).toEqual([]);
  const next = await terminal.input(new AbortController().signal)[Symbol.asyncIterator]().next();
  expect(next.value).toMatchObject({ text: "one" });
});

test.each([
  ["lines", Array.from({ length: LINES_MAX }, (_, at) => `${at}`)],
  ["bytes", ["x".repeat(LINES_LENGTH_MAX)]],
])(
  "[CLI-01 REL-04] too many %s before a session are refused with a sentence, and those before are kept",
  async (_, kept) => {
    const { terminal, type, written } = openTyping();
    const ahead = new TypedAhead(terminal);
    for (const line of kept) type(line);
    type("one more");
    await until("the line was refused", () => written.length > 0);
    expect(written).toEqual([expect.stringContaining("this line was not kept")]);
    expect(await ahead.take()).toEqual(kept);
  },
);

test("[PERM-14 REL-04] an answer above the limit is refused with a sentence, and is never a prompt", async () => {
  const { terminal, type, written } = openTyping();
  const ahead = new TypedAhead(terminal);
  await Promise.resolve();
  const question = {};
  using answers = ahead.ask({ prompt: "1-2 > ", question });
  for (let at = 0; at <= ANSWERS_MAX; at += 1) type(`${at}`, question);
  await until("the last was refused", () => written.length > 0);
  expect(written).toEqual([expect.stringContaining("too many answers")]);
  expect(await answers.next()).toBe("0");
  expect(await ahead.take()).toEqual([]);
});
