import { CANONICAL_FORM_VERSION } from "../../src/protocol/version.ts";
import { ProviderError } from "../../src/providers/error.ts";
import type { ModelEvent, ModelRequest, Provider } from "../../src/providers/provider.ts";
import type { Chance } from "../support/chance.ts";
import { checkValid } from "../support/valid-history.ts";
import type { SimProcess } from "./scheduler.ts";
import type { Outside } from "./tools.ts";
import { SIM_TOOLS, simInput } from "./tools.ts";

/** A provider whose wire has gone silent is given up after this long, as the real one's phase limits do. */
const SILENCE_MS_MAX = 60_000;
/** Probability of a tool call by round, which falls so that a turn ends. */
const CALLING: readonly number[] = [0.75, 0.5, 0.35, 0.2, 0.1];
/** Probabilities for a summary request, which has no tools. */
const NEVER: readonly number[] = [0, 0, 0, 0, 0];

export interface ProviderSurroundings {
  readonly process: SimProcess;
  readonly chance: Chance;
  readonly outside: Outside;
  /** Returns the probability that an attempt fails. */
  readonly faults: () => number;
  readonly violated: (what: string) => void;
  /** Returns texts that a request should hold and does not. */
  readonly lost: (request: ModelRequest) => Promise<readonly string[]>;
}

/** A model that says and calls what the seed decides, over a wire that breaks as often as it is told to. */
export function simProvider(around: ProviderSurroundings): Provider {
  const { process, chance, faults, violated } = around;
  return {
    name: "sim",
    family: "sim",
    canonicalFormVersion: CANONICAL_FORM_VERSION,
    async *chat(request, signal) {
      for (const problem of checkValid(request.messages)) violated(`a request is not valid: ${problem}`);
      for (const problem of await around.lost(request)) violated(problem);
      await process.pause("provider: asked", signal);
      if (chance.happens(faults())) throw refusal(around);
      for (const event of answer(request, chance)) {
        await process.pause(`provider: ${event.kind}`, signal);
        if (chance.happens(faults() / 4)) {
          if (chance.happens(0.3)) await process.clock.sleep(SILENCE_MS_MAX, signal);
          throw broken("the stream was cut");
        }
        yield event;
      }
    },
    models: () => Promise.resolve([{ id: "sim-1" }]),
    tokenCount: () => Promise.resolve(1),
  };
}

function refusal({ chance, outside }: ProviderSurroundings): ProviderError {
  const fields = { provider: "sim", detail: "as the seed decided" };
  const isOverflow = chance.happens(0.2);
  outside.overflowed ||= isOverflow;
  if (isOverflow) return new ProviderError("ContextOverflow", { model: "sim-1", detail: fields.detail });
  if (chance.happens(0.2))
    return new ProviderError("ProviderFailed", { ...fields, status: "500" }, { transient: true });
  return broken("the connection was refused");
}

function broken(detail: string): ProviderError {
  return new ProviderError("StreamInterrupted", { provider: "sim", detail }, { transient: true });
}

function answer(request: ModelRequest, chance: Chance): readonly ModelEvent[] {
  const events: ModelEvent[] = [];
  let index = 0;
  const words = chance.below(4);
  if (words > 0) {
    const pieces = Array.from({ length: words }, () => `${chance.of(WORDS)} `);
    for (const text of pieces) events.push({ kind: "text", index, text });
    events.push({ kind: "block", index, block: { type: "text", text: pieces.join("") } });
    index += 1;
  }
  const rounds = request.messages.slice(request.messages.findLastIndex(isPrompt)).length;
  const eager = request.tools.length > 0 ? CALLING : NEVER;
  const calls = chance.happens(eager[Math.floor(rounds / 2)] ?? eager.at(-1) ?? 0) ? 1 + chance.below(3) : 0;
  for (let call = 0; call < calls; call++) {
    const name = chance.of(SIM_TOOLS);
    events.push({
      kind: "block",
      index,
      block: { type: "tool_use", name, input: simInput(name, chance.below(1_000)) },
    });
    index += 1;
  }
  const usage = { inputTokens: 10, outputTokens: 5, cacheReadTokens: 0, cacheWriteTokens: 0 };
  events.push({ kind: "usage", usage });
  const length = chance.happens(0.03);
  const reason = length ? "length" : calls > 0 ? "tool_use" : "stop";
  events.push({ kind: "finish", reason, raw: reason });
  return events;
}

function isPrompt({ role, content }: ModelRequest["messages"][number]): boolean {
  return role === "user" && content.some(({ type }) => type === "text");
}

const WORDS = ["the", "tests", "fail", "in", "line", "seven", "now", "I", "look", "again"] as const;
