import { arrayAt, isObject } from "../../base/json.ts";
import { count } from "../../base/text/text.ts";
import { neutraliseLine } from "../terminal/terminal-text.ts";

/** Texts that replace values. */
type Words = Readonly<Record<string, string>>;

/** Fills a template with the fields of an answer; see `Shows`. Nothing in it drives a terminal. */
export function fillTemplate(template: string, answer: unknown, words: Words = {}): string {
  const whole = template.replaceAll(/\[([^\]]*)\]/g, (_all, part: string) =>
    fieldsOf(part).every((field) => isThere(fieldAt(answer, field))) ? part : "",
  );
  return whole.replaceAll(/\{([\w.]+)(?:\|(\w+))?\}/g, (_all, field: string, noun?: string) => {
    const value = fieldAt(answer, field);
    return noun === undefined ? textOf(value, words) : count(Number(value ?? 0), noun);
  });
}

/** Returns true if an answer has a value for at least one field of a template, or the template has no field. */
export function hasFields(template: string, answer: unknown): boolean {
  const fields = fieldsOf(template);
  return (
    fields.length === 0 ||
    fields.some((field) => {
      const value = fieldAt(answer, field);
      return value !== undefined && value !== null;
    })
  );
}

/** Returns the list at a field of an answer; empty if it has none. */
export function listIn(answer: unknown, field: string): readonly unknown[] {
  const [last = "", ...path] = field.split(".").toReversed();
  return arrayAt(path.length === 0 ? answer : fieldAt(answer, path.toReversed().join(".")), last);
}

export function fieldAt(answer: unknown, field: string): unknown {
  return field
    .split(".")
    .reduce<unknown>(
      (value, key) => (isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined),
      answer,
    );
}

function fieldsOf(template: string): readonly string[] {
  return [...template.matchAll(/\{([\w.]+)(?:\|\w+)?\}/g)].map(([, field = ""]) => field);
}

function isThere(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > 0;
  return value !== undefined && value !== null && value !== "" && value !== 0 && value !== false;
}

function textOf(value: unknown, words: Words): string {
  if (Array.isArray(value)) return value.map((each) => textOf(each, words)).join(", ");
  if (value === undefined || value === null) return "";
  const text = typeof value === "object" ? JSON.stringify(value) : String(value);
  return neutraliseLine(Object.hasOwn(words, text) ? (words[text] ?? text) : text);
}
