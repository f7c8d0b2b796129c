import { expect, test } from "bun:test";
import { normalize } from "node:path/posix";
import fc from "fast-check";
import { holds } from "../../../test/support/property.ts";
import { cleanPath, isBelow, isWithin, relativeWithin } from "./below.ts";

test("[PERM-02 PERM-10 S21] a path is below a folder by whole components, whatever slashes end it, and everything is below /", () => {
  for (const folder of ["/home/u", "/home/u/", "/home/u/.", "/home/u//", "/home/./u", "/home/me/../u"]) {
    expect([
      relativeWithin(folder, "/home/u/.bashrc"),
      relativeWithin(folder, "/home/u"),
      relativeWithin(folder, "/home/user"),
    ]).toEqual([".bashrc", "", undefined]);
  }
  expect(relativeWithin("/", "/home/u/.bashrc")).toBe("home/u/.bashrc");
  expect(relativeWithin("/", "/")).toBe("");
  expect(relativeWithin("/w/app", "/w/app/../x")).toBeUndefined();
  expect(relativeWithin("/w/app", "w/app/x")).toBeUndefined();
  expect(relativeWithin("C:\\w", "C:\\w\\x\\y")).toBe("x/y");
});

test("[PERM-02] paths that are relative to one folder are compared alike", () => {
  expect(relativeWithin("a", "a/b/c")).toBe("b/c");
  expect(relativeWithin("a", "ab")).toBeUndefined();
  expect(relativeWithin("", "a/b")).toBe("a/b");
  expect(["/a", "..", "../a"].map((path) => relativeWithin("", path))).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
  expect(relativeWithin("", "..a")).toBe("..a");
});

/** Parts of absolute paths with all that a path can be written with, and few names, so that they meet. */
const PART = fc.constantFrom("a", "b", "ab", "..a", ".", "..", "", " ", "A");
const absolute = fc.array(PART, { maxLength: 6 }).map((parts) => `/${parts.join("/")}`);

function componentsOf(path: string): readonly string[] {
  return normalize(path)
    .split("/")
    .filter((part) => part !== "");
}

test("[PERM-02 PERM-10 S21] below says what comparing the components one by one says", async () => {
  await holds(
    fc.property(absolute, absolute, (folder, path) => {
      const [outer, inner] = [componentsOf(folder), componentsOf(path)];
      const holdsIt = outer.every((part, at) => inner[at] === part);
      const expected = holdsIt ? inner.slice(outer.length).join("/") : undefined;
      expect(relativeWithin(folder, path)).toBe(expected);
      expect(isWithin(folder, path)).toBe(holdsIt);
      expect(isBelow(folder, path)).toBe(holdsIt && inner.length > outer.length);
    }),
    5_000,
  );
});

test("[PERM-02 PERM-10 S21] what is made of a folder and names is below it, in any spelling, and never below its neighbour", async () => {
  const name = fc.stringMatching(/^[a-c.]{1,3}$/).filter((each) => !/^\.{1,2}$/.test(each));
  const spelled = fc.constantFrom("", "/", "/.", "//", "/x/..");
  await holds(
    fc.property(fc.array(name, { minLength: 1 }), fc.array(name), spelled, (folder, rest, end) => {
      const base = `/${folder.join("/")}`;
      expect(relativeWithin(`${base}${end}`, [base, ...rest].join("/"))).toBe(rest.join("/"));
      expect(relativeWithin(`${base}x`, [base, ...rest].join("/"))).toBeUndefined();
    }),
    2_000,
  );
});

test("[PERM-02] a cleaned path is what the system makes of it, and cleaning it again changes nothing", async () => {
  await holds(
    fc.property(absolute, (path) => {
      const normal = normalize(path);
      expect(cleanPath(path)).toBe(normal.length > 1 ? normal.replace(/\/$/, "") : normal);
      expect(cleanPath(cleanPath(path))).toBe(cleanPath(path));
    }),
    2_000,
  );
});
