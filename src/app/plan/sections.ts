import { pricesSection, providersSection } from "../../config/providers/providers.ts";
import { routingSection } from "../../config/providers/routing.ts";
import { copilotSection, vertexSection } from "../../config/providers/vendor-settings.ts";
import { credentialsSection } from "../../config/sections/credentials.ts";
import { limitsSection } from "../../config/sections/limits.ts";
import { modelSection, thinkingSection } from "../../config/sections/models.ts";
import { permissionsSection } from "../../config/sections/permissions.ts";
import {
  profileChoiceSection,
  profileContentSection,
  profileHeadSection,
} from "../../config/sections/profile-keys.ts";
import { sessionSection } from "../../config/sections/session-settings.ts";
import { trustSection } from "../../config/sections/trust.ts";
import { sandboxSection } from "../../guard/sandbox/config.ts";
import type { ConfigSection } from "../../session/config-section.ts";
import type { Feature } from "../../session/feature.ts";
import { FEATURES } from "../features.ts";

/** The sections that belong to no feature. */
const OWN_SECTIONS: readonly ConfigSection[] = [
  modelSection,
  profileChoiceSection,
  profileHeadSection,
  profileContentSection,
  permissionsSection,
  sandboxSection,
  providersSection,
  routingSection,
  pricesSection,
  thinkingSection,
  sessionSection,
  credentialsSection,
  vertexSection,
  copilotSection,
  trustSection,
  limitsSection,
];

/**
 * Returns every section of `config.toml` and of profiles, in the order of `cinch profile show` and of the documents:
 * those of the program itself, then those of these features.
 */
export function sectionsWith(features: readonly Feature[]): readonly ConfigSection[] {
  return [...OWN_SECTIONS, ...features.flatMap(({ config = [] }) => config)];
}

/** The sections of the program with all its features. */
export const SECTIONS: readonly ConfigSection[] = sectionsWith(FEATURES);
