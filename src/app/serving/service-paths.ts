import { join } from "node:path";
import type { HarnessPaths } from "../../base/files/harness-paths.ts";

/** Where an engine of this user is found: what `owner.token` holds is exchanged at `owner.sock`, and nowhere else. */
export function servicePaths({ data, state }: HarnessPaths) {
  return {
    control: join(data, "control.sock"),
    ownerSocket: join(state, "owner.sock"),
    ownerToken: join(state, "owner.token"),
  };
}
