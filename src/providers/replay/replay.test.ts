import { expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as fc from "fast-check";
import { holds } from "../../../test/support/property.ts";
import type { ScriptedAnswer } from "../../../test/support/scripted-provider.ts";
import { calls, says, scriptedProvider } from "../../../test/support/scripted-provider.ts";
import { temporaryDirectory, testWorld } from "../../../test/support/world.ts";
import { Secret } from "../../base/brand.ts";
import { ulidSource } from "../../base/ids.ts";
import type { Message } from "../../protocol/message.ts";
import { redactor } from "../../safety/redact.ts";
import { fingerprintSecrets } from "../../safety/secrets/known-secret.ts";
import type { ModelEvent, ModelRequest, Provider } from "../provider.ts";
import { parseCassette } from "./cassette.ts";
import { recorder } from "./record.ts";
import { PAUSE_MS_MAX, replayProvider } from "./replay.ts";
import type { RunValues } from "./variables.ts";

const NEVER = new AbortController().signal;
const HERE: RunValues = { cwd: "/home/ada/here", scratch: "/home/ada/.data/scratch/a", home: "/home/ada" };
const THERE: RunValues = { cwd: "/srv/checkout", scratch: "/var/cinch/b", home: "/srv" };
const KEY = "kw-7Hq2Zr81LmXc0p";

const IDS = ulidSource(
  () => 1_750_000_000_000,
  (count) => new Uint8Array(count).fill(7),
);
const id = () => IDS.next("call");

test("[PROV-08] a recording is played in another folder, on another day, with other ids", async () => {
  const history = (at: RunValues, call: string, more: string): readonly Message[] => [
    user(`fix ${at.cwd}/src, please`),
    {
      role: "assistant",
      content: [{ type: "tool_use", id: call as ReturnType<typeof id>, name: "Bash", input: {} }],
    },
    result(call, `ok ${at.home}/.rc, ${at.cwd}/a:1, ${more}; all of it: ${at.scratch}/${call}.output.txt`),
  ];
  const [first, second] = [id(), id()];
  const text = await recorded([
    [
      history(HERE, first, "2025-01-31 10:15:01 in 1.25s"),
      readsOutput(`${HERE.scratch}/${first}.output.txt`),
    ],
  ]);
  expect(text).not.toContain("/home/ada");
  expect(text).toContain("«scratch»/«call:1».output.txt");
  expect(text).toContain("«date» «time» in «duration»");
  const events = await ask(player(text, THERE), history(THERE, second, "2026-12-01 23:59:59 in 980 ms"));
  expect(events[0]).toEqual({
    kind: "block",
    index: 0,
    block: { type: "tool_use", name: "Read", input: { path: `${THERE.scratch}/${second}.output.txt` } },
  });
});

test("[PROV-08] what the model wrote stays as it is, even where it looks like a variable", async () => {
  const said =
    "took 3 s on 2025-01-31; «cwd» and «=call:1» and «duration» are names, /mnt/home/ada is another place";
  const text = await recorded([[[user("go")], says(said)]]);
  expect(textOf(await ask(player(text, THERE), [user("go")]))).toBe(said);
});

test.each([
  ["/home/ada/here/x", true],
  ["cc -I/home/ada/here/include", true],
  ['{"a":"x\\n/home/ada/here"}', true],
  ["It is in /home/ada/here.", true],
  ["file:///home/ada/here", true],
  ["/home/ada/here2", false],
  ["/home/ada/here.old", false],
  ["/mnt/home/ada/here", false],
])("[PROV-08] a folder is named where it stands as a whole: %s", async (text, whole) => {
  const cassette = await recorded([[[user(text)], says("ok")]]);
  expect(cassette.includes("«cwd»")).toBe(whole);
});

test("[PROV-08] answers are found by the request, whatever the order of asking", async () => {
  const text = await recorded([
    [[user("one")], says("first")],
    [[user("two")], says("second")],
    [[user("two"), user("three")], says("third")],
  ]);
  const play = player(text, THERE);
  expect(textOf(await ask(play, [user("two"), user("three")]))).toBe("third");
  expect(textOf(await ask(play, [user("one")]))).toBe("first");
  expect(textOf(await ask(play, [user("two")]))).toBe("second");
});

test("[PROV-08] a request that was recorded twice is answered twice, in turn, and no third time", async () => {
  const text = await recorded([
    [[user("again")], says("first")],
    [[user("other")], says("other")],
    [[user("again")], says("second")],
  ]);
  const play = player(text, THERE);
  expect(textOf(await ask(play, [user("again")]))).toBe("first");
  expect(textOf(await ask(play, [user("again")]))).toBe("second");
  await expect(ask(play, [user("again")])).rejects.toThrow(
    "Request 3 does not match the cassette c.jsonl.\nThe request was recorded 2 times (line 2), and so often it was answered already.",
  );
});

test("[PROV-08] other system text and another order of tools match, other tools do not", async () => {
  const text = await recorded([[[user("go")], says("ok")]], ["Read", "Bash"]);
  const system = [{ name: "profile", text: "other words" as never }];
  expect(textOf(await ask(player(text, THERE), [user("go")], { system, tools: ["Read", "Bash"] }))).toBe(
    "ok",
  );
  await expect(ask(player(text, THERE), [user("go")], { tools: ["Bash", "Grep"] })).rejects.toThrow(
    [
      "Request 1 does not match the cassette c.jsonl.",
      "It differs from the request recorded in line 2 of the file in the declared tools:",
      "- recorded, not there now: Read",
      "+ there now, not recorded:  Grep",
    ].join("\n"),
  );
});

test("[PROV-08] a request that does not match is named by its number, with the first difference", async () => {
  const call = id();
  const history = (output: string): readonly Message[] => [user("test it"), use(call), result(call, output)];
  const text = await recorded([
    [[user("test it")], calls({ name: "Bash" })],
    [history("one\nFAIL 3725\nend"), says("Found it.")],
  ]);
  const play = player(text, THERE);
  await ask(play, [user("test it")]);
  await expect(ask(play, history("one\nok 3725\nend"))).rejects.toThrow(
    [
      "Request 2 does not match the cassette c.jsonl.",
      "It differs from the request recorded in line 3 of the file in message 3 (the result of a call), at its line 2:",
      "- recorded: FAIL 3725",
      "+ now:      ok 3725",
    ].join("\n"),
  );
});

test("[PROV-08] differences that do not show in the text, and long lines, are shown too", async () => {
  const call = id();
  const failed: Message = {
    role: "user",
    content: [
      { type: "tool_result", tool_use_id: call, content: [{ type: "text", text: "x" }], is_error: true },
    ],
  };
  const text = await recorded([[[user("a"), use(call), failed], says("ok")]]);
  await expect(ask(player(text, THERE), [user("a"), use(call), result(call, "x")])).rejects.toThrow(
    /- recorded: .*"is_error":true.*\n\+ now: {6}\{.*"text":"x"/,
  );
  const long = await recorded([[[user(`${"a".repeat(1_000)}b`)], says("ok")]]);
  await expect(ask(player(long, THERE), [user(`${"a".repeat(1_000)}c`)])).rejects.toThrow(
    `- recorded: …${"a".repeat(40)}b\n+ now:      …${"a".repeat(40)}c`,
  );
});

test("[PROV-08] asking on after the end of the recording says that it is at its end", async () => {
  const text = await recorded([[[user("a")], says("ok")]]);
  const play = player(text, THERE);
  await ask(play, [user("a")]);
  await expect(
    ask(play, [user("a"), { role: "assistant", content: [{ type: "text", text: "ok" }] }, user("b")]),
  ).rejects.toThrow("The cassette c.jsonl has no more answers: request 2 was never recorded.");
});

test("[PROV-08] any history is matched with itself under other values of the variables", async () => {
  const piece = fc.oneof(
    fc.constantFrom(
      "«cwd»",
      "«home»/x",
      "«scratch»/y",
      "«call:1»",
      "«=cwd»",
      "«redacted:x»",
      "/",
      "\n",
      "-I",
    ),
    fc.record({
      folder: fc.constantFrom("cwd", "scratch", "home"),
      tail: fc.constantFrom("", "/a b", ": x"),
    }),
    fc.record({ call: fc.nat(3) }),
    fc.record({ day: fc.constant(true) }),
    fc.string({ unit: "grapheme" }),
  );
  const text = fc.array(piece, { maxLength: 8 });
  // An answer names no call but the one that its request is sure to hold.
  const answer = fc.array(
    piece.map((part) => (typeof part !== "string" && "call" in part ? { call: 3 } : part)),
    {
      maxLength: 8,
    },
  );
  const calls = [0, 1].map(() => [id(), id(), id(), id()]);
  const days = ["2025-02-01 01:02:03, 7 ms", "2031-11-30 23:00:59, 4.5 seconds"];
  const render = (pieces: typeof text extends fc.Arbitrary<infer T> ? T : never, run: 0 | 1): string =>
    pieces
      .map((part) => {
        if (typeof part === "string") return part;
        // A path stands as a whole only where no word runs into it.
        if ("folder" in part)
          return ` ${(run === 0 ? HERE : THERE)[part.folder as keyof RunValues]}${part.tail} `;
        return "call" in part ? ` ${calls[run]?.[part.call]} ` : ` ${days[run]} `;
      })
      .join("");
  const history = fc.record({
    said: text,
    input: fc.dictionary(fc.string(), text),
    output: text,
    again: answer,
  });
  await holds(
    fc.asyncProperty(history, async ({ said, input, output, again }) => {
      const made = (run: 0 | 1): readonly Message[] => {
        const call = calls[run]?.[3] ?? id();
        const entries = Object.entries(input).map(([key, value]) => [key, render(value, run)]);
        const block = {
          type: "tool_use",
          id: call,
          name: "Bash",
          input: Object.fromEntries(entries),
        } as const;
        return [
          user(render(said, run)),
          { role: "assistant", content: [block] },
          result(call, render(output, run)),
        ];
      };
      const cassette = await recorded([[made(0), says(render(again, 0))]]);
      const events = await ask(player(cassette, THERE), made(1));
      // The days that the model wrote stay as they were; folders and ids are those of this run.
      expect(textOf(events).replaceAll(days[0] ?? "", days[1] ?? "")).toBe(render(again, 1));
    }),
    200,
  );
});

test("[PROV-08 SES-05] no secret reaches the file: keys that are known, families, split over deltas, in every place", async () => {
  const families = [
    "ghp_0123456789abcdefghijABCDEFGHIJ012345",
    "sk-ant-api03-0123456789abcdefghijABCDEFGHIJ0123456789-_x",
  ];
  const secrets = [KEY, ...families];
  const place = fc.record({
    secret: fc.constantFrom(...secrets),
    where: fc.constantFrom("input", "key", "output", "text", "thinking", "tool"),
    cuts: fc.array(fc.nat(80), { maxLength: 6 }),
  });
  await holds(
    fc.asyncProperty(place, async ({ secret, where, cuts }) => {
      const call = id();
      const put = (at: typeof where) => (at === where ? ` ${secret} ` : "nothing");
      const messages: readonly Message[] = [
        user("go"),
        {
          role: "assistant",
          content: [{ type: "tool_use", id: call, name: "Bash", input: { [put("key")]: put("input") } }],
        },
        result(call, put("output")),
      ];
      const answer: ScriptedAnswer = async function* () {
        for (const text of cut(put("thinking"), cuts)) yield { kind: "thinking", index: 0, text };
        const thinking = {
          type: "thinking",
          family: "f",
          text: put("thinking"),
          data: put("thinking"),
        } as const;
        yield { kind: "block", index: 0, block: thinking };
        // Another block in between: some providers send several at a time.
        for (const text of cut(put("text"), cuts)) {
          yield { kind: "text", index: 1, text };
          yield { kind: "text", index: 2, text: "x" };
        }
        yield { kind: "block", index: 1, block: { type: "text", text: put("text") } };
        yield {
          kind: "block",
          index: 3,
          block: { type: "tool_use", name: "Bash", input: { command: put("tool") } },
        };
        yield { kind: "finish", reason: "tool_use", raw: "" };
      };
      const file = await recorded([[messages, answer]]);
      expect(file).not.toContain(secret);
      const { exchanges } = parseCassette(file, "c");
      const events = exchanges.flatMap((exchange) => exchange.events.map(({ event }) => event));
      const streamed = events.filter((event) => event.kind === "text" && event.index === 1);
      expect(textOf(streamed)).not.toContain(secret);
      const thought = events.some((event) => event.kind === "thinking");
      if (where === "thinking") expect(thought).toBe(false);
      else expect(file).toContain("«redacted:");
    }),
    150,
  );
});

test("[PROV-08 SES-05] a secret that looks like a variable inside is still found, and the recording still matches", async () => {
  const secret = "sk-ant-api03-abcdefghijklmnopqrstuvwx-2025-01-31-5s-/home/ada";
  const text = await recorded([[[user(`use ${secret}`)], says("ok")]]);
  expect(text).not.toContain("abcdefghijklmnop");
  expect(textOf(await ask(player(text, THERE), [user(`use ${secret}`)]))).toBe("ok");
});

test("[PROV-08] an exchange that failed, was left or ended in an error is not recorded; those around it are", async () => {
  await using tape = openTape([
    says("one"),
    async function* () {
      yield { kind: "text", index: 0, text: "half" };
      throw new Error("the line is dead");
    },
    async function* () {
      yield { kind: "finish", reason: "error", raw: "overloaded" };
    },
    says("left"),
    says("two"),
  ]);
  await ask(tape.provider, [user("1")]);
  await expect(ask(tape.provider, [user("2")])).rejects.toThrow("the line is dead");
  await ask(tape.provider, [user("3")]);
  for await (const _event of tape.provider.chat(request([user("4")]), NEVER)) break;
  await ask(tape.provider, [user("5")]);
  const { exchanges } = parseCassette(tape.text(), "c.jsonl");
  expect(exchanges.map(({ request }) => request.messages)).toEqual([[user("1")], [user("5")]]);
});

test("[PROV-08] a run that gets no answer leaves an old recording alone, the first answer replaces it", async () => {
  await using tape = openTape([
    // biome-ignore lint/correctness/useYield: it fails before it could say anything
    async function* () {
      throw new Error("refused");
    },
    says("new"),
  ]);
  writeFileSync(tape.path, "old");
  await expect(ask(tape.provider, [user("1")])).rejects.toThrow("refused");
  expect(tape.text()).toBe("old");
  await ask(tape.provider, [user("1")]);
  expect(parseCassette(tape.text(), "c").exchanges).toHaveLength(1);
});

test("[PROV-08] answers that stream at the same time are recorded one after the other", async () => {
  const open = Promise.withResolvers<void>();
  await using tape = openTape([
    async function* (request, signal) {
      await open.promise;
      yield* says("slow")(request, signal);
    },
    says("quick"),
    says("quicker"),
  ]);
  const slow = ask(tape.provider, [user("a"), user("b")]);
  await Promise.all([
    ask(tape.provider, [user("a"), user("c")]),
    ask(tape.provider, [user("a"), user("c"), user("d")]),
  ]);
  open.resolve();
  await slow;
  const play = player(tape.text(), HERE);
  expect(textOf(await ask(play, [user("a"), user("b")]))).toBe("slow");
  expect(textOf(await ask(play, [user("a"), user("c")]))).toBe("quick");
  expect(textOf(await ask(play, [user("a"), user("c"), user("d")]))).toBe("quicker");
});

test("[PROV-08] a cassette that cannot be written is reported with its path", async () => {
  await using tape = openTape([says("ok")], "missing/c.jsonl/x");
  writeFileSync(join(tape.folder, "missing"), "a file");
  await expect(ask(tape.provider, [user("1")])).rejects.toThrow(
    `The cassette ${tape.path} cannot be written`,
  );
});

test("[PROV-08] for people who watch, an answer comes word by word, with pauses that are never long", async () => {
  const text = `${header()}\n${JSON.stringify({
    request: { tools: [], after: 0, messages: [user("go")] },
    events: [
      { ms: 60_000, event: { kind: "text", index: 0, text: "one two" } },
      { ms: 0, event: { kind: "block", index: 0, block: { type: "text", text: "one two" } } },
    ],
  })}`;
  const world = testWorld();
  const cassette = parseCassette(text, "c.jsonl");
  const { chat } = replayProvider({ world, cassette, values: HERE, paced: true });
  const seen: ModelEvent[] = [];
  const done = (async () => {
    for await (const event of chat(request([user("go")]), NEVER)) seen.push(event);
  })();
  await world.clock.advance(PAUSE_MS_MAX - 1);
  expect(seen).toEqual([]);
  await world.clock.advance(100);
  await done;
  expect(seen.map((event) => (event.kind === "text" ? event.text : event.kind))).toEqual([
    "one ",
    "two",
    "block",
  ]);
});

test("[PROV-08 ENG-09] a cancel ends a paced answer at once", async () => {
  const text = await recorded([[[user("go")], says("word ".repeat(50))]]);
  const world = testWorld();
  const cassette = parseCassette(text, "c.jsonl");
  const cancel = new AbortController();
  const { chat } = replayProvider({ world, cassette, values: HERE, paced: true });
  const done = Array.fromAsync(chat(request([user("go")]), cancel.signal));
  cancel.abort(new Error("enough"));
  await expect(done).rejects.toThrow("enough");
});

function header(): string {
  return '{"cassette":1,"family":"f","model":"m","variables":[]}';
}

function user(text: string): Message {
  return { role: "user", content: [{ type: "text", text }] };
}

function use(call: ReturnType<typeof id>): Message {
  return { role: "assistant", content: [{ type: "tool_use", id: call, name: "Bash", input: {} }] };
}

function result(call: string, text: string): Message {
  const tool_use_id = call as ReturnType<typeof id>;
  return { role: "user", content: [{ type: "tool_result", tool_use_id, content: [{ type: "text", text }] }] };
}

function readsOutput(path: string): ScriptedAnswer {
  return calls({ name: "Read", input: { path } });
}

function cut(text: string, cuts: readonly number[]): readonly string[] {
  const at = [...new Set([0, ...cuts.map((place) => Math.min(place, text.length)), text.length])].sort(
    (a, b) => a - b,
  );
  return at.slice(1).map((end, i) => text.slice(at[i], end));
}

function request(
  messages: readonly Message[],
  tools: readonly string[] = [],
  system: ModelRequest["system"] = [],
): ModelRequest {
  return {
    model: "m",
    system,
    messages,
    tools: tools.map((name) => ({ name, description: "", inputSchema: {} })),
    outputTokensMax: 100,
    cache: { prefix: false, messages: [] },
  };
}

async function ask(
  provider: Provider,
  messages: readonly Message[],
  { tools = [], system = [] }: { tools?: readonly string[]; system?: ModelRequest["system"] } = {},
): Promise<readonly ModelEvent[]> {
  return await Array.fromAsync(provider.chat(request(messages, tools, system), NEVER));
}

function textOf(events: readonly ModelEvent[]): string {
  return events.map((event) => (event.kind === "text" ? event.text : "")).join("");
}

function player(text: string, values: RunValues): Provider {
  return replayProvider({
    world: testWorld(),
    cassette: parseCassette(text, "c.jsonl"),
    values,
    paced: false,
  });
}

/** A recorder in front of a scripted model, on the real disk. */
function openTape(answers: readonly ScriptedAnswer[], name = "c.jsonl") {
  const folder = temporaryDirectory();
  const path = join(folder.path, name);
  const known = redactor(fingerprintSecrets([new Secret("mock-key", KEY)], new Uint8Array(16)));
  const wrap = recorder({ world: testWorld(), path, model: "scripted:m", values: HERE, redactor: known });
  return {
    path,
    folder: folder.path,
    provider: wrap(scriptedProvider(answers)),
    text: () => readFileSync(path, "utf8"),
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  };
}

/** The cassette of these exchanges. */
async function recorded(
  exchanges: readonly (readonly [messages: readonly Message[], answer: ScriptedAnswer])[],
  tools: readonly string[] = [],
): Promise<string> {
  await using tape = openTape(exchanges.map(([, answer]) => answer));
  for (const [messages] of exchanges) await ask(tape.provider, messages, { tools });
  return tape.text();
}
