import { defined } from "../../base/defined.ts";
import type { ModelPriceInfo, PriceInfo } from "../../protocol/resources.ts";
import type { Price } from "../../providers/provider.ts";
import type { EngineModels } from "../../session/models.ts";

/** Returns the prices of models by `provider:name`, in US dollars for a million tokens; null if unknown. */
export function listedPrices(
  models: readonly string[],
  priceOf: EngineModels["priceOf"],
): Readonly<Record<string, ModelPriceInfo | null>> {
  return Object.fromEntries(
    models.map((name) => {
      const colon = name.indexOf(":");
      const price = priceOf(name.slice(0, colon), name.slice(colon + 1));
      return [name, price === undefined ? null : modelPrice(price)];
    }),
  );
}

function modelPrice(price: Price): ModelPriceInfo {
  const { longInput: long } = price;
  const above = long === undefined ? {} : { long: { above_tokens: long.aboveTokens, ...priceInfo(long) } };
  return { ...priceInfo(price), ...above };
}

export function priceInfo({ input, output, cacheRead, cacheWrite }: Omit<Price, "longInput">): PriceInfo {
  return {
    input,
    output,
    ...defined({ cache_read: cacheRead, cache_write: cacheWrite }),
  };
}
