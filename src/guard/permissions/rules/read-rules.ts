import { isAbsolute, join } from "node:path";
import { relativeWithin } from "../../../base/files/below.ts";
import type { Rule } from "../../../session/guard/rule.ts";
import type { CallPlan } from "../../../tools/tool.ts";
import { readsFiles } from "../../../tools/tool-facts.ts";
import { restricts } from "./matching.ts";
import type { WorkspacePaths } from "./workspace-paths.ts";
import { foldersOf } from "./workspace-paths.ts";

/** Deny and ask rules about reading files; a deny rule precedes an ask rule. */
export interface ReadRules {
  /** Returns the rule about reading a path. `whole`: about reading everything in it, if it is a directory. */
  at(path: string, whole?: "whole"): Rule | undefined;
  /** Returns a rule that may name something below a directory, and nothing below those that are left out. */
  below(directory: string, leftOut?: readonly string[]): Rule | undefined;
  /** Returns a rule that names one file or folder, whose path is `chosen`. */
  naming(chosen: (path: string) => boolean): Rule | undefined;
}

const SPECIAL = /[*?[\]{}!\\]/;

/** Returns the one file or folder that a rule names, if any. */
export function namedPath({ match }: Rule, root: string) {
  if (match.kind === "any") return undefined;
  const isFolder = match.kind === "glob" && match.text.endsWith("/**");
  const text = isFolder ? match.text.slice(0, -"/**".length) : match.text;
  if (text === "" || (match.kind === "glob" && SPECIAL.test(text))) return undefined;
  const path = isAbsolute(text) ? text : join(root, text);
  return { path, kind: isFolder ? ("directory" as const) : ("file" as const) };
}

/**
 * Returns true if a sandbox keeps commands from what a rule is about: it names one path, and nobody is to be asked.
 */
export function isEnforcedBySandbox(rule: Rule, root: string): boolean {
  return rule.effect === "deny" && namedPath(rule, root) !== undefined;
}

/** Returns the rules about reading; undefined if there is none, so that nothing is checked. */
export function readRules(rules: readonly Rule[], workspace: WorkspacePaths): ReadRules | undefined {
  const about = (effect: Rule["effect"]) =>
    rules.filter((rule) => rule.effect === effect && rule.match.kind !== "any" && readsFiles(rule.about));
  const restricting = [...about("deny"), ...about("ask")];
  if (restricting.length === 0) return undefined;
  const folders = foldersOf(workspace);
  return {
    at(path, whole) {
      const plan: CallPlan = { summary: path, target: { kind: "paths", paths: [{ path, access: "read" }] } };
      const effect = whole === undefined ? "reads-files" : "searches-files";
      return restricting.find((rule) => restricts(rule, plan, { name: "", effect }, workspace) === "yes");
    },
    below(directory, leftOut = []) {
      return restricting.find((rule) => {
        return folders.some((folder) => {
          const named = namedPath(rule, folder)?.path;
          if (named !== undefined)
            return (
              relativeWithin(directory, named) !== undefined &&
              !leftOut.some((out) => relativeWithin(out, named) !== undefined)
            );
          const start = patternStart(rule, folder);
          const meets =
            relativeWithin(directory, start) !== undefined || relativeWithin(start, directory) !== undefined;
          return meets && !leftOut.some((out) => relativeWithin(out, start) !== undefined);
        });
      });
    },
    naming(chosen) {
      return restricting.find((rule) => {
        return folders.some((folder) => {
          const named = namedPath(rule, folder)?.path;
          return named !== undefined && chosen(named);
        });
      });
    },
  };
}

/** Returns the folder below which everything lies that a pattern may match. */
function patternStart({ match }: Rule, root: string): string {
  const text = match.kind === "any" ? "" : match.text;
  if (text.startsWith("**/")) return "/"; // in a restriction: anywhere on the machine
  const plain = text.slice(0, text.search(SPECIAL));
  const folder = plain.slice(0, plain.lastIndexOf("/") + 1);
  return isAbsolute(text) ? folder || "/" : join(root, folder);
}
