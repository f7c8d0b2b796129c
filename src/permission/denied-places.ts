import { isAbsolute, join } from "node:path";
import type { CallPlan } from "../tool/tool.ts";
import type { ReadDenier } from "./command-facts.ts";
import { READING, restricts, WRITING } from "./matching.ts";
import type { Place } from "./place.ts";
import { below } from "./place.ts";
import type { Rule } from "./rule.ts";

/** What deny rules forbid of files, as a sandbox can hold it against commands. */
export interface DeniedPlaces {
  readonly hidden: readonly string[];
  readonly readOnly: readonly { readonly path: string; readonly kind: "file" | "directory" }[];
}

/**
 * The files and folders that deny rules name: to forbid reading or changing one is to forbid it to commands too, however
 * they spell it (PERM-02). A rule with a pattern beside a last `/**` names no one place, and only the gate knows it.
 */
export function deniedPlaces(rules: readonly Rule[], root: string): DeniedPlaces {
  const named = rules.flatMap((rule) => {
    const place = rule.effect === "deny" ? namedPlace(rule, root) : undefined;
    return place === undefined ? [] : [{ tool: rule.tool, ...place }];
  });
  return {
    hidden: named.filter(({ tool }) => READING.includes(tool)).map(({ path }) => path),
    // Elsewhere nothing can be written anyway.
    readOnly: named
      .filter(({ tool, path }) => WRITING.includes(tool) && (below(root, path) ?? "") !== "")
      .map(({ path, kind }) => ({ path, kind })),
  };
}

/** The one file or folder that a rule names, if it names one. */
function namedPlace({ match }: Rule, root: string) {
  if (match.kind === "any") return undefined;
  const isFolder = match.kind === "glob" && match.text.endsWith("/**");
  const text = isFolder ? match.text.slice(0, -"/**".length) : match.text;
  if (text === "" || (match.kind === "glob" && /[*?[\]{}!\\]/.test(text))) return undefined;
  const path = isAbsolute(text) ? text : join(root, text);
  return { path, kind: isFolder ? ("directory" as const) : ("file" as const) };
}

/** Undefined where no rule forbids to read anything, so that nobody looks. */
export function readDenier(rules: readonly Rule[], place: Place): ReadDenier | undefined {
  const denying = rules.filter(
    ({ effect, tool, match }) => effect === "deny" && match.kind !== "any" && READING.includes(tool),
  );
  if (denying.length === 0) return undefined;
  return {
    at(path) {
      const plan: CallPlan = { summary: path, target: { kind: "paths", paths: [{ path, access: "read" }] } };
      return denying.find((rule) => restricts(rule, plan, "Read", place) === "yes");
    },
    below(directory) {
      return denying.find((rule) => {
        const named = namedPlace(rule, place.root);
        return named !== undefined && below(directory, named.path) !== undefined;
      });
    },
  };
}
