import { shortened } from "../../../base/text/text.ts";

const SHOWN_CHARACTERS_MAX = 100;

/** Returns a value of a program for an error message: short, on one line, whatever the value is. */
export function describeValue(value: unknown): string {
  switch (typeof value) {
    case "string":
      return shortened(JSON.stringify(value), SHOWN_CHARACTERS_MAX);
    case "bigint":
      return shortened(`${value}n`, SHOWN_CHARACTERS_MAX);
    case "number":
    case "boolean":
    case "undefined":
      return `${value}`;
    case "object":
      return value === null ? "null" : Array.isArray(value) ? "an array" : "an object";
    case "function":
      return "a function";
    case "symbol":
      return "a symbol";
  }
}
