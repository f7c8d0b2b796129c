import { appendFileSync } from "node:fs";
import type {
  EngineQuestion,
  EngineSetup,
  EngineTool,
  Envelope,
  ModelEvent,
  ModelRequest,
  Provider,
  SessionStore,
} from "cinch/engine";
import { CANONICAL_FORM_VERSION, createEngine, memoryStore, sqliteStore } from "cinch/engine";

/**
 * A program that embeds the engine through its public door alone, as a stranger writes it: one scenario, named by the
 * first argument. Each line of its output is JSON.
 */

/** A model that does what the last prompt names. */
const provider: Provider = {
  name: "parrot",
  family: "parrot",
  canonicalFormVersion: CANONICAL_FORM_VERSION,
  async *chat(request, signal) {
    const usage = { inputTokens: 1_000, outputTokens: 100, cacheReadTokens: 0, cacheWriteTokens: 0 };
    yield { kind: "usage", usage };
    const asked = lastPrompt(request);
    if (asked.startsWith("wait")) await until(signal);
    const tool = asked.startsWith("call ") && !isAnswered(request) ? asked.slice("call ".length) : undefined;
    yield* tool === undefined ? says(`You said: ${asked}`) : calls(tool.split(" "));
  },
  models: () => Promise.resolve([{ id: "one", contextTokens: 100_000 }]),
  tokenCount: (messages) => Promise.resolve(JSON.stringify(messages).length / 4),
};

async function* says(text: string): AsyncGenerator<ModelEvent> {
  for (const word of text.split(/(?<= )/)) yield { kind: "text", index: 0, text: word };
  yield { kind: "block", index: 0, block: { type: "text", text } };
  yield { kind: "finish", reason: "stop", raw: "stop" };
}

async function* calls(names: readonly string[]): AsyncGenerator<ModelEvent> {
  for (const [index, name] of names.entries())
    yield { kind: "block", index, block: { type: "tool_use", name, input: { name } } };
  yield { kind: "finish", reason: "tool_use", raw: "tool_use" };
}

function lastPrompt({ messages }: ModelRequest): string {
  const texts = messages.flatMap(({ role, content }) =>
    role === "user" ? content.flatMap((block) => (block.type === "text" ? [block.text] : [])) : [],
  );
  return texts.at(-1) ?? "";
}

function isAnswered({ messages }: ModelRequest): boolean {
  return messages.at(-1)?.content.some(({ type }) => type === "tool_result") ?? false;
}

function until(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
}

function tool(name: string, run: EngineTool["execute"], more: Partial<EngineTool> = {}): EngineTool {
  return { name, description: `Does ${name}.`, inputSchema: { type: "object" }, execute: run, ...more };
}

function tell(value: unknown): void {
  console.log(JSON.stringify(value));
}

const base: EngineSetup = { provider, model: "one" };

/** Reads events up to the end of the nth turn. */
async function* untilTurns(events: AsyncIterable<Envelope>, turns: number): AsyncGenerator<Envelope> {
  let ended = 0;
  for await (const event of events) {
    yield event;
    if (event.kind === "TurnEnded" && ++ended === turns) return;
  }
}

async function collected(events: AsyncIterable<Envelope>): Promise<readonly Envelope[]> {
  const all: Envelope[] = [];
  for await (const event of events) all.push(event);
  return all;
}

