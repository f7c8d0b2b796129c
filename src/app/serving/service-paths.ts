import { join } from "node:path";
import type { HarnessPaths } from "../../base/files/harness-paths.ts";

/**
 * Returns the paths at which an engine of this user is found: the content of `owner.token` is exchanged at
 * `owner.sock`, and nowhere else.
 */
export function servicePaths({ data, state }: HarnessPaths) {
  return {
    control: join(data, "control.sock"),
    ownerSocket: join(state, "owner.sock"),
    ownerToken: join(state, "owner.token"),
  };
}
