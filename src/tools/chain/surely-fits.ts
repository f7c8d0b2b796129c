import { isObject } from "../../base/json.ts";

/**
 * Returns true if a value surely fits a schema of common keywords. Otherwise the validator decides: the value may not
 * fit, or the schema has other keywords. A session whose calls fit never loads it (PERF-02).
 */
export function surelyFits(schema: unknown, value: unknown): boolean {
  return (
    isObject(schema) && Object.entries(schema).every(([keyword, rule]) => keepsRule(keyword, rule, value))
  );
}

function keepsRule(keyword: string, rule: unknown, value: unknown): boolean {
  switch (keyword) {
    case "description":
    case "title":
      return true;
    case "type":
      return isOfType(rule, value);
    case "enum":
      return Array.isArray(rule) && typeof value === "string" && rule.includes(value);
    case "required":
      return Array.isArray(rule) && isObject(value) && rule.every((name) => Object.hasOwn(value, name));
    case "items":
      return Array.isArray(value) && value.every((item) => surelyFits(rule, item));
    case "properties":
      return (
        isObject(rule) &&
        isObject(value) &&
        Object.entries(value).every(
          ([name, inner]) => !Object.hasOwn(rule, name) || surelyFits(rule[name], inner),
        )
      );
    default:
      return false;
  }
}

function isOfType(type: unknown, value: unknown): boolean {
  switch (type) {
    case "string":
    case "boolean":
    case "number":
      return typeof value === type;
    case "integer":
      return Number.isInteger(value);
    case "array":
      return Array.isArray(value);
    case "object":
      return isObject(value);
    default:
      return false;
  }
}