const scenarios: Readonly<Record<string, (...words: string[]) => Promise<void>>> = {
  /** Is killed by whoever started it while the second tool runs. */
  async killed(folder = "") {
    const path = `${folder}/sessions.db`;
    await using store = await sqliteStore({ path });
    const tools = [
      tool("count", () => {
        appendFileSync(`${folder}/counted`, "x");
        return "counted";
      }),
      tool("hang", (_, { signal }) => until(signal)),
    ];
    await using engine = await createEngine({ ...base, store, tools });
    const session = await engine.createSession();
    tell({ log: session.logId });
    const reading = (async () => {
      for await (const event of session.events()) tell({ event });
    })();
    await session.prompt("first");
    await session.prompt("call count hang");
    await reading;
  },

  async resumed(folder = "", log = "", fate = "failed") {
    await using store = await sqliteStore({ path: `${folder}/sessions.db` });
    const onQuestion = (question: EngineQuestion) => {
      tell({ question: question.kind, choices: question.kind === "choice" ? question.choices.length : 0 });
      return { choose: fate };
    };
    const tools = [tool("count", () => "counted"), tool("hang", () => "hung")];
    await using engine = await createEngine({
      ...base,
      store,
      tools,
      ...(fate === "failed" ? {} : { onQuestion }),
    });
    const session = await engine.resumeSession(log);
    tell({ history: await session.history() });
    tell({ text: (await session.prompt("on")).text });
    await session.end();
    for (const event of await collected(session.events())) tell({ event });
  },

  async reconnect() {
    await using engine = await createEngine({
      ...base,
      tools: [tool("one", () => "1"), tool("two", () => "2")],
    });
    const session = await engine.createSession();
    const seen: Envelope[] = [];
    const broken = (async () => {
      // Each connection breaks after three events; the next one begins after the last event seen.
      for (let ended = 0; ended < 2; ) {
        let left = 3;
        for await (const event of session.events({ since: seen.at(-1)?.id ?? 0 })) {
          seen.push(event);
          if (event.kind === "TurnEnded") ended++;
          if (--left === 0 || ended === 2) break;
        }
      }
    })();
    const live = collected(untilTurns(session.events(), 2));
    await session.prompt("call one two");
    await session.prompt("a longer answer in several words");
    await broken;
    const clean = await collected(untilTurns(session.events(), 2));
    tell({ ids: clean.map(({ id }) => id), kinds: [...new Set(clean.map(({ kind }) => kind))] });
    tell({ broken: Bun.deepEquals(seen, clean), live: Bun.deepEquals(await live, clean) });
    const middle = clean[5]?.id ?? 0;
    const rest = await collected(untilTurns(session.events({ since: middle }), 2));
    tell({ rest: Bun.deepEquals(rest, clean.slice(6)) });
  },

  async store() {
    const inner = memoryStore();
    const kept: string[] = [];
    const store: SessionStore = {
      ...inner,
      async create(log, holder) {
        const writer = await inner.create(log, holder);
        return {
          logId: writer.logId,
          epoch: writer.epoch,
          lastEvent: writer.lastEvent,
          async append(batch, durability) {
            await writer.append(batch, durability);
            // Pieces of one text are merged as they come: their number says nothing.
            for (const { kind } of batch.events ?? [])
              if (kind !== "TextDelta" || kept.at(-1) !== kind) kept.push(kind);
          },
          [Symbol.asyncDispose]: () => writer[Symbol.asyncDispose](),
        };
      },
    };
    await using engine = await createEngine({ ...base, store });
    await using session = await engine.createSession();
    const { text } = await session.prompt("hello");
    const [info] = await store.list({ limit: 1 });
    tell({ text, kept, title: info?.title, isOurs: info?.logId === session.logId });
  },

  async cancel() {
    let aborted = false;
    const watched = tool("hang", async (_, { signal, progress }) => {
      progress("hangs");
      signal.addEventListener("abort", () => (aborted = true));
      return await until(signal);
    });
    await using engine = await createEngine({ ...base, tools: [watched] });
    const session = await engine.createSession();
    const began = collected(untilKind(session.events(), "ToolCallProgress"));
    const prompt = session.prompt("call hang").catch((error: Error) => error.name);
    await began;
    await session.cancel();
    tell({ rejects: await prompt, aborted });
    const stop = new AbortController();
    const waiting = session.prompt("wait", { signal: stop.signal }).catch((error: unknown) => error);
    stop.abort("enough");
    tell({ rejects: await waiting, text: (await session.prompt("still there")).text });
  },

  async question() {
    const ran: string[] = [];
    const pay = tool("pay", (_, { callId }) => `${ran.push(callId.slice(0, 5))}`, { asks: true });
    const answers: (string | undefined)[] = ["deny", undefined, "allow-tool"];
    const asked: unknown[] = [];
    await using engine = await createEngine({
      ...base,
      tools: [pay],
      async onQuestion(question) {
        asked.push([question.kind, question.kind === "permission" && question.tool]);
        const answer = answers.shift();
        // Left open here, it is answered by its id, as a person elsewhere would.
        if (answer === undefined) queueMicrotask(() => void session.answer(question.id, "allow"));
        return answer as "allow" | "deny" | undefined;
      },
    });
    const session = await engine.createSession();
    for (let times = 0; times < 4; times++) await session.prompt("call pay");
    tell({ asked, ran });
    const silent = await createEngine({ ...base, tools: [pay] });
    await (await silent.createSession()).prompt("call pay");
    tell({ ran: ran.length });
    await silent[Symbol.asyncDispose]();
  },

  async budget() {
    const price = { input: 1, output: 1 };
    await using engine = await createEngine({
      ...base,
      price,
      limits: { costUsd: 0.001, rounds: 3 },
      tools: [tool("more", () => "more")],
    });
    const session = await engine.createSession();
    const { reason, usage, error } = await session.prompt("call more");
    tell({ reason, cost: usage.costUsd, error: error?.reason });
  },
};

async function* untilKind(events: AsyncIterable<Envelope>, kind: string): AsyncGenerator<Envelope> {
  for await (const event of events) {
    yield event;
    if (event.kind === kind) return;
  }
}

const [name = "", ...words] = process.argv.slice(2);
await scenarios[name]?.(...words);
