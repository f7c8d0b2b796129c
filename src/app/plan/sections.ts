import { pricesSection, providersSection } from "../../config/providers/providers.ts";
import { routingSection } from "../../config/providers/routing.ts";
import { copilotSection, vertexSection } from "../../config/providers/vendor-settings.ts";
import { credentialsSection } from "../../config/sections/credentials.ts";
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
import { FEATURES } from "../features.ts";

/**
 * Every section of `config.toml` and of profiles, in the order of `cinch profile show` and of the documents: those of the
 * program itself, then those of its features.
 */
export const SECTIONS: readonly ConfigSection[] = [
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
  ...FEATURES.flatMap(({ config = [] }) => config),
];
