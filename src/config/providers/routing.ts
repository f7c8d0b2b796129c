import type { Route, RouteRule } from "../../providers/choosing/route.ts";
import { ROUTING } from "../../providers/choosing/route.ts";
import { REQUEST_ROLES } from "../../providers/provider.ts";
import { PROVIDER_NAME } from "../../providers/vendors.ts";
import type { Table } from "../table.ts";
import { modelName } from "./model-name.ts";

const RULES_MAX = 64;

/**
 * `[routing.NAME]`: models made of several, each named as `routing:NAME` (PROV-07).
 * @throws HarnessError ConfigInvalid, for unknown keys too.
 */
export function routesFrom(parent: Table): readonly Route[] {
  const routing = parent.table("routing");
  if (routing === undefined) return [];
  return routing.named().map(([name, table]) => {
    if (!PROVIDER_NAME.test(name))
      throw routing.problem(name, `"${name}" is no name: small letters, digits, - and _`);
    const rules = table.tables("rules");
    if (rules.length > RULES_MAX) throw table.problem("rules", `holds more than ${RULES_MAX} rules`);
    const route = {
      name,
      model: memberFrom(table, "model", table.string("model")),
      fallback: (table.strings("fallback") ?? []).map((text) => memberFrom(table, "fallback", text)),
      rules: rules.map(ruleFrom),
    };
    table.refuseUnknown();
    return route;
  });
}

/** A model that a route leads to. */
function memberFrom(table: Table, key: string, text: string | undefined): string {
  if (text === undefined) throw table.problem(key, "is missing");
  const model = modelName(table, key, text);
  if (!model.startsWith(`${ROUTING}:`)) return model;
  throw table.problem(key, `"${model}" is a route itself, and routes do not lead to routes`);
}

function ruleFrom(table: Table): RouteRule {
  const model = memberFrom(table, "model", table.string("model"));
  const role = table.oneOf("role", REQUEST_ROLES);
  const inputAbove = table.integer("input_above", 1);
  const spentAbove = table.number("spent_above", 0);
  table.refuseUnknown();
  if (role === undefined && inputAbove === undefined && spentAbove === undefined)
    throw table.problem("model", "stands without a condition: add role, input_above or spent_above");
  return {
    model,
    ...(role === undefined ? {} : { role }),
    ...(inputAbove === undefined ? {} : { inputAbove }),
    ...(spentAbove === undefined ? {} : { spentAbove }),
  };
}
