import type * as z from "zod";

/** Names the first field of a value that does not fit its schema, and why. */
export function firstIssue(error: z.ZodError): string {
  const [issue] = error.issues;
  if (issue === undefined) return "it does not fit the schema";
  const field = issue.path.reduce<string>(
    (path, key) =>
      typeof key === "number" ? `${path}[${key}]` : path === "" ? String(key) : `${path}.${String(key)}`,
    "",
  );
  return field === "" ? issue.message : `${field}: ${issue.message}`;
}
