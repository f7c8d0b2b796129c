import { expect, test } from "bun:test";
import type { ElicitRequest } from "@modelcontextprotocol/client";
import { UrlElicitationRequiredError } from "@modelcontextprotocol/client";
import * as fc from "fast-check";
import { holds } from "../../../../test/support/property.ts";
import type { ClientId } from "../../../base/ids.ts";
import type { AskOutcome, NewQuestion } from "../../../session/questions.ts";
import { ASKED_AT_ONCE_MAX, ASKED_PER_CALL_MAX, elicit, elicitPages } from "./elicitation.ts";
import { parseFieldAnswer, parseForm } from "./form.ts";

const BY = "cli_person" as ClientId;

/** A person who gives these answers, one after the other, and is asked no more. */
function person(...answers: readonly (string | AskOutcome)[]) {
  const asked: NewQuestion[] = [];
  const left = [...answers];
  return {
    asked,
    signal: new AbortController().signal,
    ask(question: NewQuestion): Promise<AskOutcome> {
      asked.push(question);
      const next = left.shift() ?? { kind: "nobody" as const };
      const answer = typeof next === "string" ? { kind: "answered" as const, answer: next, by: BY } : next;
      const allowed = question.choices?.map(({ value }) => value);
      if (answer.kind === "answered" && allowed?.includes(String(answer.answer)) === false)
        throw new Error(`${String(answer.answer)} is none of ${allowed.join()}`);
      return Promise.resolve(answer);
    },
  };
}

const FORM: ElicitRequest["params"] = {
  mode: "form",
  message: "Where shall it go?",
  requestedSchema: {
    type: "object",
    properties: {
      name: { type: "string", title: "Your name", minLength: 2 },
      count: { type: "integer", minimum: 1, maximum: 9, default: 3 },
      fast: { type: "boolean" },
      size: { type: "string", enum: ["s", "l"], enumNames: ["small", "large"] },
      tags: { type: "array", items: { type: "string", enum: ["a", "b"] }, minItems: 1 },
      note: { type: "string" },
    },
    required: ["name", "count", "fast", "size", "tags"],
  },
};

test("[MCP-06] a person fills in the form of a server, field by field, and the server gets what fits", async () => {
  const someone = person("answer", "Ada", "-", "yes", "l", "a, b", "-");
  expect(await elicit("files", FORM, someone)).toEqual({
    action: "accept",
    content: { name: "Ada", count: 3, fast: true, size: "l", tags: ["a", "b"] },
  });
  expect(someone.asked[0]).toEqual({
    about: "elicitation",
    text: [
      "The MCP server files asks:",
      "Where shall it go?",
      "It asks for:",
      "- Your name [name] (text)",
      "- count (whole number from 1 up to 9)",
      "- fast (yes or no)",
      "- size (one of a list)",
      "- tags (some of: a, b; separated by commas)",
      "- note (text, may be left out)",
      "What you answer goes to that server. Give it no password and no key.",
    ].join("\n"),
    choices: [
      { value: "answer", label: "answer it" },
      { value: "deny", label: "decline" },
    ],
    details: { server: "files", mode: "form", fields: ["name", "count", "fast", "size", "tags", "note"] },
  });
  expect(
    someone.asked.slice(1).map(({ text, choices }) => [text, choices?.map(({ label }) => label)]),
  ).toEqual([
    ["files asks for Your name [name] (text).", undefined],
    [
      "files asks for count (whole number from 1 up to 9). Answer - to leave it out (it is then 3).",
      undefined,
    ],
    ["files asks for fast (yes or no).", ["yes", "no"]],
    ["files asks for size (one of a list).", ["small", "large"]],
    ["files asks for tags (some of: a, b; separated by commas).", undefined],
    ["files asks for note (text). Answer - to leave it out.", undefined],
  ]);
});

test("[MCP-06] an answer that does not fit is asked for again with the reason, and the form is given up after three", async () => {
  const stubborn = person("answer", "A", "-", "");
  expect(await elicit("files", FORM, stubborn)).toEqual({ action: "cancel" });
  expect(stubborn.asked.slice(2).map(({ text }) => text.split("\n")[0])).toEqual([
    "That does not fit: it has fewer than 2 characters.",
    "That does not fit: it has to be answered.",
  ]);
});

test("[MCP-06] a server learns that it was declined, and not answered in time, and nothing more", async () => {
  expect(await elicit("files", FORM, person("deny"))).toEqual({ action: "decline" });
  expect(await elicit("files", FORM, person({ kind: "timeout", afterMs: 60_000 }))).toEqual({
    action: "cancel",
  });
  expect(await elicit("files", FORM, person("answer", { kind: "timeout", afterMs: 1 }))).toEqual({
    action: "cancel",
  });
});

test("[MCP-06] where nobody is there to be asked, a server is declined at once", async () => {
  expect(await elicit("files", FORM, person({ kind: "nobody" }))).toEqual({ action: "decline" });
  expect(await elicit("files", FORM, undefined)).toEqual({ action: "decline" });
});

