import type { TableSection } from "../../session/config-section.ts";

/** Provider calls of a sub-agent whose definition sets no limit. */
const AGENT_ROUNDS_MAX = 8;
/** The deepest nesting of sub-agents. */
const AGENT_DEPTH_MAX = 2;

/** `[agents]`: limits of sub-agents (ENG-10). */
export const agentsSection = {
  shape: "table",
  name: "agents",
  about: "Limits of sub-agents: [agents.md](../agents.md).",
  keys: {
    roundsMax: {
      kind: "integer",
      key: "rounds",
      min: 1,
      unit: "provider calls",
      meaning: "Provider calls of a sub-agent whose definition sets no limit.",
      default: AGENT_ROUNDS_MAX,
      example: 8,
    },
    depthMax: {
      kind: "integer",
      key: "depth",
      min: 0,
      unit: "levels",
      meaning: "The deepest nesting of sub-agents. 0 disables them.",
      default: AGENT_DEPTH_MAX,
      example: 2,
    },
  },
} as const satisfies TableSection;

/** `[delegate]`: tasks for a cheaper model (ENG-23). */
export const delegateSection = {
  shape: "table",
  name: "delegate",
  about: "Tasks that the model gives to a cheaper one: [agents.md](../agents.md).",
  keys: {
    model: {
      kind: "text",
      key: "model",
      meaning: "The cheaper model, as `provider:name`.",
      otherwise: "the small model of the session's vendor",
      example: "anthropic:haiku",
      check: (model: string) =>
        /^[^:\s]+:\S+$/.test(model) ? undefined : `"${model}" is not a model: write provider:name`,
      namesModel: true,
    },
  },
} as const satisfies TableSection;
