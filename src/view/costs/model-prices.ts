import { isObject } from "../../base/json.ts";
import { grouped } from "../../base/text/text.ts";

/** US dollars for a million tokens of a kind; what is absent nobody knows. */
export interface Rates {
  readonly input: number;
  readonly output: number;
  readonly cacheRead?: number;
  readonly cacheWrite?: number;
}

export interface ModelPrice extends Rates {
  /** What all of a request costs instead whose input is longer than so many tokens. */
  readonly long?: Rates & { readonly aboveTokens: number };
}

/** By `provider:name`; null for a model whose price nobody knows. */
export type ModelPrices = ReadonlyMap<string, ModelPrice | null>;

/** Reads what an engine answers `engine:prices` with; of what is no price it makes none. */
export function readPrices(answer: unknown): ModelPrices {
  const prices = isObject(answer) && isObject(answer["prices"]) ? answer["prices"] : {};
  return new Map(
    Object.entries(prices).flatMap(([name, value]) => {
      const price = value === null ? null : priceFrom(value);
      return price === undefined ? [] : [[name, price] as const];
    }),
  );
}

function priceFrom(value: unknown): ModelPrice | undefined {
  const rates = ratesFrom(value);
  if (rates === undefined || !isObject(value)) return undefined;
  const long = ratesFrom(value["long"]);
  const aboveTokens = isObject(value["long"]) ? value["long"]["above_tokens"] : undefined;
  if (long === undefined || typeof aboveTokens !== "number") return rates;
  return { ...rates, long: { ...long, aboveTokens } };
}

function ratesFrom(value: unknown): Rates | undefined {
  if (!isObject(value)) return undefined;
  const { input, output, cache_read: cacheRead, cache_write: cacheWrite } = value;
  if (typeof input !== "number" || typeof output !== "number") return undefined;
  return {
    input,
    output,
    ...(typeof cacheRead === "number" ? { cacheRead } : {}),
    ...(typeof cacheWrite === "number" ? { cacheWrite } : {}),
  };
}

/** "a million tokens: $2 in, $0.2 from the cache, $10 out", and a line for requests that are long. */
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

/** Without the tail of binary fractions. */
function plainNumber(value: number): string {
  return String(Number(value.toPrecision(6)));
}
