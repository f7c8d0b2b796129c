import { trustedText } from "../../../base/brand.ts";
import type { RequestMiddleware } from "../../../providers/middleware.ts";
import { UNTRUSTED_NOTICE } from "../../../safety/fence.ts";
import type { Feature } from "../../../session/feature.ts";
import type { ToolMiddleware } from "../../../tools/middleware.ts";
import type { ToolSource } from "../../../tools/tool.ts";

/** Parts that a program brings to every session of its engine. */
export interface LibraryDependencies {
  /** First text of every request. Default: none. */
  readonly systemPrompt?: string | undefined;
  readonly tools: ToolSource;
  /** Sees every call with its result. Default: nobody does. */
  readonly watch?: ToolMiddleware;
}

/** Makes the feature that brings the parts of the program that embeds the engine. */
export function libraryFeature({ systemPrompt = "", tools, watch }: LibraryDependencies): Feature {
  return {
    name: "library",
    isUsed: () => true,
    open: () =>
      Promise.resolve({
        tools: [tools],
        around: [
          ...(watch === undefined ? [] : [{ tool: "watch", run: watch } as const]),
          { request: "context", run: systemText(systemPrompt) },
        ],
      }),
  };
}

/** Returns middleware that puts a text before what plugins added. The notice about fences goes with every request. */
function systemText(text: string): RequestMiddleware {
  const systemBlocks = [
    ...(text === "" ? [] : [{ name: "library", text: trustedText(text) }]),
    { name: "environment", text: trustedText(UNTRUSTED_NOTICE) },
  ];
  return (request, context, next) =>
    next({ ...request, system: [...systemBlocks, ...request.system] }, context);
}
