import type { Connection } from "../../protocol/connection.ts";
import type { Health, RuntimeInfo, SessionInfo } from "../../protocol/resources.ts";
import { PROTOCOL_VERSION } from "../../protocol/version.ts";
import type { Scope } from "../../session/access/scope.ts";
import { EVERYTHING } from "../../session/access/scope.ts";
import type { AttachRequest } from "../../session/attach-request.ts";
import type { Catalogue } from "../../session/engine-port.ts";
import type { AskEngine } from "./ask-engine.ts";

/**
 * The catalogue of an engine that is elsewhere, as its routes answer (CTL-15).
 *
 * What came over the wire is taken in the shapes of `protocol/resources.ts`: the engine that answers has checked the version.
 */
export async function remoteCatalogue(
  ask: AskEngine,
  attach: (request: AttachRequest) => Connection,
  signal: AbortSignal,
): Promise<Catalogue> {
  const as = (scope: Scope) => ({ identityClass: "human", scope }) as const;
  const all = as(EVERYTHING);
  const named = (name: string) => encodeURIComponent(name);
  const session = async (id: string, scope: Scope) =>
    (await ask(`/v1/sessions/${named(id)}?last=0`, as(scope))) as SessionInfo;
  /** One list, by the name under which it stands in the answer. */
  async function list<Item>(path: string, name: string, scope: Scope = EVERYTHING): Promise<readonly Item[]> {
    const answer = (await ask(path, as(scope))) as Readonly<Record<string, readonly Item[]>>;
    return answer[name] ?? [];
  }
  let known = (await ask("/v1/runtime", { ...all, signal })) as RuntimeInfo;
  const look = () => {
    ask("/v1/runtime", all).then(
      (runtime) => {
        known = runtime as RuntimeInfo;
      },
      () => undefined, // what was known stands
    );
  };
  return {
    async sessions({ past, limit }, scope) {
      const found = await list<SessionInfo>(`/v1/sessions${past ? "?past=true" : ""}`, "sessions", scope);
      return found.slice(0, limit);
    },
    session,
    async *log(id, since, scope) {
      const { events } = await session(id, scope);
      if (since >= events) return;
      await using connection = attach({ identityClass: "human", label: "cinch", scope });
      await connection.handshake(PROTOCOL_VERSION);
      const leave = new AbortController();
      for await (const event of connection.subscribe(id, { since, signal: leave.signal })) {
        yield event;
        const reached = event.kind === "StreamGap" ? Math.max(event.id, event.payload.to) : event.id;
        if (reached >= events) return;
      }
    },
    tasks: (id, scope) => list(`/v1/sessions/${named(id)}/tasks`, "tasks", scope),
    profiles: () => list("/v1/profiles", "profiles"),
    profile: async (name) =>
      (await ask(`/v1/profiles/${named(name)}`, all)) as Awaited<ReturnType<Catalogue["profile"]>>,
    providers: () => list("/v1/providers?models=false", "providers"),
    async providerCatalogues(stop) {
      const answer = await ask("/v1/providers?models=true", { ...all, signal: stop });
      return (answer as { readonly providers: Awaited<ReturnType<Catalogue["providers"]>> }).providers;
    },
    async models(provider, stop) {
      const answer = await ask(`/v1/providers/${named(provider)}/models`, { ...all, signal: stop });
      return (answer as { readonly models: Awaited<ReturnType<Catalogue["models"]>> }).models;
    },
    tools: (id) => list(id === undefined ? "/v1/tools" : `/v1/sessions/${named(id)}/tools`, "tools"),
    skills: () => list("/v1/skills", "skills"),
    skill: async (name) =>
      (await ask(`/v1/skills/${named(name)}`, all)) as Awaited<ReturnType<Catalogue["skill"]>>,
    slashCommands: () => list("/v1/slash-commands", "slash_commands"),
    mcpServers: () => list("/v1/mcp/servers", "servers"),
    health(): Health {
      look();
      return { status: "ok", protocol_version: known.protocol_version };
    },
    runtime(scope = EVERYTHING): RuntimeInfo {
      look();
      const { version, protocol_version, engine } = known;
      return scope.sessions === "all" ? known : { version, protocol_version, engine };
    },
  };
}
