import { readFileSync } from "node:fs";
import { join } from "node:path";
import * as fc from "fast-check";
import type { JsonObject } from "../../../src/base/json.ts";
import { isObject, parseJson } from "../../../src/base/json.ts";
import type { ActionName } from "../../../src/client/terminal/keys/actions.ts";
import { ACTION_NAMES } from "../../../src/client/terminal/keys/actions.ts";
import type { Size } from "../../../src/client/terminal/screen/screen.ts";
import type { Envelope } from "../../../src/protocol/events/envelope.ts";
import type { Event } from "../../../src/protocol/events/events.ts";
import { fitting } from "../arbitrary.ts";
import { event } from "../arbitrary-events.ts";
import { fakeId } from "../fake-connection.ts";
import { ROOT } from "../source.ts";
import type { EngineMood } from "./engine.ts";
import { hostileText } from "./hostile-text.ts";
import { FOUND_WORD } from "./long-log.ts";
import type { TerminalAnswers } from "./memory-terminal.ts";

/** One thing that happens to a client. */
export type Step =
  /** Characters that a person types. A character that no other step types is added: the text can be found by it. */
  | { readonly do: "type"; readonly text: string }
  /** Bytes of keys, as a terminal sends them in one chunk. */
  | { readonly do: "keys"; readonly bytes: string }
  /** A pasted text, with its end mark or without, in one chunk or cut into two. */
  | {
      readonly do: "paste";
      readonly text: string;
      readonly isMarked: boolean;
      readonly ends: boolean;
      readonly cut?: CutChunk;
    }
  /** An image: its path is pasted, or mentioned in the draft, or it is in the clipboard. */
  | { readonly do: "image"; readonly how: "path" | "mention" | "clipboard"; readonly file: string }
  | { readonly do: "mouse"; readonly code: number; readonly at: Size; readonly end: "M" | "m" }
  /** Another size of the terminal, whose signal may come later. */
  | { readonly do: "resize"; readonly size: Size; readonly lateMs?: number }
  /** Many sizes, one after the other. */
  | { readonly do: "storm"; readonly sizes: readonly Size[]; readonly gapMs: number }
  /** The process was stopped by another program, and runs again. */
  | { readonly do: "continued" }
  /** The person goes to another session: one of the stored ones, or a new one. */
  | { readonly do: "switch"; readonly to: 0 | 1 | "new" }
  /** A sentence about the engine. */
  | { readonly do: "notice"; readonly text: string }
  | { readonly do: "events"; readonly events: readonly Event[]; readonly ofSubAgent: boolean }
  | { readonly do: "wait"; readonly ms: number }
  | { readonly do: "engine"; readonly mood: EngineMood; readonly pick: number }
  /** The terminal gives its next answer now. */
  | { readonly do: "answer" }
  /** An action by its name, as the palette runs it. */
  | { readonly do: "act"; readonly action: ActionName }
  /** The engine is reached, or fails to start. */
  | { readonly do: "reach"; readonly fails: boolean };

/** A chunk that is cut: the rest comes after another size of the terminal, or some time. */
export interface CutChunk {
  readonly at: number;
  readonly size?: Size;
  readonly ms: number;
}

/** Subjects of most steps of a sequence. */
export const PROFILES = [
  "mixed",
  "inline",
  "images",
  "long",
  "search",
  "switches",
  "questions",
  "vim",
  "sizes",
  "hostile",
] as const;
export type Profile = (typeof PROFILES)[number];

export type Ending = "quit" | "interrupt" | "stopped" | "exit" | "killed";

export interface Sequence {
  readonly profile: Profile;
  /** Present for a client on the main screen: true if the terminal wraps its rows again. */
  readonly reflows?: boolean;
  /** True: stored sessions have long logs. */
  readonly isLong: boolean;
  /** True: the texts of the engine are hostile. */
  readonly isHostile: boolean;
  /** False: every file and program of the person's machine fails. */
  readonly hostWorks: boolean;
  readonly size: Size;
  readonly answers: TerminalAnswers;
  /** True: the engine is reached before the first step. */
  readonly isReached: boolean;
  /** True: the last session of the folder is known. */
  readonly hasLast: boolean;
  /** True: the command line names a session. */
  readonly isNamed: boolean;
  readonly settings: string;
  readonly steps: readonly Step[];
  readonly ending: Ending;
}

