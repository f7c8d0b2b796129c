import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { readPlugins } from "../../src/features/plugins/plugin-files.ts";
import { TrustLedger } from "../../src/guard/trust/ledger/ledger.ts";
import type { MockHome } from "./mock-home.ts";
import type { Turn } from "./mock-provider/turn.ts";
import { calls, fails, says } from "./mock-provider/turn.ts";
import { testWorld } from "./world.ts";

/** One turn as a mock model and the limits of a run make it. */
export interface TurnScenario {
  readonly name: string;
  readonly script: readonly Turn[];
  readonly flags?: readonly string[];
  /** Source of a plugin that is configured and acknowledged. */
  readonly plugin?: string;
  /** The price of the model is not configured. */
  readonly unpriced?: true;
}

const LIST = { tool: "Ls", input: { path: "." } } as const;
const LOOK: Turn = { parts: [{ text: "Let me look." }, LIST] };
const STALLS = fails({ kind: "stall", at: "first-byte" });

const REFUSES = fails({
  kind: "status",
  status: 400,
  body: { error: { type: "invalid_request_error", message: "no such thing" } },
});
const RAISES_AT_END = `export const plugin = {
  name: "meter",
  apiVersion: 1,
  register(harness) {
    harness.hook("Stop", (_, { raise }) => raise("Low", "Little is left."));
  },
};
`;

/** Replaces the folder of the checkpoints with a file after the first call. */
const BREAKS_CHECKPOINTS = `import { rmSync, writeFileSync } from "node:fs";
export const plugin = {
  name: "meter",
  apiVersion: 1,
  register(harness) {
    harness.hook("PostToolUse", () => {
      const folder = process.env["XDG_DATA_HOME"] + "/cinch/checkpoints";
      rmSync(folder, { recursive: true });
      writeFileSync(folder, "");
    });
  },
};
`;

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
    script: [LOOK, REFUSES],
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
    name: "error-then-checkpoint",
    script: [calls("Write", { file_path: "a.txt", content: "a" }), REFUSES],
    flags: ["--auto-approve"],
    plugin: BREAKS_CHECKPOINTS,
  },
  {
    name: "error-then-notice",
    script: [LOOK, fails({ kind: "status", status: 529 }), REFUSES],
    plugin: RAISES_AT_END,
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

/** Configures and acknowledges the plugin of a scenario, if it has one. */
export async function preparePlace(
  { plugin }: TurnScenario,
  { home }: Pick<MockHome, "home">,
): Promise<void> {
  if (plugin === undefined) return;
  const folder = join(home.path, "meter");
  mkdirSync(folder);
  writeFileSync(join(folder, "plugin.ts"), plugin, { mode: 0o600 });
  const config = join(home.path, "config/cinch");
  const file = join(config, "config.toml");
  writeFileSync(file, `plugins = ${JSON.stringify([folder])}\n${readFileSync(file, "utf8")}`);
  const world = testWorld();
  const ledger = await TrustLedger.open(world, join(config, "approved.lock"));
  await ledger.approve(await readPlugins(world, [folder]));
}
