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

function isNameOnly(type: string): boolean {
  return /^`"[^`]*"`(?:, `"[^`]*"`)*$/.test(type);
}