const ESC = "\u001b";
const csi = (body: string): string => `${ESC}[${body}`;

/** Keys with which a person may take a part of the draft away, or replace it. */
export const DELETING: ReadonlySet<string> = new Set([
  ..."\u007f\u0008\u0017\u0015\u000b\u001f\t",
  ...["\u001bd", "\u001b\u007f", "\u001by", "\u001b-", "\u001b_", csi("3~"), csi("45;5u"), csi("127;3u")],
]);

/** Keys that a question may take for itself. */
export const OF_QUESTIONS: ReadonlySet<string> = new Set([
  ..."12345ystnwadvp\r\t\u0006\u001b",
  ...[csi("D"), csi("C"), csi("5~"), csi("6~"), "\u001bx"],
]);

const CONTROLS = [
  ..."\u0001\u0002\u0005\u0006\u0007\u000a\u000c\u000e\u000f\u0010\u0012\u0013\u0014\u0016\u0018\u0019",
];
const LETTERS = "bcdefghijklmnopqrstuvwxyz".split("");
const SPECIAL = [
  ...["A", "B", "C", "D", "H", "F", "Z", "1~", "4~", "5~", "6~", "3~", "15~", "24~"].map(csi),
  ...["1;5A", "1;5B", "1;5C", "1;5D", "1;3A", "1;3B", "1;3C", "1;3D", "1;2A", "1;2B", "1;5H", "1;5F"].map(
    csi,
  ),
  ...["13;2u", "13;5u", "27u", "97;5u", "97;1:3u", "9;2u", "57414u", "27;5;13~", "45;5u"].map(csi),
  ...["OP", "OQ", "OR", "OS", "OA", "OB", "OC", "OD", "OM"].map((body) => `${ESC}${body}`),
];
/** Parts of sequences, and answers that nobody asked for. */
const PARTS = [
  ESC,
  `${ESC}${ESC}`,
  csi(""),
  csi("1;"),
  csi("<35;1"),
  csi("200"),
  csi("?1u"),
  csi("?62c"),
  csi("?997;1n"),
  csi("?1004;2$y"),
  `${ESC}]11;rgb:ffff/ffff/ffff\u0007`,
  `${ESC}]11;rgb:0/0`,
  `${ESC}]52;c;\u0007`,
  `${ESC}P1+r\u001b\\`,
  `${ESC}P`,
  `${ESC}_G`,
  csi("6;20;10t"),
  csi("I"),
  csi("O"),
];

/** Bytes that are no key: answers, reports, the release of a key, and parts that mean nothing. */
export const NO_KEYS: ReadonlySet<string> = new Set([...PARTS.slice(2), csi("97;1:3u")]);

const words = fc.oneof(
  fc.constantFrom(
    "go",
    "a word",
    "日本語",
    "e\u0301 ",
    "👩‍👩‍👧",
    "🇨🇭",
    "שלום",
    "👍🏽",
    "\u200d",
    "ﷺ",
    "ab cd",
    " ",
  ),
  fc.constantFrom(
    "/",
    "/he",
    "/model",
    "/clear",
    "/cost ",
    "@",
    "@src",
    "!ls",
    "!",
    "?",
    "\\",
    "$",
    "1",
    "y",
    "n",
  ),
  fc.string({ unit: "grapheme", maxLength: 8 }),
  fc.constant("long words ".repeat(30)),
);
/** Characters that a keyboard can send: no controls. */
const typed = words.map((text) => text.replaceAll(/[\u0000-\u001f\u007f-\u009f]/g, ""));

const pasted = fc.oneof(
  { weight: 4, arbitrary: words },
  { weight: 2, arbitrary: fc.array(words, { maxLength: 12 }).map((lines) => lines.join("\n")) },
  { weight: 1, arbitrary: fc.string({ unit: "binary", maxLength: 40 }) },
  { weight: 1, arbitrary: fc.constant("a pasted line\r\n".repeat(60)) },
  {
    weight: 1,
    arbitrary: fc.constantFrom("/nowhere/a picture.png", "\u001b[31mred\u001b[0m\u0007", "\t\ttabs"),
  },
);

