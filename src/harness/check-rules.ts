import type { Config } from "../profile/config.ts";
import type { Profile } from "../profile/profile.ts";
import { policyFrom, unknownPlugins } from "./policy.ts";

/**
 * Reads the rules of a profile together with those of the configuration.
 * @throws HarnessError ConfigInvalid for one that is none, with its file and line.
 */
export function checkRules({ permissions }: Profile, config: Config | undefined): void {
  policyFrom({
    profile: permissions,
    user: config?.permissions ?? { rules: [] },
    ...(config === undefined ? {} : unknownPlugins(config)),
    strictPermissions: false,
    ownDirectories: [],
  });
}
