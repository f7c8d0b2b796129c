import type { DrawnRow } from "../drawing/span.ts";
import { span } from "../drawing/span.ts";
import { wrapSpans } from "../drawing/wrap-spans.ts";

/** Returns the rows above the transcript: name, version and folder. At most three. */
export function drawHeader(
  { version, workingDir }: { readonly version: string; readonly workingDir: string },
  columns: number,
): readonly DrawnRow[] {
  const name = span(`cinch ${version}`, { role: "heading" });
  return wrapSpans([name, span(` · ${workingDir}`, { role: "dim" })], { columns }).slice(0, 1);
}