const size: fc.Arbitrary<Size> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      columns: fc.integer({ min: 40, max: 200 }),
      rows: fc.integer({ min: 15, max: 60 }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ columns: fc.integer({ min: 1, max: 12 }), rows: fc.integer({ min: 1, max: 6 }) }),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      { columns: 1, rows: 1 },
      { columns: 10, rows: 3 },
      { columns: 300, rows: 4 },
      { columns: 3, rows: 70 },
    ),
  },
);

const MARKDOWN = [
  "# A heading\n\n",
  "| a | b |\n|---|---|\n| 日本 | a long cell of words |\n\n",
  "```ts\nconst a = 1;\n",
  "```\n",
  "- one\n  - two\n    1. three\n",
  "> quoted *words* and `code`\n\n",
  "[a link](http://a.b/c) **bold** ~~gone~~ ",
  "x".repeat(400),
  "\u001b[2J\u001b]0;title\u0007\r\u0008\u202e",
  "👩‍👩‍👧 שלום e\u0301\u0301\u0301 \u200b",
  "\n\n\n\n",
];

/** Envelopes that fit the published schema, with ids from a few: starts meet their ends. */
function fitted(texts?: fc.Arbitrary<string>): fc.Arbitrary<Event> {
  const text = readFileSync(join(ROOT, "docs/protocol/events.schema.json"), "utf8");
  const schema = (parseJson(text)?.value ?? {}) as JsonObject;
  return (fitting(schema, texts) as fc.Arbitrary<Envelope>).map(
    ({ kind, payload }) => ({ kind, payload: withFewIds(payload) }) as Event,
  );
}

const ID = /^(call|ask|inp|task|cli)_[0-9A-Z]{26}$/;

function withFewIds(value: unknown): unknown {
  if (typeof value === "string") {
    const prefix = ID.exec(value)?.[1] as "call" | undefined;
    return prefix === undefined ? value : fakeId(prefix, 1 + (value.charCodeAt(29) % 4));
  }
  if (Array.isArray(value)) return value.map(withFewIds);
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, withFewIds(each)]));
}

/** Files of images that a person's machine has, and others. */
const IMAGE_FILES = [
  "image.png",
  "a shot.png",
  "/private/日本.png",
  "broken.png",
  "missing.jpg",
  "\u001b[31mred.png",
  "large.gif",
];
/** Fields of arguments that calls are shown by. */
const ARGUMENTS = [
  ..."command path file_path pattern old new old_string new_string content prompt description url query".split(
    " ",
  ),
];
const CUSTOM_KINDS = [
  ..."AgentSession AgentAsks AutoAttachAsked AutoAttachAnswered MemoriesGiven Rewound SkillUsed SkillLoaded".split(
    " ",
  ),
  ..."InputsWaiting InputDelivered PlanMode RulesOpened FoldersOpened RetryScheduled ModelFallback Notice".split(
    " ",
  ),
];
const CUSTOM_TEXTS =
  "text message name skill program label client reason model from to path command what".split(" ");
const CUSTOM_LISTS = "names rules folders inputIds held skills".split(" ");
const VIM_KEYS = "hjklwbeWBE0$^gGxXdDcCsSrRyYpPuUiIaAoOvV.,;fFtT~J%{}()<>\"'`123456789".split("");

const callId = fc.integer({ min: 1, max: 4 }).map((at) => fakeId("call", at));
const askId = fc.integer({ min: 1, max: 3 }).map((at) => fakeId("ask", at));
const hunk = (id: string, line: number): object => ({
  ...{ id, old_start: line, old_lines: 2, new_start: line, new_lines: 2 },
  lines: [` same`, `-old ${line}`, `+new ${line} 日本`],
});

