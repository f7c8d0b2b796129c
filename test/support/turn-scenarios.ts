import type { Turn } from "./mock-provider/turn.ts";
import { calls, fails, says } from "./mock-provider/turn.ts";

/** One turn as a mock model and the limits of a run make it. */
export interface TurnScenario {
  readonly name: string;
  readonly script: readonly Turn[];
  readonly flags?: readonly string[];
  /** The price of the model is not configured. */
  readonly unpriced?: true;
}

const LIST = { tool: "Ls", input: { path: "." } } as const;
const LOOK: Turn = { parts: [{ text: "Let me look." }, LIST] };
const STALLS = fails({ kind: "stall", at: "first-byte" });

/** Turns that every client has to give one result for. Their events stand recorded in `test/data/turns`. */
export const TURN_SCENARIOS: readonly TurnScenario[] = [
  { name: "plain", script: [says("Hello there.")] },
  { name: "answer-after-call", script: [LOOK, says("There is nothing.")] },
  {
    name: "answer-before-call",
    script: [{ parts: [{ text: "All is done." }, LIST] }, { parts: [{ thinking: "Enough." }] }],
  },
  { name: "nothing-after-call", script: [LOOK, { parts: [] }] },
  { name: "thinking-only", script: [{ parts: [{ thinking: "Hm." }] }] },
  {
    name: "several-blocks",
    script: [{ parts: [{ text: "One. " }, { thinking: "And?" }, { text: "Two." }] }],
  },
  {
    name: "error-after-result",
    script: [
      LOOK,
      fails({
        kind: "status",
        status: 400,
        body: { error: { type: "invalid_request_error", message: "no such thing" } },
      }),
    ],
  },
  {
    name: "error-in-answer",
    script: [
      LOOK,
      {
        ...says("The answer is forty-two, as everybody knows."),
        fault: { kind: "error-event", afterEvents: 3, type: "api_error", message: "broke" },
      },
    ],
  },
  {
    name: "budget-after-result",
    script: [{ ...LOOK, usage: { input: 20_000, output: 10_000 } }, says("no more")],
    flags: ["--max-cost", "0.031"],
  },
  { name: "no-progress", script: Array.from({ length: 30 }, () => LOOK) },
  { name: "time-limit-after-result", script: [LOOK, STALLS], flags: ["--max-time", "4s"] },
  {
    name: "turn-limit",
    script: [LOOK, { parts: [{ text: "And again." }, LIST] }],
    flags: ["--max-turns", "2"],
  },
  { name: "turn-limit-silent", script: [LOOK, { parts: [LIST] }], flags: ["--max-turns", "2"] },
  { name: "cut-off", script: [LOOK, says("It is lon", { finish: "length" })] },
  {
    name: "refused-call",
    script: [calls("Write", { file_path: "a.txt", content: "a" }), says("I may not.")],
    flags: ["--level", "ReadOnly"],
  },
  { name: "retried", script: [fails({ kind: "status", status: 529 }), says("At last.")] },
  { name: "unpriced", script: [LOOK, says("There is nothing.")], unpriced: true },
  {
    name: "sub-agent",
    script: [
      { parts: [{ text: "I ask another." }, { tool: "Agent", input: { prompt: "go", description: "d" } }] },
      LOOK,
      says("Inner answer."),
      says("Outer answer."),
    ],
  },
  {
    name: "sub-agent-cut-off",
    script: [
      { parts: [{ text: "I ask another." }, { tool: "Agent", input: { prompt: "go", description: "d" } }] },
      LOOK,
      STALLS,
    ],
    flags: ["--max-time", "4s"],
  },
];
