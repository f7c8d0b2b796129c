import type { ConfigSection } from "../../session/config-section.ts";
import type { Feature } from "../../session/feature.ts";
import type { ToolTable } from "../../tools/tool-facts.ts";
import { FEATURES } from "../features.ts";
import { SECTIONS, sectionsWith } from "./sections.ts";
import { TOOLS, toolsWith } from "./tool-list.ts";

/** The features of one engine, with the lists that their manifests complete. */
export interface FeatureSet {
  /** In their normative order. */
  readonly features: readonly Feature[];
  /** Every section of `config.toml` and of profiles. */
  readonly sections: readonly ConfigSection[];
  /** Facts of every tool that cinch itself can have. */
  readonly tools: ToolTable;
}

/** Returns the set of these features. Made once for each engine, and passed to everything that plans its sessions. */
export function featureSet(features: readonly Feature[]): FeatureSet {
  return { features, sections: sectionsWith(features), tools: toolsWith(features) };
}

/** The features of the program. */
export const PROGRAM_FEATURES: FeatureSet = { features: FEATURES, sections: SECTIONS, tools: TOOLS };
