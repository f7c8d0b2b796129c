import type { JsonObject } from "../../base/json.ts";
import { isObject, parseJson } from "../../base/json.ts";
import { decode, shortened } from "../../base/text/text.ts";
import type { HookEvent } from "../../protocol/events/hook-events.ts";
import type { Captured } from "./run-hook.ts";

/** Answer of a hook on its standard output. All of it is untrusted text. */
export interface HookAnswer {
  readonly decision?: "allow" | "block";
  readonly reason?: string;
  /** PreToolUse: the input that replaces the call's. */
  readonly input?: JsonObject;
  /** For the model. */
  readonly context?: string;
}

/** Characters of one hook's context that a model gets at most. */
export const CONTEXT_CHARACTERS_MAX = 16_384;
export const REASON_CHARACTERS_MAX = 4_096;

const KEYS = ["decision", "reason", "input", "context"] as const;
const PLAIN_IS_CONTEXT: readonly HookEvent[] = ["SessionStart", "UserPromptSubmit"];

/**
 * Reads an answer: nothing, a JSON object, or plain text. Plain text is context at the start of a session and with a
 * prompt, and else ignored.
 *
 * An answer that begins like an object must be one, with known keys only: a "deny" in the words of another program must
 * not be taken for an approval.
 */
export function readHookAnswer(
  stdout: Captured,
  event: HookEvent,
): HookAnswer | { readonly problem: string } {
  const text = decode(stdout.bytes).trim();
  if (!text.startsWith("{")) {
    return text === "" || !PLAIN_IS_CONTEXT.includes(event) ? {} : { context: contextOf(text) };
  }
  if (stdout.total > stdout.bytes.length) return { problem: "its answer is longer than 64 KB" };
  const value = parseJson(text)?.value;
  if (!isObject(value)) return { problem: "its answer is not one JSON object" };
  return readObject(value, event);
}

function readObject(value: JsonObject, event: HookEvent): HookAnswer | { readonly problem: string } {
  const unknown = Object.keys(value).find((key) => !KEYS.some((known) => known === key));
  if (unknown !== undefined) {
    const unknownKeys = shortened(JSON.stringify(unknown), 64);
    return { problem: `its answer has the unknown key ${unknownKeys}; known: ${KEYS.join(", ")}` };
  }
  const { decision, reason, input, context } = value;
  if (decision !== undefined && decision !== "allow" && decision !== "block") {
    return { problem: 'the decision in its answer is neither "allow" nor "block"' };
  }
  if (reason !== undefined && typeof reason !== "string") {
    return { problem: "the reason in its answer is not a text" };
  }
  if (context !== undefined && typeof context !== "string") {
    return { problem: "the context in its answer is not a text" };
  }
  if (input !== undefined && !isObject(input)) return { problem: "the input in its answer is not an object" };
  if (input !== undefined && event !== "PreToolUse") {
    return { problem: "its answer has an input, which only a PreToolUse hook can change" };
  }
  return {
    ...(decision === undefined ? {} : { decision }),
    ...(reason === undefined ? {} : { reason: shortened(reason, REASON_CHARACTERS_MAX) }),
    ...(input === undefined ? {} : { input }),
    ...(context === undefined || context.trim() === "" ? {} : { context: contextOf(context) }),
  };
}

function contextOf(text: string): string {
  return shortened(text, CONTEXT_CHARACTERS_MAX);
}
