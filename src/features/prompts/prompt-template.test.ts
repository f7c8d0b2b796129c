import { expect, test } from "bun:test";
import * as fc from "fast-check";
import { holds } from "../../../test/support/property.ts";
import { encode } from "../../base/text/text.ts";
import { EXPANDED_CHARACTERS_MAX, expandTemplate } from "./expand-template.ts";
import { readTemplate } from "./template.ts";

const read = (text: string, path = "/u/prompts/review.md") =>
  readTemplate({ path, source: "user", bytes: encode(text) });

test("[CTX-03] a prompt template is a Markdown file: its name is the file's, its head says what it is for", async () => {
  expect(
    await read("---\ndescription: Look at a file\nargument-hint: FILE\nmodel: opus\n---\nReview $1 now.\n"),
  ).toEqual({
    kind: "template",
    ignoredFields: [],
    template: {
      name: "review",
      source: "user",
      description: "Look at a file",
      argumentHint: "FILE",
      text: "Review $1 now.",
    },
  });
  expect(await read("\n\nFix the tests.\nThen stop.")).toMatchObject({
    template: { description: "Fix the tests.", text: "Fix the tests.\nThen stop." },
  });
});

test("[CTX-03] a mistake in a template is reported with file, line and field, and the template is not loaded", async () => {
  const problem = async (text: string, path?: string) => {
    const result = await read(text, path);
    return result.kind === "problem" ? result.problem : result.ignoredFields.join();
  };
  expect(await problem("---\ndescription: x\n")).toBe(
    "/u/prompts/review.md:1: the head that begins here is not closed by a line of ---",
  );
  expect(await problem("---\nx: 1\ndescription: [a]\n---\ny")).toBe(
    "/u/prompts/review.md:3: description: must be a text",
  );
  expect(await problem("---\ndescription: a\ndescription: b\n---\ny")).toMatch(
    /^\/u\/prompts\/review\.md:3: /,
  );
  expect(await problem("---\ndescripton: a\n---\ny")).toBe(
    "/u/prompts/review.md:2: descripton: unknown field; it has no effect",
  );
  expect(await problem("---\n---\n")).toBe("/u/prompts/review.md: it has no text");
  expect(await problem("y", "/u/prompts/Two Words.md")).toContain(
    "the file's name is not a name for a prompt",
  );
  const latin1 = Buffer.from("---\ndescription: Prüft\n---\ny", "latin1");
  expect(await readTemplate({ path: "/u/prompts/review.md", source: "user", bytes: latin1 })).toEqual({
    kind: "problem",
    problem: "/u/prompts/review.md:2: it is not UTF-8 text; save it as UTF-8",
  });
});

test("[CTX-03] words go to their places, all of them or one each; without a place they stand behind the text", () => {
  const words = { args: ["a b", "c"], text: "'a b' c" };
  expect(expandTemplate("all: $ARGUMENTS, $@; $1|$2|$3|${2}; $$1", words)).toBe(
    "all: 'a b' c, 'a b' c; a b|c||c; $1",
  );
  expect(expandTemplate("Do it.", words)).toBe("Do it.\n\n'a b' c");
  expect(expandTemplate("Do it.", { args: [], text: "" })).toBe("Do it.");
  expect(expandTemplate("say $1", { args: ["$2", "no"], text: "$2 no" })).toBe("say $2");
});

test("[CTX-03 REL-06] a template with many places does not make of few words more than there is room for", () => {
  const words = { args: ["y".repeat(1_000)], text: "y".repeat(1_000) };
  expect(expandTemplate("$@".repeat(50_000), words)).toBeUndefined();
  expect(expandTemplate("$1".repeat(50_000), words)).toBeUndefined();
  expect(expandTemplate("$@".repeat(900), words)).toHaveLength(900_000);
  const long = { args: [], text: "y".repeat(EXPANDED_CHARACTERS_MAX) };
  expect(expandTemplate("Do it.", long)).toBeUndefined();
});

test("[CTX-03 REL-06] any bytes are read as a template or refused, and any template takes any words", async () => {
  await holds(
    fc.asyncProperty(fc.uint8Array({ maxLength: 300 }), fc.string(), async (bytes, typed) => {
      const result = await readTemplate({ path: "/p/x.md", source: "project", bytes });
      if (result.kind === "problem") expect(result.problem).toStartWith("/p/x.md");
      else expect(expandTemplate(result.template.text, { args: [typed], text: typed })).toBeString();
    }),
  );
  const piece = fc.constantFrom("---\n", "description: ", "[", "$1", "&a ", "\n", "x");
  await holds(
    fc.asyncProperty(fc.array(piece, { maxLength: 40 }), async (pieces) => {
      expect(["template", "problem"]).toContain((await read(pieces.join(""))).kind);
    }),
  );
});
