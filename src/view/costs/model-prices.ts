import { grouped } from "../../base/text/text.ts";
import type { ResultOf } from "../../protocol/queries/queries.ts";
import type { ModelPriceInfo, PriceInfo } from "../../protocol/resources.ts";

/** US dollars for a million tokens of a kind; absent if unknown. */
export interface Rates {
  readonly input: number;
  readonly output: number;
  readonly cacheRead?: number;
  readonly cacheWrite?: number;
}

export interface ModelPrice extends Rates {
  /** Rates for the whole of a request with a longer input. */
  readonly long?: Rates & { readonly aboveTokens: number };
}

/** Prices by `provider:name`; null for a model of unknown price. */
export type ModelPrices = ReadonlyMap<string, ModelPrice | null>;

/** Returns the answer to `ListPrices` by model. */
export function modelPrices(answer: ResultOf<"ListPrices">["prices"]): ModelPrices {
  return new Map(
    Object.entries(answer).map(([name, price]) => [name, price === null ? null : priceFrom(price)]),
  );
}

function priceFrom(price: ModelPriceInfo): ModelPrice {
  const { long } = price;
  if (long === undefined) return ratesFrom(price);
  return { ...ratesFrom(price), long: { ...ratesFrom(long), aboveTokens: long.above_tokens } };
}

function ratesFrom({ input, output, cache_read: cacheRead, cache_write: cacheWrite }: PriceInfo): Rates {
  return {
    input,
    output,
    ...(cacheRead === undefined ? {} : { cacheRead }),
    ...(cacheWrite === undefined ? {} : { cacheWrite }),
  };
}

/** Renders a price: "a million tokens: $2 in, $0.2 from the cache, $10 out", and a line for long requests. */
export function printModelPrice(price: ModelPrice): readonly string[] {
  const { long } = price;
  const above =
    long === undefined ? [] : [`with more than ${grouped(long.aboveTokens)} in: ${printRates(long)}`];
  return [`a million tokens: ${printRates(price)}`, ...above];
}

function printRates({ input, output, cacheRead, cacheWrite }: Rates): string {
  return [
    `$${plainNumber(input)} in`,
    ...(cacheRead === undefined ? [] : [`$${plainNumber(cacheRead)} from the cache`]),
    ...(cacheWrite === undefined ? [] : [`$${plainNumber(cacheWrite)} into it`]),
    `$${plainNumber(output)} out`,
  ].join(", ");
}

/** Renders a number without the tail of binary fractions. */
function plainNumber(value: number): string {
  return String(Number(value.toPrecision(6)));
}
