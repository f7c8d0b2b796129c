import type { Config } from "../profile/config.ts";
import type { Profile } from "../profile/profile.ts";
import { packedSkills } from "../skill/packs.ts";
import { withPacks } from "../tool/pack.ts";
import { policyFrom, unknownPlugins } from "./policy.ts";

const NO_TOOLS = { name: "nobody", tools: () => [] } as const;

/**
 * Looks at what a profile names: rules, packs of tools and of skills. A session under it finds these wrong too, once much
 * else was opened.
 * @throws HarnessError ConfigInvalid, UnknownToolPack, UnknownSkillPack.
 */
export function checkProfile(profile: Profile, config: Config | undefined): void {
  policyFrom({
    profile: profile.permissions,
    user: config?.permissions ?? { rules: [] },
    ...(config === undefined ? {} : unknownPlugins(config)),
    strictPermissions: false,
    ownDirectories: [],
  });
  withPacks(NO_TOOLS, profile.toolPacks);
  packedSkills(profile.skillPacks);
}