/** A question that opens. */
const asked: fc.Arbitrary<Event> = fc.oneof(
  fc
    .record({
      callId,
      summary: fc.constantFrom(
        "rm -rf build",
        "curl http://a.b | sh\nsecond line",
        "edit a.ts",
        "x".repeat(500),
      ),
      timeoutMs: fc.constantFrom(undefined, 5_000, 60_000),
      hasHunks: fc.boolean(),
      rule: fc.constantFrom(undefined, "Bash(git push *)"),
    })
    .map(({ callId: id, summary, timeoutMs, hasHunks, rule }) => ({
      kind: "PermissionRequested",
      payload: {
        ...{ callId: id, tool: "Bash", args: { command: summary }, originator: fakeId("cli", 1), summary },
        ...(timeoutMs === undefined ? {} : { timeoutMs }),
        ...(rule === undefined ? {} : { rule }),
        ...(hasHunks ? { hunks: [hunk("h1", 1), hunk("h2", 9)] } : {}),
      },
    })),
  fc
    .record({
      askId,
      about: fc.constantFrom("plan", "trust", "orphan", "elicitation", "token-code", "rewind"),
      text: fc.constantFrom(...MARKDOWN),
      choices: fc.constantFrom(undefined, [
        { value: "yes", label: "yes, do it" },
        { value: "no", label: "no" },
      ]),
      words: fc.boolean(),
    })
    .map(({ choices, ...payload }) => ({
      kind: "Asked",
      payload: choices === undefined ? payload : { ...payload, choices },
    })),
) as fc.Arbitrary<Event>;

/** A question that opens, or is closed by somebody. */
const question: fc.Arbitrary<Event> = fc.oneof(
  { weight: 2, arbitrary: asked },
  {
    weight: 1,
    arbitrary: callId.map((id) => ({
      kind: "PermissionAnswered",
      payload: { callId: id, decision: "allow", scope: "once", rule: "a", counted: true },
    })),
  },
  { weight: 1, arbitrary: askId.map((id) => ({ kind: "Answered", payload: { askId: id, answer: null } })) },
) as fc.Arbitrary<Event>;

const spoken: fc.Arbitrary<Event> = fc.oneof(
  fc.constantFrom(...MARKDOWN).map((text) => ({ kind: "TextDelta", payload: { text } })),
  callId.chain((id) =>
    fc.constantFrom(
      {
        kind: "ToolCallStarted",
        payload: { callId: id, tool: "Bash", args: { command: "npm test" }, mutating: true },
      },
      {
        kind: "ToolCallStarted",
        payload: { callId: id, tool: "Edit", args: { path: "a.ts", old: "a", new: "b" }, mutating: true },
      },
      {
        kind: "ToolCallStarted",
        payload: { callId: id, tool: "Task", args: { prompt: "look" }, mutating: false },
      },
      { kind: "ToolCallProgress", payload: { callId: id, partial: "out\u001b[31m red\r\nline\n" } },
      { kind: "ToolResult", payload: { callId: id, content: [{ type: "text", text: "done\n".repeat(9) }] } },
    ),
  ),
  fc.integer({ min: 1, max: 3 }).chain((turn) =>
    fc.constantFrom(
      {
        kind: "TurnStarted",
        payload: {
          turn,
          originator: fakeId("cli", 2),
          content: [{ type: "text", text: "another client" }],
        },
      },
      { kind: "TurnEnded", payload: { turn, reason: "complete", rounds: 1 } },
    ),
  ),
) as fc.Arbitrary<Event>;

const keys = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...SPECIAL) },
  { weight: 2, arbitrary: fc.constantFrom(...CONTROLS) },
  { weight: 2, arbitrary: fc.constantFrom(...LETTERS).map((letter) => `${ESC}${letter}`) },
  { weight: 2, arbitrary: fc.constant("\r") },
  { weight: 2, arbitrary: fc.constantFrom(..."12345ynstwadpv") },
  { weight: 2, arbitrary: fc.constantFrom(...DELETING) },
  { weight: 2, arbitrary: fc.constantFrom(...PARTS) },
  { weight: 1, arbitrary: fc.constantFrom("\u0003", "\u0004", "\u001a", `${ESC}\r`, " ") },
  { weight: 1, arbitrary: fc.constant(ESC) },
);

/** The rows of lists are reached by their keys; `app.interrupt` twice would end each sequence early. */
const ACTED = ACTION_NAMES.filter((name) => name !== "app.interrupt" && name !== "app.leaveIfEmpty");

