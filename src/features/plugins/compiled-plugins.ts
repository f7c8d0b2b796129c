import type { Plugin } from "./registration/plugin.ts";

/** Plugins compiled into the program. A custom build lists its plugins here (PLUG-02). */
export const COMPILED_PLUGINS: readonly Plugin[] = [];
