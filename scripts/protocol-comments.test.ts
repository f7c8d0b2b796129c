import { expect, test } from "bun:test";
import { aboutOf, commentReader } from "./protocol-comments.ts";
import { tokensOf } from "./typescript-tokens.ts";

function read(files: Readonly<Record<string, string>>) {
  const commentsOf = commentReader((path) => files[path]);
  return Object.fromEntries(commentsOf("/p/a.ts"));
}

test("[CTL-06] a comment belongs to the constant or to the field behind it", () => {
  const source = [
    "/** About the file. */",
    "",
    "/** A command. */",
    "export const Move = z.object({",
    '  kind: z.literal("Move"),',
    "  /** The goal. */",
    "  to: z.string().regex(/[/*]/).optional(),",
    "  list: z.array(z.object({ /** Inside. */ x: z.int() })).max(2),",
    "});",
  ].join("\n");
  expect(read({ "/p/a.ts": source })).toEqual({
    Move: {
      about: "A command.",
      fields: {
        kind: {},
        to: { about: "The goal." },
        list: { items: { fields: { x: { about: "Inside." } } } },
      },
    },
  });
});

test("[CTL-06] a constant passes its comment on to the fields that use it, over imports and spreads", () => {
  const ids = "/** An id. */\nexport const Id: z.ZodType<Id, string> = make<string>();";
  const source = [
    'import type { Other } from "./other.ts";',
    'import { Id } from "./ids.ts";',
    "const more = { /** A number. */ n: z.int() };",
    "const made = () => z.object({ id: Id });",
    "export const All = { One: z.object({ id: Id.optional(), ...more }), Two: made().extend({ /** M. */ m: Id }) };",
    'export const Either = z.discriminatedUnion("kind", [/** First. */ z.object({ id: Id }), All.One]);',
  ].join("\n");
  const { All, Either } = read({ "/p/a.ts": source, "/p/ids.ts": ids });
  const id = { about: "An id.", named: true } as const;
  expect(All?.fields?.["One"]?.fields).toEqual({ id, n: { about: "A number." } });
  expect(All?.fields?.["Two"]?.fields).toEqual({ id, m: { about: "M." } });
  expect(Either?.options).toEqual([{ about: "First.", fields: { id } }, All?.fields?.["One"] ?? {}]);
});

test("[CTL-06] a comment that stands before neither a field nor an element is an error with its line", () => {
  const inside = "const a = z\n  /** Lost. */\n  .string();";
  expect(() => read({ "/p/a.ts": inside })).toThrow("/p/a.ts:2: a comment stands before neither");
  const spread = "const a = z.object({\n  /** Lost. */\n  ...b,\n});";
  expect(() => read({ "/p/a.ts": spread })).toThrow("before fields that come from elsewhere");
});

test("[CTL-06] a text is one line for each paragraph, without references to documents behind the code", () => {
  const comment =
    "/**\n   * One ([A] § Events, BUS-07)\n   * sentence (CTL-19).\n   *\n   * - a: first\n   * - b: second\n   */";
  expect(aboutOf(comment)).toBe("One sentence.\n- a: first\n- b: second");
});

test("[CTL-06] tokens keep their places, and other comments are left out", () => {
  const tokens = tokensOf('const a = /x"/y; // no\n/* no */ "s" /** yes */');
  expect(tokens.map(({ kind, text, line, column }) => [kind, text, line, column])).toEqual([
    ["name", "const", 1, 0],
    ["name", "a", 1, 6],
    ["sign", "=", 1, 8],
    ["regex", '/x"/y', 1, 10],
    ["sign", ";", 1, 15],
    ["string", '"s"', 2, 9],
    ["comment", "/** yes */", 2, 13],
  ]);
});
