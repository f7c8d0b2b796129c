import { defined } from "../../../base/defined.ts";
import type { JsonObject } from "../../../base/json.ts";
import { arrayAt, isObject, numberAt, objectAt, parseJson, stringAt } from "../../../base/json.ts";
import { EFFORTS } from "../../effort.ts";
import type { Model, Price } from "../../provider.ts";
import { TOKENS_MAX } from "../../token-count.ts";

const MODELS_MAX = 5_000;
const ID_UNITS_MAX = 300;
const TOKENS_PER_PRICE = 1_000_000;

/**
 * Reads the models of a catalogue document in any known format: OpenAI's list, OpenRouter's with prices and
 * modalities, Anthropic's with display names, vLLM's and llama.cpp's with context sizes, Ollama's, or a bare list.
 *
 * Entries without a usable id are skipped. Returns undefined if the document is no catalogue.
 */
export function parseCatalogue(text: string): readonly Model[] | undefined {
  const document = parseJson(text)?.value;
  const entries = listIn(document);
  if (entries === undefined) return undefined;
  const models = new Map<string, Model>();
  for (const entry of entries) {
    const model = models.size < MODELS_MAX ? modelOf(entry) : undefined;
    if (model !== undefined) models.set(model.id, model);
  }
  return [...models.values()];
}

function listIn(document: unknown): readonly unknown[] | undefined {
  if (Array.isArray(document)) return document;
  if (!isObject(document)) return undefined;
  const list = document["data"] ?? document["models"];
  return Array.isArray(list) ? list : undefined;
}

function modelOf(entry: unknown): Model | undefined {
  const id = typeof entry === "string" ? entry : idOf(entry);
  if (id === undefined || id === "" || id.length > ID_UNITS_MAX || /[\u0000-\u001f\u007f]/.test(id))
    return undefined;
  const name = stringAt(entry, "display_name") ?? stringAt(entry, "name");
  const contextTokens = contextOf(entry);
  const outputTokensMax =
    positive(numberAt(objectAt(entry, "top_provider"), "max_completion_tokens")) ??
    positive(numberAt(objectAt(capabilitiesOf(entry), "limits"), "max_output_tokens")) ??
    positive(numberAt(entry, "max_tokens"));
  const price = priceOf(entry);
  const takes = takesOf(entry);
  const efforts = effortsOf(entry);
  const thinks = thinksOf(entry) ?? ((efforts?.length ?? 0) > 0 ? true : undefined);
  const endpoints = arrayAt(entry, "supported_endpoints").filter((each) => typeof each === "string");
  // Copilot lists completion and embedding models beside chat models.
  if (!/^(?:chat)?$/.test(stringAt(capabilitiesOf(entry), "type") ?? "")) return undefined;
  return {
    id,
    ...(name === undefined || name === id ? {} : { name }),
    ...defined({ contextTokens, outputTokensMax, price, takes, thinks, efforts }),
    ...(endpoints.length === 0 ? {} : { endpoints }),
  };
}

/** Reads Copilot's description of a model: its type, inputs and limits. */
function capabilitiesOf(entry: unknown): JsonObject | undefined {
  return objectAt(entry, "capabilities");
}

function idOf(entry: unknown): string | undefined {
  return stringAt(entry, "id") ?? stringAt(entry, "model") ?? stringAt(entry, "name");
}

function contextOf(entry: unknown): number | undefined {
  return (
    positive(numberAt(objectAt(entry, "top_provider"), "context_length")) ??
    positive(numberAt(objectAt(capabilitiesOf(entry), "limits"), "max_context_window_tokens")) ??
    positive(numberAt(entry, "context_length")) ??
    positive(numberAt(entry, "context_window")) ??
    positive(numberAt(entry, "max_model_len")) ?? // vLLM
    positive(numberAt(entry, "max_input_tokens")) ?? // Anthropic
    positive(numberAt(entry, "max_context_length")) ?? // LM Studio
    positive(numberAt(objectAt(entry, "meta"), "n_ctx")) // llama.cpp
  );
}

/** OpenRouter: dollars per token, as text. A negative price means "depends", which is unknown. */
function priceOf(entry: unknown): Price | undefined {
  const pricing = objectAt(entry, "pricing");
  const input = perMillion(pricing?.["prompt"]);
  const output = perMillion(pricing?.["completion"]);
  if (input === undefined || output === undefined) return undefined;
  const cacheRead = perMillion(pricing?.["input_cache_read"]);
  const cacheWrite = perMillion(pricing?.["input_cache_write"]);
  return {
    input,
    output,
    ...defined({ cacheRead, cacheWrite }),
  };
}

function perMillion(perToken: unknown): number | undefined {
  if (typeof perToken !== "string" && typeof perToken !== "number") return undefined;
  const price = perToken === "" ? Number.NaN : Number(perToken);
  if (!Number.isFinite(price) || price < 0) return undefined;
  return Number((price * TOKENS_PER_PRICE).toPrecision(12)); // 0.0000003 has no exact binary form; 0.3 was meant
}

/** Copilot: what a model supports. */
function supportsOf(entry: unknown): JsonObject | undefined {
  return objectAt(capabilitiesOf(entry), "supports");
}

/** Anthropic: a capability is an object that says if it is supported. */
function isSupported(entry: unknown, capability: string): boolean | undefined {
  const supported = objectAt(capabilitiesOf(entry), capability)?.["supported"];
  return typeof supported === "boolean" ? supported : undefined;
}

function takesOf(entry: unknown): Model["takes"] | undefined {
  const vision = supportsOf(entry)?.["vision"];
  if (typeof vision === "boolean") return vision ? ["image"] : [];
  const [image, pdf] = [isSupported(entry, "image_input"), isSupported(entry, "pdf_input")];
  if (image !== undefined || pdf !== undefined)
    return [...(image === true ? (["image"] as const) : []), ...(pdf === true ? (["pdf"] as const) : [])];
  const architecture = objectAt(entry, "architecture");
  if (architecture?.["input_modalities"] === undefined) return undefined;
  const modalities = arrayAt(architecture, "input_modalities");
  const named = (["image", "audio"] as const).filter((kind) => modalities.includes(kind));
  return modalities.includes("file") ? [...named, "pdf"] : named; // OpenRouter's files are PDFs
}

function thinksOf(entry: unknown): boolean | undefined {
  const supports = supportsOf(entry);
  if (supports?.["adaptive_thinking"] === true || numberAt(supports, "max_thinking_budget") !== undefined)
    return true;
  const thinking = isSupported(entry, "thinking");
  if (thinking !== undefined) return thinking;
  if (!isObject(entry) || !Array.isArray(entry["supported_parameters"])) return undefined;
  return entry["supported_parameters"].includes("reasoning"); // OpenRouter
}

function effortsOf(entry: unknown): Model["efforts"] | undefined {
  const listed = supportsOf(entry)?.["reasoning_effort"];
  if (Array.isArray(listed)) return EFFORTS.filter((each) => listed.includes(each));
  const effort = objectAt(capabilitiesOf(entry), "effort");
  if (typeof effort?.["supported"] !== "boolean") return undefined;
  return EFFORTS.filter((each) => objectAt(effort, each)?.["supported"] === true);
}

/** Rounds a limit down to whole tokens. Returns undefined if it is no limit. */
function positive(number: number | undefined): number | undefined {
  return number !== undefined && number >= 1 && number <= TOKENS_MAX ? Math.floor(number) : undefined;
}
