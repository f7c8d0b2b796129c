import { defined } from "../../base/defined.ts";
import type { HarnessPaths } from "../../base/files/harness-paths.ts";
import { hostSockets } from "../../platform/sockets/sockets.ts";
import type { AskOwnerOptions } from "../../server/auth/owner/ask-owner.ts";
import { askOwner } from "../../server/auth/owner/ask-owner.ts";
import { servicePaths } from "./service-paths.ts";

/** Asks the engine of this user for a token: see `askOwner`. */
export async function requestOwnerToken(
  paths: HarnessPaths,
  claims: AskOwnerOptions["claims"],
  signal: AbortSignal,
): Promise<string> {
  const { ownerSocket: socketPath, ownerToken: tokenPath } = servicePaths(paths);
  const connect = (path: string, stop: AbortSignal) => hostSockets.connectPath(path, stop);
  const named = defined({ claims });
  return await askOwner({ connect, socketPath, tokenPath, ...named, signal });
}