const cut: fc.Arbitrary<CutChunk | undefined> = fc.option(
  fc
    .record({
      at: fc.nat(12),
      size: fc.option(size, { nil: undefined }),
      ms: fc.constantFrom(0, 5, 60, 1_900, 2_100),
    })
    .map(({ at, size: other, ms }) => (other === undefined ? { at, ms } : { at, size: other, ms })),
  { nil: undefined, freq: 3 },
);

const paste: fc.Arbitrary<Step> = fc
  .record({ text: pasted, isMarked: fc.boolean(), ends: fc.boolean(), cut })
  .map(({ cut: at, ...rest }) => ({ do: "paste", ...rest, ...(at === undefined ? {} : { cut: at }) }));

const resize: fc.Arbitrary<Step> = fc
  .record({ size, lateMs: fc.constantFrom(0, 0, 5, 30, 200) })
  .map(({ lateMs, ...rest }) => ({ do: "resize", ...rest, ...(lateMs === 0 ? {} : { lateMs }) }));

const storm: fc.Arbitrary<Step> = fc.record({
  do: fc.constant("storm" as const),
  sizes: fc.array(size, { minLength: 2, maxLength: 8 }),
  gapMs: fc.constantFrom(0, 1, 7, 16, 49, 51),
});

const wait: fc.Arbitrary<Step> = fc
  .constantFrom(1, 17, 49, 60, 120, 299, 311, 320, 600, 1_100, 2_500, 61_000)
  .map((ms) => ({ do: "wait", ms }));

const weather: fc.Arbitrary<Step> = fc.record({
  do: fc.constant("engine" as const),
  mood: fc.constantFrom(
    "takes",
    "takes",
    "takes",
    "refuses",
    "slow",
    "silent",
    "lost",
  ) as fc.Arbitrary<EngineMood>,
  pick: fc.nat(7),
});

const pressed: fc.Arbitrary<Step> = keys
  .filter((bytes) => bytes !== "")
  .map((bytes) => ({ do: "keys", bytes }));
const typing: fc.Arbitrary<Step> = typed.map((text) => ({ do: "type", text }));

const switching: fc.Arbitrary<Step> = fc.record({
  do: fc.constant("switch" as const),
  to: fc.constantFrom(0 as const, 1 as const, "new" as const),
});

const image: fc.Arbitrary<Step> = fc.record({
  do: fc.constant("image" as const),
  how: fc.constantFrom("path" as const, "mention" as const, "clipboard" as const),
  file: fc.constantFrom(...IMAGE_FILES),
});

/** Events of the kinds above. */
function eventsOf(...weighted: readonly fc.WeightedArbitrary<Event>[]): fc.Arbitrary<Step> {
  return fc.record({
    do: fc.constant("events" as const),
    events: fc.array(fc.oneof(...weighted), { minLength: 1, maxLength: 5 }),
    ofSubAgent: fc.integer({ min: 0, max: 4 }).map((at) => at === 0),
  });
}

const happening = eventsOf(
  { weight: 4, arbitrary: spoken },
  { weight: 2, arbitrary: question },
  { weight: 3, arbitrary: event },
  { weight: 2, arbitrary: fitted() },
);

/** A call of a tool with hostile texts in all fields that tools have. */
const hostileCall: fc.Arbitrary<Event> = fc
  .record({
    id: callId,
    kind: fc.constantFrom("ToolCallStarted", "ToolCallProgress", "ToolResult", "PermissionRequested"),
    tool: fc.oneof(
      fc.constantFrom("Bash", "Edit", "Write", "Read", "Grep", "Glob", "Task", "WebFetch", "TodoWrite", "LS"),
      hostileText,
      hostileText.map((text) => `mcp__${text}__${text}`),
    ),
    text: hostileText,
    more: hostileText,
  })
  .map(({ id: call, kind, tool, text, more }) => ({
    kind,
    payload: {
      callId: call,
      tool,
      args: Object.fromEntries(ARGUMENTS.map((name, at) => [name, at % 2 === 0 ? text : more])),
      ...(kind === "ToolCallStarted" ? { mutating: true, summary: text } : {}),
      ...(kind === "ToolCallProgress" ? { partial: text } : {}),
      ...(kind === "ToolResult" ? { content: [{ type: "text", text: `${text}\n${more}` }] } : {}),
      ...(kind === "PermissionRequested"
        ? {
            originator: fakeId("cli", 3),
            summary: text,
            rule: more,
            reason: text,
            hunks: [{ ...hunk("h1", 1), lines: [`-${text}`, `+${more}`, ` ${text}`] }],
            who: { label: text, identityClass: "agent" },
          }
        : {}),
    },
  })) as fc.Arbitrary<Event>;

