import type { Feature, HandshakeFeature } from "../../session/feature.ts";

/** Optional features of every engine, by the names of [A] § Handshake; `inproc` and `news` are our own. */
const OF_EVERY_ENGINE: readonly HandshakeFeature[] = [
  { name: "branching", order: 20 },
  { name: "auto_approve", order: 40 },
  { name: "auto_attach_on_mcp", order: 50 },
  { name: "inproc", order: 60 },
  { name: "news", order: 70 },
];

/** Returns what clients of an engine with these features may rely on, in the order of the handshake. */
export function servedFeatures(features: readonly Feature[]): readonly string[] {
  const named = features.flatMap(({ serving }) => serving?.handshake ?? []);
  return [...OF_EVERY_ENGINE, ...named]
    .toSorted((one, other) => one.order - other.order)
    .map(({ name }) => name);
}
