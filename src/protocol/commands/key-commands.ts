import * as z from "zod";
import { PROVIDER_KEY_CHARACTERS_MAX, PROVIDER_NAME_CHARACTERS_MAX } from "./run-limits.ts";

/**
 * Stores the key of a provider, encrypted, on the engine's machine; the engine uses it at once. Only people may, in the
 * engine's own process or over its Unix socket: no network listener takes a key. Since protocol 0.3.0.
 */
export const StoreProviderKey = z.object({
  kind: z.literal("StoreProviderKey"),
  /** Name of the provider. */
  provider: z.string().max(PROVIDER_NAME_CHARACTERS_MAX),
  /** White space around it is ignored. */
  key: z.string().max(PROVIDER_KEY_CHARACTERS_MAX),
});
