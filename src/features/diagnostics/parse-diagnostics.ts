import { fileURLToPath } from "node:url";
import { defined } from "../../base/defined.ts";
import { arrayAt, isObject, numberAt, objectAt, stringAt } from "../../base/json.ts";
import type { Problem } from "./problem.ts";

/** Limit for the reports on one file; further ones are not read. */
const REPORTED_MAX = 10_000;
const SEVERITIES = new Map<unknown, Problem["severity"]>([
  [undefined, "error"],
  [1, "error"],
  [2, "warning"],
]);

/** Parses the errors and warnings in a list of the protocol's diagnostics; skips hints and invalid entries. */
export function parseDiagnostics(path: string, diagnostics: readonly unknown[]): readonly Problem[] {
  return diagnostics.slice(0, REPORTED_MAX).flatMap((each): Problem[] => {
    if (!isObject(each)) return [];
    const start = objectAt(objectAt(each, "range"), "start");
    const severity = SEVERITIES.get(each["severity"]);
    const message = stringAt(each, "message");
    if (severity === undefined || message === undefined) return [];
    const code = each["code"];
    const isCode = typeof code === "string" || typeof code === "number";
    return [
      {
        path,
        line: (numberAt(start, "line") ?? 0) + 1,
        column: (numberAt(start, "character") ?? 0) + 1,
        severity,
        ...(isCode ? { code: String(code) } : {}),
        message,
      },
    ];
  });
}

/** Parses the parameters of `textDocument/publishDiagnostics`; undefined if they are invalid. */
export function parsePublished(
  params: unknown,
): { readonly path: string; readonly version?: number; readonly problems: readonly Problem[] } | undefined {
  const path = pathOf(stringAt(params, "uri") ?? "");
  if (path === undefined) return undefined;
  const version = numberAt(params, "version");
  return {
    path,
    ...defined({ version }),
    problems: parseDiagnostics(path, arrayAt(params, "diagnostics")),
  };
}

function pathOf(uri: string): string | undefined {
  try {
    return fileURLToPath(uri);
  } catch {
    return undefined; // not a file URI
  }
}
