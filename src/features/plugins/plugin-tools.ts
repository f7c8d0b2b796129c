import type { CallPlan, Tool, ToolSource } from "../../tools/tool.ts";
import type { ActivePlugin } from "./plugin-commands.ts";
import type { Registered } from "./registration/registered.ts";
import type { Contained } from "./runtime/containment.ts";
import { OFF } from "./runtime/containment.ts";
import { namedTool, pluginTool } from "./runtime/tools.ts";

type ActiveTools = Pick<ActivePlugin, "plugin" | "contained">;

/** The tools that a plugin has registered, each source under its name. */
export function toolSources({ plugin, contained }: ActiveTools): readonly ToolSource[] {
  const name = `plugin:${plugin.name}`;
  const own = plugin.tools.map((tool) => guarded(pluginTool(tool, plugin.name), contained));
  return [
    ...(own.length === 0 ? [] : [{ name, tools: () => own }]),
    ...plugin.sources.map(
      (source): ToolSource => ({
        name,
        tools: () => toolsOf(source, plugin, contained),
        ...(source.late === undefined ? {} : { late: source.late }),
      }),
    ),
  ];
}

/** A source that throws has no tools. */
function toolsOf(
  source: Pick<ToolSource, "tools">,
  { name }: Registered,
  contained: Contained,
): readonly Tool[] {
  if (contained.tellIfOff()) return [];
  try {
    return source.tools().map((tool) => guarded(namedTool(tool, name), contained));
  } catch (thrown) {
    contained.failed("its tool source", thrown);
    return [];
  }
}

/** A tool of a plugin that is switched off says so. */
function guarded<Plan extends CallPlan>(tool: Tool<Plan>, contained: Contained): Tool<Plan> {
  return {
    ...tool,
    run: (plan, context) =>
      contained.tellIfOff() ? Promise.resolve(offOutput(contained.plugin)) : tool.run(plan, context),
  };
}

function offOutput(plugin: string) {
  const text = `The plugin ${plugin} cannot be called: ${OFF}.`;
  return { content: [{ type: "text", text } as const], isError: true };
}

/** The tools of plugins that a person still has to look at: the first request waits for them. */
export function lateTools(
  active: () => readonly ActiveTools[],
  ready: (signal: AbortSignal) => Promise<void>,
): ToolSource {
  return {
    name: "plugins",
    tools: () => active().flatMap((each) => toolSources(each).flatMap((source) => source.tools())),
    late: { awaited: true, ready },
  };
}
