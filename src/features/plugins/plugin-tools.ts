import { defined } from "../../base/defined.ts";
import type { CallPlan, Tool, ToolSource } from "../../tools/tool.ts";
import type { ActivePlugin } from "./plugin-commands.ts";
import type { RegisteredPlugin } from "./registration/registered-plugin.ts";
import type { PluginContainment } from "./runtime/containment.ts";
import { SWITCHED_OFF } from "./runtime/containment.ts";
import { containTool, pluginTool } from "./runtime/tools.ts";

type ActiveTools = Pick<ActivePlugin, "plugin" | "contained">;

/**
 * Returns the tools that a plugin has registered, with one source for those of its own and one for each tool source.
 */
export function pluginToolSources({ plugin, contained }: ActiveTools): readonly ToolSource[] {
  const name = `plugin:${plugin.name}`;
  const pluginTools = plugin.tools.map((tool) => stopWhenOff(pluginTool(tool, plugin.name), contained));
  return [
    ...(pluginTools.length === 0 ? [] : [{ name, tools: () => pluginTools }]),
    ...plugin.sources.map(
      (source): ToolSource => ({
        name,
        tools: () => readSourceTools(source, plugin, contained),
        ...defined({ late: source.late }),
      }),
    ),
  ];
}

/** Reads the tools of a source. A source that throws has none. */
function readSourceTools(
  source: Pick<ToolSource, "tools">,
  { name }: RegisteredPlugin,
  contained: PluginContainment,
): readonly Tool[] {
  if (contained.reportIfOff()) return [];
  try {
    return source.tools().map((tool) => stopWhenOff(containTool(tool, name), contained));
  } catch (thrown) {
    contained.failed("its tool source", thrown);
    return [];
  }
}

/** Wraps a tool so that it fails with a notice once its plugin is switched off. */
function stopWhenOff<Plan extends CallPlan>(tool: Tool<Plan>, contained: PluginContainment): Tool<Plan> {
  return {
    ...tool,
    run: (plan, context) =>
      contained.reportIfOff() ? Promise.resolve(offOutput(contained.plugin)) : tool.run(plan, context),
  };
}

function offOutput(plugin: string) {
  const text = `The plugin ${plugin} cannot be called: ${SWITCHED_OFF}.`;
  return { content: [{ type: "text", text } as const], isError: true };
}

/**
 * Returns the source for the tools of plugins that a person still has to acknowledge. The first request waits for it.
 */
export function lateToolSource(
  active: () => readonly ActiveTools[],
  ready: (signal: AbortSignal) => Promise<void>,
): ToolSource {
  return {
    name: "plugins",
    tools: () => active().flatMap((each) => pluginToolSources(each).flatMap((source) => source.tools())),
    late: { awaited: true, ready },
  };
}
