import * as z from "zod";
import { Handshake } from "../../protocol/handshake.ts";
import { ClientIdSchema, SessionIdSchema } from "../../protocol/ids.ts";
import {
  Health,
  McpServerInfo,
  ModelInfo,
  ProfileInfo,
  ProviderInfo,
  RuntimeInfo,
  SessionDetail,
  SessionInfo,
  SkillInfo,
  SkillText,
  SlashCommandInfo,
  TaskInfo,
  ToolInfo,
} from "../../protocol/resources.ts";
import { PROTOCOL_VERSION } from "../../protocol/version.ts";
import type { Scope } from "../../session/access/scope.ts";
import type { EnginePort } from "../../session/engine-port.ts";
import { answerHandshake } from "../../session/handshake.ts";
import { jsonAnswer } from "../http/answers.ts";
import type { Access, HttpCall, QueryDoc, Route } from "../http/route.ts";
import { LAST_EVENTS, LAST_EVENTS_MAX, withLastEvents } from "../hub/last-events.ts";
import { bodyOf, countOf, grantOf, sessionOf, single, wordOf } from "./parameters.ts";

/** Sessions that a list has at most. */
const SESSIONS_MAX = 1_000;

/** What there is to look at (CTL-15), the handshake (CTL-04), and clients of one's own. */
export function catalogueRoutes(engine: EnginePort): readonly Route[] {
  const { catalogue } = engine;
  return [
    {
      method: "GET",
      path: "/v1/handshake",
      access: "public",
      doc: {
        summary:
          "What this engine speaks. With a token it is the handshake of the client that asks, which comes before any command.",
        query: {
          version: { about: "The protocol version of the client; absent: this one.", schema: z.string() },
        },
        answers: { 200: { about: "Versions, kinds and features", schema: Handshake } },
        refusals: ["HandshakeVersionMismatch"],
      },
      async handle(call) {
        const version = single(call.query, "version") ?? PROTOCOL_VERSION;
        if (call.grant === undefined) return jsonAnswer(200, answerHandshake(version, engine.served));
        return jsonAnswer(200, await call.handshake(version));
      },
    },
    {
      method: "GET",
      path: "/v1/health",
      access: "public",
      doc: {
        summary: "Whether it answers, and its owner can get a token.",
        answers: {
          200: { about: "It does", schema: Health },
          503: { about: "It is starting: ask again", schema: Health },
        },
      },
      async handle() {
        const health = catalogue.health();
        return jsonAnswer(health.status === "starting" ? 503 : 200, health);
      },
    },
    {
      method: "POST",
      path: "/v1/clients",
      access: "token",
      doc: {
        summary:
          "Makes a client besides the token's own, for whoever shares a token; it is used by X-Harness-Client. Its handshake is made with it.",
        body: NewClient,
        answers: {
          201: { about: "Its id", schema: z.object({ client: ClientIdSchema, handshake: Handshake }) },
        },
        refusals: ["InvalidBody", "TooManyClients", "HandshakeVersionMismatch"],
      },
      async handle(call) {
        const { label = "http", version = PROTOCOL_VERSION } = await bodyOf(call, NewClient);
        return jsonAnswer(201, await call.newClient(label, version));
      },
    },
    {
      method: "GET",
      path: "/v1/sessions",
      access: "token",
      doc: {
        summary: "The sessions that run here, as far as the token names them; the newest first.",
        query: {
          past: { about: "`true`: those that are stored too.", schema: z.enum(["true", "false"]) },
        },
        answers: { 200: { about: "The sessions", schema: z.object({ sessions: z.array(SessionInfo) }) } },
      },
      async handle(call) {
        const past = wordOf(call, "past", ["true", "false"]) === "true";
        const sessions = await catalogue.sessions({ past, limit: SESSIONS_MAX }, grantOf(call).scope);
        return jsonAnswer(200, { sessions });
      },
    },
    {
      method: "GET",
      path: "/v1/sessions/{id}",
      access: "token",
      doc: {
        summary: "One session, with its last events.",
        params: { id: SessionIdSchema },
        query: {
          last: {
            about: `How many events, at most ${LAST_EVENTS_MAX}; absent: ${LAST_EVENTS}. Above 4 MiB the oldest are left out.`,
            schema: z.int().min(0).max(LAST_EVENTS_MAX),
          },
        },
        answers: { 200: { about: "The session", schema: SessionDetail } },
        refusals: ["InvalidSessionID", "Forbidden", "UnknownSession"],
      },
      async handle(call) {
        const { scope } = grantOf(call);
        const count = countOf(call, "last", LAST_EVENTS_MAX) ?? LAST_EVENTS;
        const info = await catalogue.session(sessionOf(call), scope);
        return jsonAnswer(200, await withLastEvents(catalogue, info, { count, scope }));
      },
    },
    {
      method: "GET",
      path: "/v1/sessions/{id}/tasks",
      access: "token",
      doc: {
        summary: "What a session has run in the background.",
        params: { id: SessionIdSchema },
        answers: { 200: { about: "The tasks", schema: z.object({ tasks: z.array(TaskInfo) }) } },
        refusals: ["InvalidSessionID", "Forbidden", "UnknownSession"],
      },
      handle: async (call) =>
        jsonAnswer(200, { tasks: await catalogue.tasks(sessionOf(call), grantOf(call).scope) }),
    },
    {
      method: "GET",
      path: "/v1/sessions/{id}/tools",
      access: "token",
      doc: {
        summary:
          "The tools that a session has while it runs: cinch's, and those of its servers, plugins and skills.",
        params: { id: SessionIdSchema },
        answers: { 200: { about: "The tools", schema: z.object({ tools: z.array(ToolInfo) }) } },
        refusals: ["InvalidSessionID", "Forbidden", "UnknownSession"],
      },
      async handle(call) {
        const { session } = await catalogue.session(sessionOf(call), grantOf(call).scope);
        return jsonAnswer(200, { tools: await catalogue.tools(session) });
      },
    },
    list("/v1/profiles", "profiles", ProfileInfo, {
      summary: "The profiles.",
      of: () => catalogue.profiles(),
    }),
    one("/v1/profiles/{name}", ProfileInfo, "One profile.", (name) => catalogue.profile(name)),
    {
      method: "GET",
      path: "/v1/providers",
      access: "token",
      doc: {
        summary:
          "The model providers. With models, each provider that is set up is asked for them and has 5 s to answer; prices stand beside them. Keys are never shown.",
        query: {
          models: {
            about:
              "Adds the models, for which cinch asks the providers over the network. Default: `true` for a person's token, `false` for an agent's.",
            schema: z.enum(["true", "false"]),
          },
        },
        answers: { 200: { about: "All of them", schema: z.object({ providers: z.array(ProviderInfo) }) } },
      },
      async handle(call) {
        // What an agent reads in passing must not send requests with the person's keys.
        const byDefault = grantOf(call).identityClass === "human";
        const word = wordOf(call, "models", ["true", "false"]);
        const isWhole = word === undefined ? byDefault : word === "true";
        const providers = isWhole
          ? await catalogue.providerCatalogues(call.signal)
          : await catalogue.providers();
        return jsonAnswer(200, { providers });
      },
    },
    {
      method: "GET",
      path: "/v1/providers/{name}/models",
      access: "token",
      doc: {
        summary: "The models that a provider offers now.",
        answers: { 200: { about: "The models", schema: z.object({ models: z.array(ModelInfo) }) } },
        refusals: ["UnknownProvider", "ProviderUnreachable", "ProviderKeyMissing"],
      },
      handle: async ({ params, signal }) =>
        jsonAnswer(200, { models: await catalogue.models(params["name"] ?? "", signal) }),
    },
    list("/v1/tools", "tools", ToolInfo, {
      summary: "The tools of cinch, and those that the sessions which run here have beside them.",
      of: (scope) => catalogue.tools(undefined, scope),
    }),
    list("/v1/skills", "skills", SkillInfo, {
      summary: "The skills, each with its name and a short description.",
      of: (scope) => catalogue.skills(scope),
    }),
    one(
      "/v1/skills/{name}",
      SkillText,
      "One skill with its whole description, its text, and what else its head says.",
      (name, scope) => catalogue.skill(name, scope),
    ),
    {
      method: "GET",
      path: "/v1/slash-commands",
      access: "token",
      doc: {
        summary: "What a person can type behind a slash, and the command that carries it out.",
        answers: {
          200: { about: "The commands", schema: z.object({ slash_commands: z.array(SlashCommandInfo) }) },
        },
      },
      handle: async (call) =>
        jsonAnswer(200, { slash_commands: await catalogue.slashCommands(undefined, grantOf(call).scope) }),
    },
    {
      method: "GET",
      path: "/v1/mcp/servers",
      access: "token",
      doc: {
        summary: "The MCP servers that this engine uses.",
        answers: { 200: { about: "The servers", schema: z.object({ servers: z.array(McpServerInfo) }) } },
      },
      handle: async (call) => jsonAnswer(200, { servers: await catalogue.mcpServers(grantOf(call).scope) }),
    },
    {
      method: "GET",
      path: "/v1/runtime",
      access: "token",
      doc: {
        summary: "The engine that answers; of its process, to tokens of every session alone.",
        answers: { 200: { about: "The engine", schema: RuntimeInfo } },
      },
      handle: async (call) => jsonAnswer(200, catalogue.runtime(grantOf(call).scope)),
    },
  ];
}

const NewClient = z.object({
  /** What it calls itself, for people. */
  label: z.string().min(1).max(100).optional(),
  /** The protocol version that it speaks; absent: this one. */
  version: z.string().optional(),
});

function list(
  path: string,
  name: string,
  item: z.ZodType,
  { summary, of }: { readonly summary: string; readonly of: (scope: Scope) => Promise<unknown> },
): Route {
  const access: Access = "token";
  const schema = z.object({ [name]: z.array(item) });
  return {
    method: "GET",
    path,
    access,
    doc: { summary, answers: { 200: { about: "All of them", schema } } },
    handle: async (call) => jsonAnswer(200, { [name]: await of(grantOf(call).scope) }),
  };
}

function one(
  path: string,
  schema: z.ZodType,
  summary: string,
  find: (name: string, scope: Scope) => Promise<unknown>,
): Route {
  const query: Readonly<Record<string, QueryDoc>> = {};
  return {
    method: "GET",
    path,
    access: "token",
    doc: { summary, query, answers: { 200: { about: "It", schema } }, refusals: ["UnknownResource"] },
    handle: async (call: HttpCall) =>
      jsonAnswer(200, await find(call.params["name"] ?? "", grantOf(call).scope)),
  };
}
