import { expect, test } from "bun:test";
import fc from "fast-check";
import { foldPath, isInside } from "./containment.ts";

test("[PERM-10 S21] a path is inside when its first parts are the root's parts", () => {
  const inside = (root: string, ...paths: readonly string[]) => paths.map((path) => isInside(root, path));
  expect(inside("/w/app", "/w/app", "/w/app/", "/w/app/x", "/w//app/./x", "/w/app/..x")).toEqual([
    true,
    true,
    true,
    true,
    true,
  ]);
  expect(inside("/w/app", "/w/app-secret", "/w/app/../x", "/w", "/", "w/app/x", "", "/W/app/x")).toEqual(
    Array.from({ length: 7 }, () => false),
  );
  expect(inside("/", "/etc")).toEqual([true]);
});

test("[PERM-10 S21] whatever is made of a root and parts without dots is inside, and never in its neighbour", () => {
  const part = fc.stringMatching(/^[a-c]{1,3}$/);
  const property = fc.property(fc.array(part, { minLength: 1 }), fc.array(part), (root, rest) => {
    const base = `/${root.join("/")}`;
    const path = [base, ...rest].join("/");
    return (
      isInside(base, path) && !isInside(`${base}x`, path) && (rest.length === 0 || !isInside(path, base))
    );
  });
  fc.assert(property);
});

test("[PERM-10 S25] spellings that some disk takes for a protected file fold to one", () => {
  const spellings = [
    ".CINCH/Settings.json",
    ".cinch/settings.json. ",
    ".cinch\\settings.json",
    ".cinch/settings.json::$DATA",
    ".ci\u200Bnch/settings.json",
    ".ｃinch/settings.json",
  ];
  expect(new Set(spellings.map(foldPath))).toEqual(new Set([".cinch/settings.json"]));
  expect(foldPath("/w/Äpfel".normalize("NFD"))).toBe(foldPath("/w/äpfel"));
  expect(foldPath("a/../b")).toBe("a/../b");
});
