import type { ToolMiddleware } from "../tool/middleware.ts";
import type { CallPlan } from "../tool/tool.ts";
import type { DiagnosticSource } from "./source.ts";

/**
 * After a call that wrote files, what language servers and checkers say of these files comes back with its result
 * (TOOL-11). The call itself is done by then: nothing that a server does or fails to do changes that.
 *
 * @param sources those that know about one of these files; opened when they are first asked for.
 */
export function diagnose(
  sources: (paths: readonly string[]) => Promise<readonly DiagnosticSource[]>,
): ToolMiddleware {
  return async function diagnose(call, context, next) {
    const output = await next(call, context);
    if (output.isError === true) return output;
    const paths = writtenBy(call.plan);
    if (paths.length === 0) return output;
    const asked = await sources(paths);
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
