import type { ToolMiddleware } from "../../tools/middleware.ts";
import type { CallPlan, ToolOutput } from "../../tools/tool.ts";
import type { DiagnosticSource } from "./diagnostic-source.ts";

/** Access to the sources that cover the files of one folder. */
export interface DiagnoseSources {
  /** Returns the sources that cover one of these files; opens them on first use. */
  readonly covering: (paths: readonly string[]) => Promise<readonly DiagnosticSource[]>;
  /** Informs open sources that are not asked now that these files, or any, may have changed. */
  readonly stale: (paths?: readonly string[]) => void;
}

/**
 * Appends to the result of a call that wrote files what language servers and checkers report about these files
 * (TOOL-11). The call itself is complete by then: nothing that a server does or fails to do changes that.
 */
export function diagnose({ covering, stale }: DiagnoseSources): ToolMiddleware {
  return async function diagnose(call, context, next) {
    const paths = writtenBy(call.plan);
    // A command may have changed anything, however it ended.
    const isUnnamed = call.tool.mutating && paths.length === 0;
    let output: ToolOutput;
    try {
      output = await next(call, context);
    } finally {
      if (isUnnamed) stale();
    }
    if (paths.length === 0) return output;
    stale(paths);
    if (output.isError === true) return output;
    const asked = await covering(paths);
    const texts = await Promise.all(
      asked.map((source) =>
        source.check(
          paths.filter((path) => source.covers(path)),
          context.signal,
        ),
      ),
    );
    const added = texts.map((text) => ({ type: "text", text }) as const);
    return added.length === 0 ? output : { ...output, content: [...output.content, ...added] };
  };
}

function writtenBy(plan: CallPlan | undefined): readonly string[] {
  if (plan?.target.kind !== "paths") return [];
  const written = plan.target.paths.filter(({ access }) => access === "write");
  return [...new Set(written.map(({ path }) => path))];
}
