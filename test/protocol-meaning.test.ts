import { expect, test } from "bun:test";
import { fieldRows } from "../scripts/protocol-fields.ts";
import { publishedFiles } from "../scripts/schemas.ts";
import { isObject, objectAt, parseJson, stringAt } from "../src/base/json.ts";

/** Schemas that need no sentence: the query or command that they answer has it. */
const ANSWERS = /Result$/;

/** Fields that need no sentence, by the end of their path. */
const SELF_EVIDENT = /^payload$/;

test("[CTL-06] every schema of the protocol, and every field in it, has a description", () => {
  const document = parseJson(publishedFiles().get("docs/protocol/openapi.json") ?? "")?.value;
  const all = objectAt(objectAt(document, "components"), "schemas") ?? {};
  const missing = Object.entries(all).flatMap(([name, schema]) => {
    if (!isObject(schema)) return [name];
    const fields = fieldRows(schema, all)
      // The value of such a field names the member of a union.
      .filter(({ path, type, about }) => about === undefined && !SELF_EVIDENT.test(path) && !isNameOnly(type))
      .map(({ path }) => `${name}: ${path}`);
    const isDescribed = stringAt(schema, "description") !== undefined || ANSWERS.test(name);
    return [...(isDescribed ? [] : [name]), ...fields];
  });
  expect(Object.keys(all)).toContain("MoveInputCommand");
  expect(missing).toEqual([]);
});

/** Texts of types that many fields have, and the names of fields that such a text says enough about. */
const GENERAL: readonly (readonly [text: RegExp, names: RegExp])[] = [
  [/^Id of an? /, /^(?:session|sessionId|call|callId|log|logId|inputId|askId|task|taskId|attachment|id)$/],
  [/^(?:Number of tokens|US dollars; null if the price is unknown)\.$/, /tokens$|^usd$/i],
  [/^(?:A number, from 0|Nanoseconds)\.$/, /^$/],
];

test("[CTL-06] a field with a role of its own does not have the text of its type alone", () => {
  const document = parseJson(publishedFiles().get("docs/protocol/openapi.json") ?? "")?.value;
  const all = objectAt(objectAt(document, "components"), "schemas") ?? {};
  const vague = Object.entries(all).flatMap(([name, schema]) =>
    fieldRows(isObject(schema) ? schema : {}, all)
      .filter(({ path, about = "" }) =>
        GENERAL.some(([text, names]) => text.test(about) && !names.test(lastOf(path))),
      )
      .map(({ path, about }) => `${name}: ${path}: ${about}`),
  );
  expect(vague).toEqual([]);
});

function lastOf(path: string): string {
  return path.slice(path.lastIndexOf(".") + 1);
}

function isNameOnly(type: string): boolean {
  return /^`"[^`]*"`(?:, `"[^`]*"`)*$/.test(type);
}
