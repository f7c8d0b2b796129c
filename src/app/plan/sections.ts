import { assert } from "../../base/assert.ts";
import { pricesSection, providersSection } from "../../config/providers/providers.ts";
import { routingSection } from "../../config/providers/routing.ts";
import { copilotSection, vertexSection } from "../../config/providers/vendor-settings.ts";
import { credentialsSection } from "../../config/sections/credentials.ts";
import { engineSection } from "../../config/sections/engine.ts";
import { limitsSection } from "../../config/sections/limits.ts";
import { modelSection, thinkingSection } from "../../config/sections/models.ts";
import { permissionsSection } from "../../config/sections/permissions.ts";
import {
  profileChoiceSection,
  profileContentSection,
  profileHeadSection,
} from "../../config/sections/profile-keys.ts";
import { serverSection } from "../../config/sections/server.ts";
import { sessionSection } from "../../config/sections/session-settings.ts";
import { trustSection } from "../../config/sections/trust.ts";
import { sandboxSection } from "../../guard/sandbox/config.ts";
import type { ConfigKey, ConfigSection, DeclaredSection, SectionPart } from "../../session/config-section.ts";
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
  engineSection,
  serverSection,
];

/**
 * Returns every section of `config.toml` and of profiles, in the order of `cinch profile show` and of the documents:
 * those of the program itself, then those of these features.
 */
export function sectionsWith(features: readonly Feature[]): readonly ConfigSection[] {
  const declared = [...OWN_SECTIONS, ...features.flatMap(({ config = [] }) => config)];
  const parts = declared.filter(isPart);
  const sections = declared.filter((each) => !isPart(each));
  for (const { name } of parts)
    assert(
      sections.some((section) => section.shape === "top" && section.name === name),
      `there is a section ${name} for the keys that features add to it`,
    );
  return sections.map((section) =>
    withParts(
      section,
      parts.filter(({ name }) => name === section.name),
    ),
  );
}

function isPart(section: DeclaredSection): section is SectionPart {
  return section.shape === "part";
}

/** Returns a section with the keys that features add to it. */
function withParts(section: ConfigSection, parts: readonly SectionPart[]): ConfigSection {
  if (section.shape !== "top" || parts.length === 0) return section;
  const keys = [section, ...parts].flatMap((each) => Object.entries<ConfigKey>(each.keys));
  const inOrder = keys.sort(([, { order: one = 0 }], [, { order: other = 0 }]) => one - other);
  return { ...section, keys: Object.fromEntries(inOrder) };
}

/** The sections of the program with all its features. */
export const SECTIONS: readonly ConfigSection[] = sectionsWith(FEATURES);
