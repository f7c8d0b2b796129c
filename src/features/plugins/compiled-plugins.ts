import type { Plugin } from "./registration/plugin.ts";

/** Plugins that come with the program: whoever builds a cinch of their own lists theirs here (PLUG-02). */
export const COMPILED_PLUGINS: readonly Plugin[] = [];
