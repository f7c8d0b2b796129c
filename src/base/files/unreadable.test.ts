import { expect, test } from "bun:test";
import { unreadableProblem, unreadableText } from "./unreadable.ts";

function failure(code: string, path?: string): Error {
  return Object.assign(new Error(`${code}: x`), { code, ...(path === undefined ? {} : { path }) });
}

test("a path that cannot be resolved is named with the reason and a remedy", () => {
  expect(unreadableText(failure("ELOOP", "/w/.cinch"))).toBe(
    "/w/.cinch cannot be read: its symbolic links lead in a circle; remove the link (ELOOP)",
  );
  for (const code of ["EACCES", "ENAMETOOLONG", "ENOTDIR"])
    expect(unreadableText(failure(code, "/w/x"))).toMatch(/^\/w\/x cannot be read: .+; .+ \([A-Z]+\)$/);
});

test("an error that is not about a path is none", () => {
  expect(unreadableText(failure("ELOOP"))).toBeUndefined();
  expect(unreadableText(failure("ENOSPC", "/w/x"))).toBeUndefined();
  expect(unreadableProblem(new Error("ELOOP"))).toBeUndefined();
  expect(unreadableProblem("ELOOP")).toBeUndefined();
});
