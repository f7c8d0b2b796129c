import { isObject } from "../../base/json.ts";
import { redactor } from "../../safety/redact.ts";

/** Tables with secret values: they are shown only as set. */
const HIDDEN = /^(?:env|headers)$/;
/** An option of a command that takes what is nobody's to see. */
const SECRET_OPTION = /^(--?[\w-]*(?:key|token|secret|pass|auth|credential|bearer)[\w-]*)(=.+)?$/is;
const SET = "(set)";

/**
 * Returns the value of a setting without secrets: a header, an environment or a command may hold a key.
 * @param key where it stands, with dots between tables.
 */
export function shownValue(key: string, value: unknown): unknown {
  const tables = key.split(".").slice(0, -1);
  return value !== null && tables.some((part) => HIDDEN.test(part)) ? SET : clean(value);
}

function clean(value: unknown): unknown {
  if (typeof value === "string") return redactor([]).text(value);
  if (Array.isArray(value)) return value.map((item, at) => cleanWord(item, value[at - 1]));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [
      key,
      HIDDEN.test(key) && isObject(inner)
        ? Object.fromEntries(Object.keys(inner).map((name) => [name, SET]))
        : clean(inner),
    ]),
  );
}

/** Returns one word of a list without secrets; the list may be a command. */
function cleanWord(word: unknown, before: unknown): unknown {
  if (typeof word !== "string") return clean(word);
  const option = SECRET_OPTION.exec(word);
  if (option?.[2] !== undefined) return `${option[1]}=${SET}`;
  const follows = typeof before === "string" && SECRET_OPTION.exec(before)?.[2] === undefined;
  if (follows && SECRET_OPTION.test(before) && !word.startsWith("-")) return SET;
  return clean(word);
}