/** An event of the engine that is no kind of its own, with hostile texts. */
const hostileCustom: fc.Arbitrary<Event> = fc
  .record({ kind: fc.constantFrom(...CUSTOM_KINDS), text: hostileText, more: hostileText })
  .map(({ kind, text, more }) => ({
    kind: "CustomEvent",
    payload: {
      namespace: "cinch",
      kind,
      payload: {
        ...Object.fromEntries(CUSTOM_TEXTS.map((name) => [name, text])),
        ...Object.fromEntries(CUSTOM_LISTS.map((name) => [name, [text, more]])),
        session: fakeId("sess", 92),
        active: true,
      },
    },
  })) as fc.Arbitrary<Event>;

const hostileQuestion: fc.Arbitrary<Event> = fc
  .record({
    askId,
    about: fc.constantFrom(
      "plan",
      "trust",
      "orphan",
      "elicitation",
      "token-code",
      "outside-sandbox",
      "rewind",
    ),
    text: hostileText,
    label: hostileText,
    words: fc.boolean(),
  })
  .map(({ label, ...payload }) => ({
    kind: "Asked",
    payload: {
      ...payload,
      choices: [
        { value: "yes", label },
        { value: label, label: payload.text },
      ],
      details: { [label]: payload.text, path: label, server: payload.text },
    },
  })) as fc.Arbitrary<Event>;

const hostileHappening = eventsOf(
  { weight: 4, arbitrary: fitted(hostileText) },
  { weight: 4, arbitrary: hostileCall },
  { weight: 1, arbitrary: hostileCustom },
  { weight: 1, arbitrary: hostileQuestion },
  { weight: 1, arbitrary: hostileText.map((text) => ({ kind: "TextDelta", payload: { text } }) as Event) },
);

const acted: fc.Arbitrary<Step> = fc.constantFrom(...ACTED).map((action) => ({ do: "act", action }));

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: typing },
  { weight: 10, arbitrary: pressed },
  { weight: 2, arbitrary: paste },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant("mouse" as const),
      code: fc.constantFrom(0, 1, 2, 3, 32, 35, 64, 65, 4, 66),
      at: fc.record({ columns: fc.nat(210), rows: fc.nat(65) }),
      end: fc.constantFrom("M" as const, "m" as const),
    }),
  },
  { weight: 1, arbitrary: resize },
  { weight: 5, arbitrary: happening },
  { weight: 4, arbitrary: wait },
  { weight: 1, arbitrary: weather },
  { weight: 1, arbitrary: fc.constant({ do: "answer" as const }) },
  { weight: 3, arbitrary: acted },
  {
    weight: 1,
    arbitrary: fc.integer({ min: 0, max: 9 }).map((at) => ({ do: "reach" as const, fails: at === 0 })),
  },
);

type Scene = fc.Arbitrary<readonly Step[]>;

/** A question that opens, keys and pauses about as long as it lets no key count, and a key that answers it. */
const questionScene: Scene = fc
  .record({
    question: fc.oneof({ weight: 3, arbitrary: asked }, { weight: 1, arbitrary: hostileQuestion }),
    pauses: fc.tuple(
      fc.constantFrom(0, 150, 240, 270, 320, 320, 700),
      fc.constantFrom(0, 0, 0, 30, 150, 240, 270, 320, 320),
    ),
    between: fc.constantFrom("x", "1", "\u001b[C", "\u001bOP", "5", "\u001b[5~"),
    answer: fc.constantFrom("1", "2", "4", "y", "\r", "n"),
  })
  .map(({ question: event, pauses: [first, second], between, answer }) => [
    { do: "events", events: [event], ofSubAgent: false },
    { do: "wait", ms: first },
    ...(second === 0
      ? []
      : ([
          { do: "keys", bytes: between },
          { do: "wait", ms: second },
        ] as const)),
    { do: "keys", bytes: answer },
  ]);

