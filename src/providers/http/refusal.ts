/**
 * Cause of a provider's refusal, read from its words and codes. Statuses alone do not distinguish a full context
 * window, an exceeded quota and a wrong parameter.
 *
 * The words are those of Anthropic, OpenAI, OpenRouter, Z.AI, llama.cpp, vLLM, Ollama, LM Studio and the upstreams
 * that OpenRouter forwards. Dialects classify errors inside a stream the same way.
 */
export type RefusalKind = "overflow" | "quota" | "unknown-model" | "policy" | "other";

export function classifyRefusal(text: string, code = ""): RefusalKind {
  if (OVERFLOW_CODES.has(code) || OVERFLOW.some((words) => words.test(text))) return "overflow";
  if (QUOTA_CODES.has(code) || QUOTA.some((words) => words.test(text))) return "quota";
  if (MODEL_CODES.has(code) || MODEL.some((words) => words.test(text))) return "unknown-model";
  if (POLICY.test(text)) return "policy";
  return "other";
}

const OVERFLOW_CODES = new Set([
  "context_length_exceeded",
  "exceed_context_size_error", // llama.cpp
  "model_max_prompt_tokens_exceeded",
  "1261", // Z.AI
]);

const OVERFLOW: readonly RegExp[] = [
  /prompt (?:is )?too long/i, // Anthropic, Ollama
  /input length and `?max_tokens`? exceed context limit/i, // Anthropic
  /maximum context length/i, // OpenAI, OpenRouter, vLLM
  /exceeds? the (?:available |model's |maximum )?context (?:size|window|length)/i, // OpenAI, llama.cpp, Ollama
  /longer than the maximum model length/i, // vLLM
  /prompt exceeds max length/i, // Z.AI
  /maximum prompt length is \d+/i, // xAI
  /input token count .{0,40}exceeds the maximum/i, // Gemini
  /prompt token count of \d+ exceeds/i,
  /input is too long for requested model/i, // Bedrock
  /with context length of only \d+/i, // LM Studio
  /reduce the length of the (?:messages|prompt|input)/i,
  /request too large for .{0,200}tokens per min/i, // a per-minute quota that this one request exceeds
  /request (?:exceeds the maximum size|_too_large)|request_too_large/i, // Anthropic, 32 MB
];

const QUOTA_CODES = new Set([
  "insufficient_quota",
  "billing_hard_limit_reached",
  "billing_not_active",
  "insufficient_balance",
  "1113", // Z.AI: no balance
  "1308", // Z.AI: the plan's allowance is used up
  "1310",
]);

const QUOTA: readonly RegExp[] = [
  /credit balance is too low/i,
  /exceeded your current quota/i,
  /insufficient (?:balance|credits?|funds|quota)/i,
  /requires more credits/i,
  /free-models-per-day/i,
  /billing (?:hard )?limit/i,
];

const MODEL_CODES = new Set(["model_not_found", "model_not_supported", "1211"]);

const MODEL: readonly RegExp[] = [
  /\bmodel\b.{0,200}(?:not found|does not exist|not exist|is not a valid|not supported|unknown)/i,
  /not a valid model id/i,
  /(?:unknown|invalid|no such) model/i,
  /no endpoints found for/i, // OpenRouter
  /^model: \S+$/i, // Anthropic answers 404 with the bare name
];

const POLICY = /moderation|flagged|country, region|not available in your (?:country|region)/i;
