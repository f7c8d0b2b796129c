import { memoryFeature } from "../features/memory/feature.ts";
import type { Feature } from "../session/feature.ts";

/**
 * Every feature of a session, in their normative order: calls go through this list from its first entry to its last, and of
 * middleware at one place the first stands outermost.
 */
export const FEATURES: readonly Feature[] = [memoryFeature];
