import { ROUTING } from "../../providers/choosing/route.ts";
import type { Price } from "../../providers/provider.ts";
import type { CustomProvider } from "../../providers/vendors.ts";
import { PROVIDER_KINDS, PROVIDER_NAME } from "../../providers/vendors.ts";
import type { Table } from "../table.ts";
import { MODEL_NAME } from "./model-name.ts";

/**
 * `[providers.NAME]`: providers that need no code.
 * @throws HarnessError ConfigInvalid, for unknown keys too.
 */
export function providersFrom(parent: Table): readonly CustomProvider[] {
  const providers = parent.table("providers");
  if (providers === undefined) return [];
  return providers.named().map(([name, table]) => {
    if (name === ROUTING)
      throw providers.problem(name, `"${name}" is the name of cinch's own: see [routing.NAME]`);
    if (!PROVIDER_NAME.test(name))
      throw providers.problem(name, `"${name}" is no provider name: small letters, digits, - and _`);
    return providerFrom(name, table);
  });
}

function providerFrom(name: string, table: Table): CustomProvider {
  const kind = table.oneOf("kind", PROVIDER_KINDS);
  const baseUrl = table.string("base_url");
  const apiKeyEnv = table.string("api_key_env");
  const defaultModel = table.string("default_model");
  const headers = table.table("headers");
  table.refuseUnknown();
  if (kind === undefined) throw table.problem("kind", `is missing: one of ${PROVIDER_KINDS.join(", ")}`);
  if (baseUrl === undefined) throw table.problem("base_url", "is missing");
  if (apiKeyEnv !== undefined && !/^[A-Za-z_][A-Za-z0-9_]*$/.test(apiKeyEnv)) {
    throw table.problem("api_key_env", "must be the name of an environment variable, not a key");
  }
  return {
    name,
    kind,
    baseUrl: baseUrlFrom(table, baseUrl),
    ...(apiKeyEnv === undefined ? {} : { apiKeyEnv }),
    ...(defaultModel === undefined ? {} : { defaultModel }),
    ...(headers === undefined ? {} : { headers: headersFrom(headers) }),
  };
}

function headersFrom(table: Table): Readonly<Record<string, string>> {
  return Object.fromEntries(
    table.keys().map((name) => {
      const value = table.string(name) ?? "";
      if (!/^[A-Za-z0-9-]+$/.test(name)) throw table.problem(name, "is no header name");
      if (/^(?:authorization|x-api-key|cookie|host)$/i.test(name)) {
        throw table.problem(name, "may not be set here: name the variable of a key with api_key_env");
      }
      if (!/^[\x20-\x7e]*$/.test(value)) throw table.problem(name, "must be plain ASCII in one line");
      return [name, value];
    }),
  );
}

function baseUrlFrom(table: Table, text: string): string {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol))
    throw table.problem("base_url", "must be an http or https URL");
  if (url.username !== "" || url.password !== "") {
    throw table.problem("base_url", "must not hold a name or password: name a variable with api_key_env");
  }
  if (url.search !== "" || url.hash !== "") throw table.problem("base_url", "must not have a ? or # part");
  return url.href.replace(/\/+$/, "");
}

/**
 * `[prices."provider:name"]`: what models cost, by their names.
 * @throws HarnessError ConfigInvalid, for unknown keys too.
 */
export function pricesFrom(parent: Table): ReadonlyMap<string, Price> {
  const prices = parent.table("prices")?.named() ?? [];
  return new Map(prices.map(([name, table]) => [name, priceFrom(name, table)]));
}

function priceFrom(model: string, table: Table): Price {
  const input = table.number("input", 0);
  const output = table.number("output", 0);
  const cacheRead = table.number("cache_read", 0);
  const cacheWrite = table.number("cache_write", 0);
  table.refuseUnknown();
  if (!MODEL_NAME.test(model))
    throw table.problem("input", `"${model}" is no model: write [prices."provider:name"]`);
  if (input === undefined) throw table.problem("input", "is missing: US dollars for a million tokens");
  if (output === undefined) throw table.problem("output", "is missing: US dollars for a million tokens");
  return {
    input,
    output,
    ...(cacheRead === undefined ? {} : { cacheRead }),
    ...(cacheWrite === undefined ? {} : { cacheWrite }),
  };
}