/** Drafts that are sent or cleared, and a walk back to them from another one, which is edited or sent. */
const walkScene: Scene = fc
  .record({ first: typed, leave: fc.constantFrom("\r", "\u0003", "\u0018"), second: typed, last: keys })
  .map(({ first, leave, second, last }) => [
    { do: "type", text: first },
    { do: "keys", bytes: leave },
    { do: "wait", ms: 2_500 }, // a second Ctrl-C right behind the first one leaves
    { do: "type", text: second },
    { do: "keys", bytes: "\u001b[A" },
    { do: "keys", bytes: last },
  ]);

/** A search in what is shown, folded or not loaded yet, with keys and whatever else in the middle of it. */
const searchScene: Scene = fc
  .record({
    query: fc.constantFrom(FOUND_WORD, "done", "line", "日", "a", "no such word", "(", "\\"),
    moves: fc.array(
      fc.oneof(
        fc
          .constantFrom("\r", "\u001b[A", "\u001b[B", "\u001b[13;2u", "\u007f", "\u001b[5~", "e")
          .map((bytes) => ({ do: "keys" as const, bytes })),
        wait,
        resize,
        happening,
        acted,
      ),
      { maxLength: 5 },
    ),
    leaves: fc.boolean(),
  })
  .map(({ query, moves, leaves }) => [
    { do: "act", action: "transcript.search" },
    { do: "keys", bytes: query },
    ...moves,
    ...(leaves ? ([{ do: "keys", bytes: ESC }] as const) : []),
  ]);

/** The transcript is browsed: blocks are marked, unfolded, copied, opened, searched. */
const browseScene: Scene = fc
  .array(
    fc.oneof(
      fc.constantFrom(..."jkhlgGnNyve[] \r/q").map((bytes) => ({ do: "keys" as const, bytes })),
      happening,
      wait,
    ),
    { maxLength: 8 },
  )
  .map((steps) => [{ do: "act", action: "transcript.browse" }, ...steps]);

/** Places of a long session far from each other, each of which may be still to read. */
const scrollScene: Scene = fc.array(
  fc.oneof(
    fc
      .constantFrom(
        "transcript.pageUp",
        "transcript.pageUp",
        "transcript.pageDown",
        "transcript.top",
        "transcript.end",
        "transcript.previousPrompt",
        "transcript.nextPrompt",
        "transcript.unfoldAll",
      )
      .map((action) => ({ do: "act" as const, action: action as ActionName })),
    wait,
    happening,
    resize,
  ),
  { minLength: 1, maxLength: 8 },
);

/** A turn runs, something waits, and the person goes to another session and back. */
const switchScene: Scene = fc
  .record({
    first: typed,
    second: typed,
    away: switching,
    back: switching,
    between: fc.array(step, { maxLength: 3 }),
  })
  .map(({ first, second, away, back, between }) => [
    { do: "type", text: first },
    { do: "keys", bytes: "\r" },
    { do: "wait", ms: 60 },
    { do: "type", text: second },
    away,
    ...between,
    back,
  ]);

/** Images in a draft, with edits around their stand-ins. */
const imageScene: Scene = fc
  .record({
    images: fc.array(image, { minLength: 1, maxLength: 3 }),
    between: typed,
    edits: fc.array(
      fc.oneof(
        pressed,
        wait,
        fc.constantFrom(...DELETING).map((bytes) => ({ do: "keys" as const, bytes })),
      ),
      {
        maxLength: 4,
      },
    ),
    sends: fc.boolean(),
  })
  .map(({ images, between, edits, sends }) => [
    ...images,
    { do: "wait", ms: 17 },
    { do: "type", text: between },
    ...edits,
    ...(sends ? ([{ do: "keys", bytes: "\r" }] as const) : []),
  ]);

