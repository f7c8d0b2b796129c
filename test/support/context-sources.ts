import type { Profile } from "../../src/session/settings/settings.ts";

/** Returns a profile whose `context_sources` are these. */
export function profileWithSources(contextSources: readonly string[]): Pick<Profile, "sections" | "path"> {
  return { path: "/profile.toml", sections: new Map([["profile-content", { contextSources }]]) };
}
