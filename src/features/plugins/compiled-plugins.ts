import type { Plugin } from "../../session/plugins/plugin.ts";

/** Plugins compiled into the program. A custom build lists its plugins here (PLUG-02). */
const COMPILED_PLUGINS: readonly Plugin[] = [];

/** Returns the plugins of every session: those that are compiled in, then those of the embedder. */
export function givenPlugins(embedded: readonly unknown[]): readonly unknown[] {
  return [...COMPILED_PLUGINS, ...embedded];
}
