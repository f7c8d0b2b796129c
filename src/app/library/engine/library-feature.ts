import { ownWords } from "../../../base/brand.ts";
import type { RequestMiddleware } from "../../../providers/middleware.ts";
import { UNTRUSTED_NOTICE } from "../../../safety/fence.ts";
import type { Feature } from "../../../session/feature.ts";
import type { ToolSource } from "../../../tools/tool.ts";

/** Makes the feature that brings the tools and the system text of the program that embeds the engine. */
export function libraryFeature({
  systemPrompt = "",
  tools,
}: {
  readonly systemPrompt?: string;
  readonly tools: ToolSource;
}): Feature {
  return {
    name: "library",
    isUsed: () => true,
    open: () =>
      Promise.resolve({
        tools: [tools],
        around: [{ request: "context", run: systemText(systemPrompt) }],
      }),
  };
}

/** Returns middleware that puts a text before what plugins added. The notice about fences goes with every request. */
export function systemText(text: string): RequestMiddleware {
  const own = [
    ...(text === "" ? [] : [{ name: "library", text: ownWords(text) }]),
    { name: "environment", text: ownWords(UNTRUSTED_NOTICE) },
  ];
  return (request, context, next) => next({ ...request, system: [...own, ...request.system] }, context);
}
