import { expect, test } from "bun:test";
import { defined } from "./defined.ts";

interface Row {
  readonly name: string;
  readonly label?: string;
  readonly count?: number | null;
}

test("[DOC-01] a field that is undefined is left out, in the types too; other empty values stay", () => {
  const label: string | undefined = ["a"].find((each) => each === "b");
  const count: number | null | undefined = [null].at(0);
  const row: Row = defined({ name: "", label, count });
  expect(Object.entries(row)).toEqual([
    ["name", ""],
    ["count", null],
  ]);
  expect("label" in row).toBe(false);
  const all: Row = { ...defined({ label: "b", count: 0 }), name: "a" };
  expect(Object.keys(all)).toEqual(["label", "count", "name"]);
});

test("[DOC-01] a field that may be undefined stays optional", () => {
  const label: string | undefined = ["a"].at(0);
  // @ts-expect-error: the label may be absent.
  const named: { readonly label: string } = defined({ label });
  expect(named).toEqual({ label: "a" });
});