test("[MCP-06 REL-06] a server that asks without end, or for much at a time, is declined, and nobody hears of it", async () => {
  const patient = person(...Array.from({ length: 100 }, () => "deny"));
  const page = { mode: "url", message: "m", url: "https://a.example/", elicitationId: "1" } as const;
  for (let asked = 0; asked < 50; asked++) {
    const params = asked % 2 === 0 ? FORM : page;
    expect(await elicit("files", params, patient)).toEqual({ action: "decline" });
  }
  expect(patient.asked).toHaveLength(ASKED_PER_CALL_MAX);

  const { promise: later, resolve: answer } = Promise.withResolvers<AskOutcome>();
  const slow = { ask: () => later, signal: new AbortController().signal };
  const others = Array.from({ length: 50 }, () => elicit("files", FORM, { ...slow })); // each of a call of its own
  const one = Array.from({ length: 50 }, () => elicit("files", FORM, slow));
  await Promise.all(one.slice(ASKED_AT_ONCE_MAX));
  answer({ kind: "timeout", afterMs: 1 });
  expect((await Promise.all(one)).map(({ action }) => action)).toEqual(
    one.map((_, at) => (at < ASKED_AT_ONCE_MAX ? "cancel" : "decline")),
  );
  expect(new Set((await Promise.all(others)).map(({ action }) => action))).toEqual(new Set(["cancel"]));
});

test("[MCP-06 S53] a page that a server wants opened is shown with its host, and is never a script or plain http", async () => {
  const page = (url: string): ElicitRequest["params"] => ({
    mode: "url",
    message: "Pay",
    url,
    elicitationId: "e1",
  });
  const someone = person("answer");
  expect(await elicit("shop", page("https://pay.example/x?a=1"), someone)).toEqual({ action: "accept" });
  expect(someone.asked[0]?.text).toBe(
    [
      "The MCP server shop asks you to open a page of pay.example:",
      "https://pay.example/x?a=1",
      "Pay",
      "cinch does not open it. Open it yourself only if you trust both.",
    ].join("\n"),
  );
  for (const url of [
    "javascript:alert(1)",
    "http://pay.example/",
    "file:///etc/passwd",
    "https://a:b@pay.example/",
    "x",
  ]) {
    const nobody = person();
    expect(await elicit("shop", page(url), nobody)).toEqual({ action: "decline" });
    expect(nobody.asked).toEqual([]);
  }
});

test("[MCP-06] a call that fails since a page has to be opened first shows the page, and says what came of it", async () => {
  const page = {
    mode: "url" as const,
    message: "Sign in",
    url: "https://auth.example/",
    elicitationId: "e1",
  };
  const failure = new UrlElicitationRequiredError([page]);
  const someone = person("answer");
  expect(await elicitPages("shop", failure, someone)).toBe(
    "shop wanted a person to open a page first. They say that they have: call again.",
  );
  expect(someone.asked).toHaveLength(1);
  const declined =
    "shop needs a person to open a page first, and nobody has: ask them before you call again.";
  expect(await elicitPages("shop", failure, person("deny"))).toBe(declined);
  expect(await elicitPages("shop", failure, undefined)).toBe(declined);
  expect(await elicitPages("shop", new Error("else"), someone)).toBeUndefined();
});

test("[MCP-06] a form that is no flat form is declined as a whole, and nobody is asked half of it", async () => {
  const nested = {
    mode: "form",
    message: "m",
    requestedSchema: { type: "object", properties: { a: { type: "object", properties: {} } } },
  } as unknown as ElicitRequest["params"];
  const someone = person();
  expect(await elicit("files", nested, someone)).toEqual({ action: "decline" });
  expect(someone.asked).toEqual([]);
});

test("[MCP-06 S65] any schema makes a form or a problem, and any answer a value that fits or a reason", async () => {
  const primitive = fc.record(
    {
      type: fc.constantFrom("string", "number", "integer", "boolean", "array", "object", "null"),
      title: fc.string(),
      description: fc.string(),
      enum: fc.array(fc.oneof(fc.string(), fc.integer()), { maxLength: 4 }),
      oneOf: fc.array(fc.record({ const: fc.string(), title: fc.string() }), { maxLength: 3 }),
      items: fc.record({ enum: fc.array(fc.string(), { maxLength: 3 }) }),
      minLength: fc.integer(),
      maxLength: fc.integer(),
      minimum: fc.double(),
      maximum: fc.double(),
      format: fc.constantFrom("email", "uri", "date", "date-time", "other"),
      default: fc.jsonValue(),
    },
    { requiredKeys: ["type"] },
  );
  const schema = fc.oneof(
    fc.jsonValue(),
    fc.record({
      type: fc.constant("object"),
      properties: fc.dictionary(fc.oneof(fc.string(), fc.constant("__proto__")), primitive, { maxKeys: 5 }),
      required: fc.array(fc.string()),
    }),
  );
  // JSON from outside may name the methods by which JavaScript makes a text of an object.
  const hostile = fc.record({ toString: fc.jsonValue(), valueOf: fc.jsonValue() });
  const answers = fc.oneof(fc.jsonValue(), hostile, fc.array(hostile, { maxLength: 2 }));
  await holds(
    fc.property(schema, answers, (given, answer) => {
      const form = parseForm(given);
      if (form.kind === "unusable") return;
      for (const field of form.fields) {
        const read = parseFieldAnswer(field, answer);
        if (read.kind === "problem") expect(read.problem).not.toBe("");
        if (read.kind === "value") expect(parseFieldAnswer(field, read.value)).toEqual(read);
      }
    }),
    500,
  );
});
