import type { JsonObject } from "../../base/json.ts";
import type { CredentialUse } from "../authorized-fetch.ts";
import { knownModel } from "../choosing/prices.ts";
import { anthropicMessages } from "../dialect/anthropic-messages/anthropic-messages.ts";
import type { Dialect } from "../dialect/dialect.ts";
import type { ProviderDependencies } from "../dialect/dialect-provider.ts";
import { dialectProvider } from "../dialect/dialect-provider.ts";
import type { Model, Price, Provider } from "../provider.ts";
import type { VertexLocation } from "../vendor-settings.ts";
import { vertexHost } from "../vendor-settings.ts";

/** An access token of Google. The key owner exchanges the credentials for it. */
const TOKEN: CredentialUse = { kind: "header", header: "authorization", prefix: "Bearer " };

/** Vertex expects the API version in the body and the model in the address. */
const VERSION = { anthropic_version: "vertex-2023-10-16" };

export interface VertexOptions extends VertexLocation {
  /** Replaces Google's host. */
  readonly baseUrl?: string;
}

/**
 * Returns the provider of Claude on Google's Vertex AI (PROV-14): Anthropic's API at addresses that name project,
 * region and model. The provider counts tokens.
 */
export function vertexProvider(
  { project, region, baseUrl }: VertexOptions,
  dependencies: ProviderDependencies,
): Provider {
  const base = baseUrl ?? vertexHost(region);
  const provider = dialectProvider(
    {
      name: "vertex",
      family: "anthropic",
      dialect,
      baseUrl: `${base}/projects/${project}/locations/${region}/publishers/anthropic/models`,
      credential: TOKEN,
      pathOf: (model) => `/${nameInPath(model)}:streamRawPredict`,
      // Its catalogue has the prices of the region.
      pricesInCatalogue: true,
      tokenCount: { path: "/count-tokens:rawPredict", model: "claude-sonnet-5-5" },
    },
    dependencies,
  );
  const offered = MODELS.map((id) => modelAt(region, id));
  return { ...provider, known: async () => offered, models: async () => offered };
}

const dialect: Dialect = {
  ...anthropicMessages,
  body(request, context): JsonObject {
    const { model: _inPath, ...body } = anthropicMessages.body(request, context);
    return { ...VERSION, ...body };
  },
};

/** Encodes a model name for an address, such as `claude-sonnet-4-5@20250929`: the mark before the date is kept. */
function nameInPath(model: string): string {
  return encodeURIComponent(model).replaceAll("%40", "@");
}

/** An ordinary project may read no list of models. Older ones have their date in the id. */
const MODELS: readonly string[] = [
  "claude-opus-5-5",
  "claude-sonnet-5-5",
  "claude-haiku-5-5",
  "claude-opus-5",
  "claude-sonnet-5",
  "claude-opus-4-8",
  "claude-opus-4-7",
  "claude-opus-4-6",
  "claude-sonnet-4-6",
  "claude-opus-4-5@20251101",
  "claude-sonnet-4-5@20250929",
  "claude-haiku-4-5@20251001",
  "claude-opus-4-1@20250805",
  "claude-opus-4@20250514",
  "claude-sonnet-4@20250514",
];

/** Price factor of a chosen region against the global one, for models since 4.5. */
const REGION_FACTOR = 1.1;

function modelAt(region: string, id: string): Model {
  const { price, ...known } = knownModel("anthropic", id.replace(/@.*$/, "")) ?? { id };
  if (price === undefined) return { ...known, id };
  const isDearer = region !== "global" && !/^claude-(?:opus|sonnet)-4(?:-1)?@/.test(id);
  return { ...known, id, price: isDearer ? dearer(price) : price };
}

function dearer({ longInput, ...price }: Price): Price {
  const times = (amount: number) => Number((amount * REGION_FACTOR).toPrecision(12));
  const raised = (rates: Omit<Price, "longInput">) => ({
    input: times(rates.input),
    output: times(rates.output),
    ...(rates.cacheRead === undefined ? {} : { cacheRead: times(rates.cacheRead) }),
    ...(rates.cacheWrite === undefined ? {} : { cacheWrite: times(rates.cacheWrite) }),
  });
  if (longInput === undefined) return raised(price);
  return { ...raised(price), longInput: { ...raised(longInput), aboveTokens: longInput.aboveTokens } };
}
