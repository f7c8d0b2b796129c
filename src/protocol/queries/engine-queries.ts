import * as z from "zod";
import { SessionIdSchema } from "../ids.ts";
import {
  EngineHealth,
  Health,
  McpServerInfo,
  ModelInfo,
  ModelPriceInfo,
  ProfileInfo,
  ProviderInfo,
  RuntimeInfo,
  SkillInfo,
  SkillText,
  SlashCommandInfo,
  ToolInfo,
} from "../resources.ts";
import { defineQuery } from "./query.ts";

/** Limit of models whose prices are returned at once. */
const PRICES_MAX = 100;

/** One session. Default: everything that all sessions have, and what the running ones add. */
const sessionId = SessionIdSchema.optional();

/** Queries about the engine, and about data of its sessions outside their events (CTL-15). */
export const ENGINE_QUERIES = {
  GetHealth: defineQuery({
    about: "The state of the engine. 503 while it starts: ask again.",
    params: z.object({}),
    result: Health,
    reads: "public",
    rest: { path: "/v1/health" },
  }),
  GetRuntime: defineQuery({
    about: "The engine that answers; facts of its process for tokens of every session only.",
    params: z.object({}),
    result: RuntimeInfo,
    reads: "engine",
    rest: { path: "/v1/runtime" },
    mcp: { uri: "runtime", title: "Runtime", about: "The version of the engine, and what it runs." },
  }),
  ListProfiles: defineQuery({
    about: "The profiles.",
    params: z.object({ sessionId }),
    result: z.object({
      /** The profiles. */
      profiles: z.array(ProfileInfo),
      /** The profile of the requested session. */
      current: z.string().optional(),
    }),
    reads: "engine",
    rest: { path: "/v1/profiles", fields: { sessionId: "Adds the name of the profile of this session." } },
    mcp: {
      uri: "profiles",
      title: "Profiles",
      about: "The profiles that a session can work under.",
      field: "profiles",
    },
  }),
  GetProfile: defineQuery({
    about: "One profile.",
    params: z.object({
      /** Name of the profile. */
      name: z.string(),
    }),
    result: ProfileInfo,
    reads: "engine",
    rest: { path: "/v1/profiles/{name}" },
    mcp: { uri: "profile/{name}", title: "Profile", about: "A profile." },
    refusals: ["UnknownResource"],
  }),
  ListProviders: defineQuery({
    about:
      "The model providers. With models, each provider that is set up is asked for them and has 5 s to answer; prices stand beside them. Keys are never shown.",
    params: z.object({ models: z.boolean().optional(), choice: z.boolean().optional() }),
    result: z.object({
      /** The providers. */
      providers: z.array(ProviderInfo),
      /**
       * Model of a new session without flags and profile: `provider:name`. Absent: not requested, or there is none.
       * Since protocol 0.3.0.
       */
      default_model: z.string().optional(),
    }),
    reads: "engine",
    rest: {
      path: "/v1/providers",
      fields: {
        models:
          "Adds the models, for which cinch asks the providers over the network. Default: `true` for a person's token, `false` for an agent's.",
        choice: "Adds the model that a new session would get. Default: `false`.",
      },
    },
    mcp: {
      uri: "providers",
      title: "Providers",
      about: "The model providers; with their models and prices where they are set up.",
      field: "providers",
      fixed: { models: false, choice: false }, // their models have other addresses, and need the network
    },
  }),
  ListModels: defineQuery({
    about: "The models that a provider offers now.",
    params: z.object({
      /** Name of the provider. */
      provider: z.string(),
    }),
    result: z.object({
      /** The models. */
      models: z.array(ModelInfo),
    }),
    reads: "engine",
    rest: { path: "/v1/providers/{name}/models", name: "provider" },
    mcp: {
      uri: "provider/{name}/models",
      title: "Models",
      about: "The models of a provider.",
      field: "models",
    },
    refusals: ["UnknownProvider", "ProviderUnreachable", "ProviderKeyMissing"],
  }),
  ListTools: defineQuery({
    about:
      "The tools of cinch, and those that the running sessions add. Of one session: all that it has, with those of its servers, plugins and skills.",
    params: z.object({ sessionId }),
    result: z.object({
      /** The tools. */
      tools: z.array(ToolInfo),
    }),
    reads: "sessions",
    rest: { path: "/v1/tools", ofSession: "/v1/sessions/{id}/tools" },
    mcp: {
      uri: "tools",
      title: "Tools",
      about: "The tools of the inner agent, with their schemas.",
      field: "tools",
    },
  }),
  ListSkills: defineQuery({
    about: "The skills, each with its name and a short description.",
    params: z.object({ sessionId }),
    result: z.object({
      /** The skills. */
      skills: z.array(SkillInfo),
      /** Problems with skill files, if a session is given. */
      notices: z.array(z.string()).optional(),
    }),
    reads: "sessions",
    rest: { path: "/v1/skills" },
    mcp: { uri: "skills", title: "Skills", about: "The skills of the inner agent.", field: "skills" },
  }),
  GetSkill: defineQuery({
    about: "One skill with its whole description, its text, and what else its head says.",
    params: z.object({
      /** Name of the skill. */
      name: z.string(),
    }),
    result: SkillText,
    reads: "sessions",
    rest: { path: "/v1/skills/{name}" },
    mcp: {
      uri: "skill/{name}",
      title: "Skill",
      about: "The text of a skill.",
      field: "text",
      mimeType: "text/markdown",
    },
    refusals: ["UnknownResource"],
  }),
  ListSlashCommands: defineQuery({
    about:
      "The commands that a person can type behind a slash, each with the query or command that carries it out.",
    params: z.object({ sessionId }),
    result: z.object({
      /** The commands. */
      slash_commands: z.array(SlashCommandInfo),
      /** Reasons why alias files of the session define no alias. */
      alias_problems: z.array(z.string()).optional(),
    }),
    reads: "sessions",
    rest: { path: "/v1/slash-commands" },
  }),
  ListMcpServers: defineQuery({
    about: "The MCP servers that this engine uses.",
    params: z.object({ sessionId }),
    result: z.object({
      /** The servers. */
      servers: z.array(McpServerInfo),
    }),
    reads: "sessions",
    rest: { path: "/v1/mcp/servers" },
  }),
  ListPrices: defineQuery({
    about: "Prices of models, in US dollars for a million tokens; null if they are unknown.",
    params: z.object({ models: z.array(z.string()).max(PRICES_MAX) }),
    result: z.object({
      /** Prices by model; null if they are unknown. */
      prices: z.record(z.string(), ModelPriceInfo.nullable()),
    }),
    reads: "engine",
    rest: { path: "/v1/prices", fields: { models: "`provider:name`, once for each model." } },
  }),
  GetEngineHealth: defineQuery({
    about: "The parts of the engine and how they are. No secrets.",
    params: z.object({}),
    result: EngineHealth,
    reads: "user",
    rest: { path: "/v1/engine-health" },
  }),
  GetWebClient: defineQuery({
    about: "The address of the web client of this engine; absent where none is served.",
    params: z.object({}),
    result: z.object({
      /** The address. */
      url: z.string().optional(),
    }),
    reads: "engine",
    rest: { path: "/v1/web-client" },
  }),
} as const;