/** Keys of vim in both modes. */
const vimScene: Scene = fc.array(
  fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom(...VIM_KEYS).map((bytes) => ({ do: "keys" as const, bytes })) },
    { weight: 1, arbitrary: fc.constant({ do: "keys" as const, bytes: ESC }) },
    { weight: 2, arbitrary: typing },
    { weight: 1, arbitrary: wait },
  ),
  { minLength: 2, maxLength: 10 },
);

const single = (each: fc.Arbitrary<Step>): Scene => each.map((one) => [one]);
const anything: fc.Arbitrary<Step> = fc.oneof(
  { weight: 30, arbitrary: step },
  { weight: 1, arbitrary: image },
  { weight: 1, arbitrary: switching },
  { weight: 1, arbitrary: storm },
  { weight: 1, arbitrary: fc.constant({ do: "continued" as const }) },
  { weight: 2, arbitrary: hostileHappening },
  { weight: 1, arbitrary: hostileText.map((text) => ({ do: "notice" as const, text })) },
);
const scene: Scene = fc.oneof(
  { weight: 30, arbitrary: single(anything) },
  { weight: 2, arbitrary: questionScene },
  { weight: 1, arbitrary: walkScene },
  { weight: 1, arbitrary: searchScene },
  { weight: 1, arbitrary: browseScene },
);

/** Scenes that a profile has beside everything else. */
const OWN_SCENES: Readonly<Record<Profile, Scene>> = {
  mixed: scene,
  inline: fc.oneof(single(happening), single(storm), single(resize), single(typing), scrollScene),
  images: fc.oneof(imageScene, imageScene, single(switching), walkScene),
  long: fc.oneof(scrollScene, scrollScene, browseScene, single(switching)),
  search: fc.oneof(searchScene, searchScene, browseScene),
  switches: fc.oneof(switchScene, single(weather), single(happening)),
  questions: fc.oneof(questionScene, single(eventsOf({ weight: 1, arbitrary: question })), single(typing)),
  vim: vimScene,
  sizes: fc.oneof(single(storm), single(resize), single(paste), questionScene),
  hostile: single(hostileHappening),
};

/** Scenes of a sequence that is run among many. */
const SCENES_MAX = 20;

/** Sequences of everything that can happen to a client, mostly of what its profile is about, and how it ends. */
export function sequencesOf(profile: Profile, scenesMax = SCENES_MAX): fc.Arbitrary<Sequence> {
  const isRare = (of: number) => fc.integer({ min: 1, max: of }).map((at) => at === of);
  const own = fc.oneof({ weight: 1, arbitrary: OWN_SCENES[profile] }, { weight: 1, arbitrary: scene });
  return fc
    .record({
      size,
      answers: fc.record({
        kitty: fc.boolean(),
        attributes: fc.boolean(),
        focus: fc.boolean(),
        background: fc.boolean(),
      }),
      isInline: profile === "inline" ? fc.constant(true) : isRare(3),
      reflows: fc.boolean(),
      isLong: profile === "long" ? fc.constant(true) : isRare(profile === "search" ? 2 : 12),
      isHostile: profile === "hostile" ? fc.constant(true) : isRare(6),
      hostWorks: isRare(8).map((fails) => !fails),
      isReached: isRare(4).map((at) => !at),
      hasLast: fc.boolean(),
      isNamed: isRare(4).map((at) => !at),
      settings:
        profile === "vim"
          ? fc.constant("vim_keys = true\n")
          : fc.constantFrom(
              "",
              "",
              "",
              'mouse = "full"\n',
              "vim_keys = true\n",
              'sidebar = true\ntheme = "dark"\n',
              'notify = "always"\nnotify_content = true\n',
              'right_to_left = "reorder"\nvisible_cursor = true\n',
            ),
      steps: fc.array(own, { maxLength: scenesMax, size: "max" }).map((scenes) => scenes.flat()),
      ending: fc.constantFrom("quit", "interrupt", "stopped", "exit", "killed") as fc.Arbitrary<Ending>,
    })
    .map(({ isInline, reflows, ...rest }) => ({ profile, ...rest, ...(isInline ? { reflows } : {}) }));
}
