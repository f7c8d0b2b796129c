import { pricesSection, providersSection } from "../../config/providers/providers.ts";
import { routingSection } from "../../config/providers/routing.ts";
import { copilotSection, vertexSection } from "../../config/providers/vendor-settings.ts";
import { credentialsSection } from "../../config/sections/credentials.ts";
import { modelSection, thinkingSection } from "../../config/sections/models.ts";
import { permissionsSection } from "../../config/sections/permissions.ts";
import { pluginsSection } from "../../config/sections/plugins.ts";
import {
  profileChoiceSection,
  profileContentSection,
  profileHeadSection,
} from "../../config/sections/profile-keys.ts";
import { sessionSection } from "../../config/sections/session-settings.ts";
import { trustSection } from "../../config/sections/trust.ts";
import { checkpointSection } from "../../features/checkpoints/config.ts";
import { compactionSection } from "../../features/compaction/config.ts";
import { diagnosticsSection } from "../../features/diagnostics/config.ts";
import { hooksSection } from "../../features/hooks/config.ts";
import { limitsSection } from "../../features/limits/config.ts";
import { mcpSection } from "../../features/mcp/config.ts";
import { memorySection } from "../../features/memory/config.ts";
import { agentsSection, delegateSection } from "../../features/subagents/config.ts";
import { tasksSection } from "../../features/tasks/config.ts";
import { telemetrySection } from "../../features/telemetry/config.ts";
import { sandboxSection } from "../../guard/sandbox/config.ts";
import type { ConfigSection } from "../../session/config-section.ts";

/** Every section of `config.toml` and of profiles, in the order of `cinch profile show` and of the documents. */
export const SECTIONS: readonly ConfigSection[] = [
  modelSection,
  profileChoiceSection,
  profileHeadSection,
  profileContentSection,
  limitsSection,
  permissionsSection,
  sandboxSection,
  providersSection,
  routingSection,
  pricesSection,
  thinkingSection,
  compactionSection,
  sessionSection,
  checkpointSection,
  memorySection,
  agentsSection,
  delegateSection,
  tasksSection,
  credentialsSection,
  telemetrySection,
  vertexSection,
  copilotSection,
  trustSection,
  hooksSection,
  pluginsSection,
  diagnosticsSection,
  mcpSection,
];
