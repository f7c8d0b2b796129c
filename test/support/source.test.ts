import { expect, test } from "bun:test";
import { codeOf, importsOf } from "./source.ts";

test("every form of import is seen", () => {
  const source = `
    import { a } from "./a.ts";
    import type { B } from './b.ts';
    import c, * as d from "./c.ts"; import "./side-effect.ts";
    import { type E, e } from "./e.ts";
    import type from "./named-type.ts";
    import type F from "./f.ts";
    import {
      g, // a comment from "./not-this.ts"
      h,
    } from "./g.ts";
    export { i } from "./i.ts";
    export type { J } from "./j.ts";
    export * from "./k.ts";
    export * as l from "./l.ts";
    const m = await import("./m.ts");
    type N = typeof import("./n.ts");
    const o = require("./o.ts");
    const p = await import(\`./\${name}.ts\`);
    import text from "./q.md" with { type: "text" };
    import{r}from"./r.ts";
  `;
  expect(
    importsOf(source)
      .map(({ specifier, kind }) => `${kind} ${specifier}`)
      .sort(),
  ).toEqual([
    "lazy ./m.ts",
    "lazy ./n.ts",
    "lazy ./o.ts",
    "lazy undefined",
    "type ./b.ts",
    "type ./f.ts",
    "type ./j.ts",
    "value ./a.ts",
    "value ./c.ts",
    "value ./e.ts",
    "value ./g.ts",
    "value ./i.ts",
    "value ./k.ts",
    "value ./l.ts",
    "value ./named-type.ts",
    "value ./q.md",
    "value ./r.ts",
    "value ./side-effect.ts",
  ]);
});

test("what only looks like an import is not seen", () => {
  const source = `
    // import { a } from "./comment.ts";
    /* export * from "./block.ts"; */
    const text = 'import { b } from "./string.ts"';
    const template = \`import { c } from "./template.ts" \${inner(\`import "./nested.ts"\`)} import("./tail.ts")\`;
    const pattern = /import "(.*)" from "/g;
    const half = a / b; const other = "x" /* " */ + 'import("./y.ts")';
    const url = "https://x.test/" + name; loader.import("./method.ts"); import.meta.dir;
    export const from = "./value.ts";
    export function read(from: string) { return from; }
  `;
  expect(importsOf(source)).toEqual([]);
});

test("an import after every kind of literal is still seen", () => {
  const literals = [
    "`a${b}c`",
    '/[/"]/',
    "'it\\'s'",
    '"\\\\"',
    "`\\``",
    "`${{ a: `}` }}`",
    "1 / 2",
    "/* ' */ 1",
    "a[0] / 2 // '",
  ];
  for (const literal of literals) {
    expect(importsOf(`const x = ${literal}\n;import "./seen.ts";`)).toEqual([
      { specifier: "./seen.ts", kind: "value" },
    ]);
  }
});

test("code keeps its line numbers", () => {
  const { text } = codeOf("/* one\ntwo */\n`three\n${four}`\nfive");
  expect(text.split("\n").findIndex((line) => line.includes("five"))).toBe(4);
});
