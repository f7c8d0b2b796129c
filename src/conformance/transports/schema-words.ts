import { isObject, parseJson, stringAt } from "../../base/json.ts";

/** Replaces a JSON list of schema issues, as libraries print it, with `path: message` for each issue. */
export function withoutSchemaIssues(text: string): string {
  const at = text.search(/\[\s*\{/);
  const issues = at < 0 ? undefined : parseJson(text.slice(at))?.value;
  if (!Array.isArray(issues)) return text;
  const words = issues.map((issue) => {
    const path = isObject(issue) && Array.isArray(issue["path"]) ? issue["path"].join(".") : "";
    return `${path === "" ? "the whole" : path}: ${stringAt(issue, "message") ?? "not as described"}`;
  });
  return `${text.slice(0, at)}${words.join("; ")}`;
}
