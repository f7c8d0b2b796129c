import { cleanPath, relativeWithin } from "../../../base/files/below.ts";
import type { Rule } from "../../../session/guard/rule.ts";
import type { ToolNames } from "../../../tools/server-tool-names.ts";
import { mayNameTool, namesTool } from "../../../tools/server-tool-names.ts";
import type { CallPlan, Tool } from "../../../tools/tool.ts";
import type { ToolEffect } from "../../../tools/tool-facts.ts";
import { readsFiles } from "../../../tools/tool-facts.ts";
import type { CommandFacts } from "../judge/command-facts.ts";
import type { PatternMatch } from "./command-patterns.ts";
import { matchesStars, mayContainPattern } from "./command-patterns.ts";
import { restrictsCommand } from "./command-rules.ts";
import { printRule } from "./rule.ts";
import type { WorkspacePaths } from "./workspace-paths.ts";
import { foldersOf, isInFolders, pathsOfUse } from "./workspace-paths.ts";

/** Facts about the called tool that rules use. */
export type RuleTool = ToolNames & Pick<Tool, "effect">;

/** A name that only a pattern for all names matches. */
const ANY_NAME = "\u0001";

/** Returns true if a deny or ask rule may concern a call. Generous: true in doubt. */
export function restricts(
  rule: Rule,
  plan: CallPlan,
  tool: RuleTool,
  workspace: WorkspacePaths,
  facts?: CommandFacts,
): PatternMatch {
  const { match } = rule;
  if (
    facts !== undefined &&
    plan.target.kind === "command" &&
    rule.tool === tool.name &&
    match.kind !== "any"
  )
    return restrictsCommand(match.text, plan.target.command, facts);
  return restrictsOther(rule, plan, tool, workspace) ? "yes" : "no";
}

function restrictsOther(rule: Rule, plan: CallPlan, names: RuleTool, workspace: WorkspacePaths): boolean {
  const { name: tool, effect } = names;
  const isAbout = mayNameTool(rule.tool, names);
  const { match } = rule;
  if (match.kind === "any") return isAbout;
  // A tool of a server may have a colon in its name: the whole rule is that name then.
  if (names.spelled?.includes(":") === true && mayNameTool(printRule(rule), names)) return true;
  if (!isAbout && !isSameWay(rule.about, effect)) return false;
  const named: Named = match;
  switch (plan.target.kind) {
    case "none": {
      const argument = argumentOf(plan, tool);
      return match.text === argument || matchesStars(argument.toLowerCase(), match.text.toLowerCase());
    }
    case "url":
      return match.kind === "literal"
        ? plan.target.url.startsWith(match.text)
        : mayContainPattern(plan.target.url, match.text);
    case "command":
      return plan.target.command === match.text || mayContainPattern(plan.target.command, match.text);
    case "paths": {
      const paths = plan.target.paths.flatMap(pathsOfUse);
      // Listing or searching a directory reads everything in it: a rule for all of that covers it too.
      const inside = effect === "searches-files" ? paths.map((path) => `${path}/${ANY_NAME}`) : [];
      return [...paths, ...inside].some((path) => ancestorsOf(path).some(isMeant));
    }
  }

  function isMeant(path: string): boolean {
    const folded = foldersOf(workspace).map((folder) => folder.toLowerCase());
    return matchesPath(path.toLowerCase(), named, folded, true);
  }
}

/** Denying one way of changing or reading a file denies all ways. */
function isSameWay(one: ToolEffect | undefined, other: ToolEffect | undefined): boolean {
  return (readsFiles(one) && readsFiles(other)) || (one === "writes-files" && other === one);
}

/** Returns true if an allow rule certainly covers a call that uses no paths. */
export function covers(rule: Rule, plan: CallPlan, names: RuleTool, workspace: WorkspacePaths): boolean {
  if (!namesTool(rule.tool, names)) return false;
  const { name: tool, effect } = names;
  const { match } = rule;
  if (match.kind === "any") return true;
  switch (plan.target.kind) {
    case "none": {
      const argument = argumentOf(plan, tool);
      if (match.kind === "literal") return match.text === argument;
      return (
        effect === "asks-servers" && isAllOfServer(match.text) && argument.startsWith(match.text.slice(0, -1))
      );
    }
    case "url":
      return match.kind === "literal" && match.text === plan.target.url;
    case "command": {
      const { command, cwd } = plan.target;
      if (!isInFolders(workspace, cwd)) return false;
      return match.kind === "literal" && match.text === command;
    }
    case "paths":
      return false; // each path is checked separately
  }
}

/** Returns true if an allow rule certainly covers one path of a call, as it stands. */
export function coversPath(rule: Rule, path: string, tool: string, workspace: WorkspacePaths): boolean {
  if (rule.tool !== tool) return false;
  return rule.match.kind === "any" || matchesPath(path, rule.match, foldersOf(workspace), false);
}

/** Only the server knows what a part of its addresses leads to: `SERVER:*` is all that a pattern can allow. */
function isAllOfServer(pattern: string): boolean {
  return /^[A-Za-z0-9_-]+:\*$/.test(pattern);
}

type Named = Exclude<Rule["match"], { readonly kind: "any" }>;

/**
 * A relative rule holds in each of the folders. `folded`: the path and the folders are in lower case, and the rule is
 * compared so.
 */
function matchesPath(path: string, match: Named, folders: readonly string[], folded: boolean): boolean {
  const text = folded ? match.text.toLowerCase() : match.text;
  // In a restriction "**/" means anywhere on the machine, in a grant anywhere in the workspace.
  const anywhere = text.startsWith("/") || (folded && text.startsWith("**/"));
  const subjects = anywhere
    ? [cleanPath(path)]
    : folders.map((folder) => relativeWithin(folder, path)).filter((subject) => subject !== undefined);
  return subjects.some((subject) =>
    match.kind === "literal" ? subject === text : new Bun.Glob(text).match(subject),
  );
}

/** Returns a path and every directory above it: denying a directory denies its content. */
function ancestorsOf(path: string): readonly string[] {
  const full = cleanPath(path);
  const paths = [full];
  for (let end = full.lastIndexOf("/"); end > 0; end = full.lastIndexOf("/", end - 1)) {
    paths.push(full.slice(0, end));
  }
  return paths;
}

/** Returns what follows the tool's name in the summary (PERM-09). */
function argumentOf(plan: CallPlan, tool: string): string {
  return plan.summary.startsWith(`${tool}:`) ? plan.summary.slice(tool.length + 1) : "";
}
