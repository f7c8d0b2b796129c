import type { Reason } from "../../base/reasons.ts";
import { reasonText } from "../../base/reasons.ts";
import type { RequestMiddleware } from "../middleware.ts";
import { lateStream } from "../middleware.ts";

/**
 * Reports content of the history that a text stands for in the request, since the model cannot take it (ENG-25): once
 * for each model and kind of content, as an Error event with the reason ContentLeftOut.
 */
export function reportLeftOut(): RequestMiddleware {
  const reported = new Set<string>();
  return function reportLeftOut(request, context, next) {
    const { provider } = context;
    const { model } = request;
    const leftOut = provider.leavesOut?.(request);
    if (leftOut === undefined) return next(request, context);
    return lateStream(async () => {
      for (const content of await leftOut) {
        const key = JSON.stringify([provider.name, model, content]);
        if (reported.has(key)) continue;
        reported.add(key);
        const reason = "ContentLeftOut" satisfies Reason;
        const fields = { model, content };
        const message = reasonText(reason, fields);
        context.emit({ kind: "Error", payload: { reason, message, details: fields, severity: "notice" } });
      }
      return next(request, context);
    });
  };
}
