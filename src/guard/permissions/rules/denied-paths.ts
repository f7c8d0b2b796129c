import { isBelow } from "../../../base/files/below.ts";
import type { Rule } from "../../../session/guard/rule.ts";
import { readsFiles } from "../../../tools/tool-facts.ts";
import { namedPath } from "./read-rules.ts";

/** Files that deny rules cover, in a form that a sandbox can enforce against commands. */
export interface DeniedPaths {
  readonly hidden: readonly string[];
  readonly readOnly: readonly { readonly path: string; readonly kind: "file" | "directory" }[];
}

/**
 * Returns the files and folders that deny rules name: a rule against reading or changing one also holds for commands,
 * however they spell it (PERM-02). A rule with a pattern, except a last `/**`, names no single path; only the gate
 * enforces it. A relative rule holds in each of the folders, which are the root and those added to it.
 */
export function deniedPaths(rules: readonly Rule[], ...folders: readonly string[]): DeniedPaths {
  const denying = rules.filter(({ effect }) => effect === "deny");
  const named = folders.flatMap((folder) =>
    denying.flatMap((rule) => {
      const place = namedPath(rule, folder);
      return place === undefined ? [] : [{ about: rule.about, ...place }];
    }),
  );
  const isFirst = (
    { path }: { readonly path: string },
    at: number,
    all: readonly { readonly path: string }[],
  ) => all.findIndex((each) => each.path === path) === at;
  return {
    hidden: named
      .filter(({ about }) => readsFiles(about))
      .filter(isFirst)
      .map(({ path }) => path),
    // Elsewhere nothing can be written anyway.
    readOnly: named
      .filter(({ about, path }) => about === "writes-files" && folders.some((each) => isBelow(each, path)))
      .filter(isFirst)
      .map(({ path, kind }) => ({ path, kind })),
  };
}
