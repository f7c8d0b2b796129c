import { HarnessError } from "../../base/errors.ts";
import { objectAt, stringAt } from "../../base/json.ts";
import type { InputBlock } from "../../protocol/content.ts";
import type { HarnessConfig, HarnessWire } from "./embedder.ts";

const WIRES: readonly HarnessWire[] = ["anthropic", "openai-compatible", "openai-responses"];

/**
 * Returns the blocks of a prompt. Loads the schema of blocks only where the prompt is no text.
 * @throws HarnessError UsageInvalid for a block that does not fit its schema, and for one without content: either
 * would stand in the history of every later prompt too.
 */
export async function promptBlocks(content: string | readonly InputBlock[]): Promise<InputBlock[]> {
  const blocks: unknown = typeof content === "string" ? [{ type: "text", text: content }] : content;
  if (!Array.isArray(blocks) || blocks.length === 0 || blocks.some(isEmpty))
    throw misuse("a prompt is a text, or blocks of text and images, and none of them empty");
  if (typeof content === "string") return [{ type: "text", text: content }];
  const { readPrompt } = await import("../../protocol/read.ts");
  return readPrompt(blocks);
}

function isEmpty(block: unknown): boolean {
  const text =
    stringAt(block, "type") === "text"
      ? stringAt(block, "text")
      : stringAt(objectAt(block, "source"), "data");
  return text === undefined || text.trim() === "";
}

/** @throws HarnessError UsageInvalid, naming the field of the configuration that is wrong. */
export function assertUsable(config: HarnessConfig): void {
  const { kind = "anthropic", apiKey, baseUrl, model, maxCostUsd = 0 } = config;
  if (!WIRES.includes(kind)) throw misuse(`kind is one of ${WIRES.join(", ")}, not "${kind}"`);
  const isKey = typeof apiKey === "string" && apiKey.trim() !== "";
  if (!isKey && (kind === "anthropic" || apiKey !== undefined)) {
    throw misuse("a Harness needs an apiKey: new Harness({ apiKey }, tools)");
  }
  if (kind !== "anthropic" && (baseUrl === undefined || model === undefined))
    throw misuse(`the wire ${kind} needs baseUrl and model: it has no default server`);
  if (typeof maxCostUsd !== "number" || !(maxCostUsd >= 0))
    throw misuse("maxCostUsd is a number of US dollars of at least 0");
  for (const name of ["maxTurns", "maxTokens", "timeoutMs"] as const) {
    const limit = config[name] ?? 1;
    // Not a number at all would be no limit at all.
    if (!Number.isSafeInteger(limit) || limit < 1) throw misuse(`${name} is a whole number of at least 1`);
  }
}

function misuse(problem: string): HarnessError {
  return new HarnessError("UsageInvalid", { problem });
}
