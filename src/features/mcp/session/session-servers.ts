import { join } from "node:path";
import { Cancelled, HarnessError } from "../../../base/errors.ts";
import type { SessionMcpServer } from "../../../protocol/commands/session-servers.ts";
import type { QueryOf, ResultOf } from "../../../protocol/queries/queries.ts";
import type { SlashCommandInfo } from "../../../protocol/resources.ts";
import { visibleLine } from "../../../safety/hidden.ts";
import type { OfferedServer } from "../../../session/commands/lists.ts";
import type { TrustItem } from "../../../session/guard/trust.ts";
import type { SessionHost } from "../../../session/host.ts";
import type { ConfiguredRule } from "../../../session/settings/permission-settings.ts";
import type { LateTools, ToolSource } from "../../../tools/tool.ts";
import { unclosedText } from "../../../view/slash/slash.ts";
import type { McpServer } from "../config.ts";
import { clientServers } from "../declared/client-servers.ts";
import { readAcknowledgedServers } from "../declared/declared-servers.ts";
import type { EngineServers } from "../engine-servers.ts";
import type { ServerTools } from "../mcp-rules.ts";
import { idleRuleError, idleRules, isSameServer } from "../mcp-rules.ts";
import { missingVariables, resolveSpec } from "../resolve-spec.ts";
import type { ServerEvent } from "../server/server-dependencies.ts";
import { serverSource } from "../server/server-source.ts";
import type { SharedServer } from "../server/shared-server.ts";
import { needsLogin } from "../server/shared-server.ts";
import { MCP_PROMPTS, ServerPrompts } from "../tools/prompts.ts";
import { ServerManager } from "./manage-servers.ts";
import { errorEvent, serverEvent } from "./server-events.ts";
import type { SessionServer } from "./session-server.ts";

const FOLDER_MODE = 0o700;

/** The servers of one session, and its lease of each. */
export class SessionServers implements AsyncDisposable {
  readonly notices: string[] = [];
  readonly #host: SessionHost;
  readonly #engine: EngineServers;
  readonly #members: SessionServer[] = [];
  readonly #projects: SessionServer[] = [];
  readonly #life = new AbortController();
  readonly prompts: ServerPrompts;
  #joining: Promise<void> | undefined;
  /** Rules that were found to match no tool of their server. Each is reported once. */
  readonly #idle = new Set<ConfiguredRule>();
  readonly manager: ServerManager;
  /** Servers reported in this session as needing a login. */
  readonly #locked = new Set<SharedServer>();

  constructor(host: SessionHost, engine: EngineServers) {
    this.#host = host;
    this.#engine = engine;
    this.manager = new ServerManager({
      host,
      signal: this.#life.signal,
      loaded: (signal) => this.#loaded(signal),
      servers: () => this.#all,
    });
    this.prompts = new ServerPrompts(() => this.shared, host.world.clock, this.#life.signal);
  }

  /** The sources of the configured servers. The project's servers are not known yet. */
  get sources(): readonly ToolSource[] {
    return this.#members.map(({ source }) => source);
  }

  /** All servers known so far. */
  get shared(): readonly SharedServer[] {
    return this.#all.map(({ lease }) => lease.server);
  }

  /** Lists a slash command for each server. */
  commands(): readonly SlashCommandInfo[] {
    return this.shared.map(({ spec: { name } }) => ({
      name: `mcp:${name}`,
      usage: `/mcp:${name} [status | restart | approve | stop | start]`,
      help: "an MCP server of this session",
      command: "ManageMcp",
    }));
  }

  /**
   * Returns the text of a server's prompt, for the client to show and send.
   * @throws HarnessError McpPromptUnusable, UsageInvalid.
   */
  async expand({
    name,
    args = [],
    unclosed,
  }: QueryOf<"ExpandMcpPrompt">): Promise<ResultOf<"ExpandMcpPrompt">> {
    if (unclosed !== undefined) {
      const problem = `/${MCP_PROMPTS}:${visibleLine(name)}: ${unclosedText(unclosed)}`;
      throw new HarnessError("UsageInvalid", { problem });
    }
    await this.#loaded(this.#life.signal);
    return { prompt: await this.prompts.expand(name, args) };
  }

  /** @throws HarnessError McpServersConflict. */
  async add(declared: readonly McpServer[]): Promise<void> {
    for (const server of declared) {
      const first = this.#members.find((each) => isSameName(each.declared, server));
      if (first !== undefined) throw conflictError(first.declared, server);
      this.notices.push(...missingVariables(server, this.#host.environment));
      this.#members.push(await this.#join(server));
    }
  }

  /** Joins the servers that the client's user has named for this session. */
  async addOfClient(wanted: readonly SessionMcpServer[]): Promise<void> {
    if (wanted.length === 0) return;
    const taken = this.#members.map(({ declared }) => declared);
    const { servers, notices } = clientServers(wanted, taken);
    this.notices.push(...notices);
    for (const server of servers) this.#members.push(await this.#join(server));
  }

  /**
   * Returns the source for the project's servers of one kind. They are known once a person has acknowledged
   * their files.
   */
  ofProject(kind: "eager" | "lazy"): ToolSource {
    const isOfKind = ({ source }: SessionServer) =>
      (source.late?.awaited === true ? "eager" : "lazy") === kind;
    const projects = this.#projects;
    const late: LateTools = {
      awaited: kind === "eager",
      get origins() {
        return projects.filter(isOfKind).map(({ declared }) => declared.name);
      },
      ready: async (signal) => {
        await this.#loaded(signal);
        await Promise.all(this.#projects.filter(isOfKind).map(({ source }) => source.late?.ready(signal)));
      },
    };
    return {
      name: `mcp (project, ${kind})`,
      tools: () => this.#projects.filter(isOfKind).flatMap(({ source }) => source.tools()),
      late,
    };
  }

  /** Lists the tools of a server again once a person has logged in there, as if they had been known from the start. */
  async retryAfterLogins(): Promise<void> {
    for (const server of this.#locked) {
      await server.retryAfterLogin();
      if (server.problem !== undefined) continue;
      this.#locked.delete(server);
      this.#host.registry.refresh();
    }
  }

  /** Lists the servers for engine queries. */
  offered(): readonly OfferedServer[] {
    return this.shared.map((of) => ({
      of,
      name: of.spec.name,
      state: of.state,
      tools: of.known.tools.length,
    }));
  }

  /** Releases the servers. Those that no other session leases are ended. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#life.abort(new Cancelled("engine", "the session was ended"));
    await Promise.allSettled([this.#joining]); // servers joined meanwhile are released below
    await Promise.all(
      this.#all.map(async ({ lease, leave }) => {
        leave();
        await lease[Symbol.asyncDispose]();
      }),
    );
  }

  get #all(): readonly SessionServer[] {
    return [...this.#members, ...this.#projects];
  }

  async #join(server: McpServer): Promise<SessionServer> {
    const { workspace, world, paths, environment } = this.#host;
    const folders = join(paths.state, "mcp");
    const spec = resolveSpec(server, { workspace, environment, folders });
    if (spec.transport === "stdio" && server.transport === "stdio" && server.cwd === undefined)
      await world.files.makeDirectory(spec.cwd, FOLDER_MODE);
    const lease = (await this.#engine.pool()).lease(spec);
    try {
      await lease.server.known.load();
    } catch (thrown) {
      await lease[Symbol.asyncDispose](); // the next lease reads the record again
      throw thrown;
    }
    const { server: shared } = lease;
    const tell = (event: ServerEvent) => {
      if (event.kind === "refused" && needsLogin(event.error)) this.#locked.add(shared);
      if (event.kind === "refused" && this.manager.isRestarting(shared)) return;
      this.#host.publish(serverEvent(spec.name, event));
    };
    if (shared.problem !== undefined && needsLogin(shared.problem)) this.#locked.add(shared);
    const leave = lease.server.watch(tell);
    const source = serverSource(lease.server, {
      clock: world.clock,
      ask: () => this.#host.ask,
      onEvent: tell,
      onTools: (tools) => this.#lookAtRules({ name: spec.name, tools }),
    });
    return { declared: server, lease, source, leave };
  }

  /** Joins the project's servers, once. @throws the signal's reason. */
  async #loaded(signal: AbortSignal): Promise<void> {
    const { trust } = this.#host;
    if (!trust.has("mcp")) return;
    const { items } = await trust.loaded(signal);
    this.#joining ??= this.#joinAll(items.filter(({ kind }) => kind === "mcp"));
    await this.#joining;
  }

  /** Joins the servers of each acknowledged file. Reports and skips a file that cannot be used. */
  async #joinAll(items: readonly TrustItem[]): Promise<void> {
    for (const { path, files } of items) {
      try {
        const bytes = files[0]?.bytes ?? new Uint8Array();
        for (const server of await readAcknowledgedServers({ path, bytes })) {
          this.#life.signal.throwIfAborted();
          const first = this.#all.find((each) => isSameName(each.declared, server));
          if (first !== undefined) throw conflictError(first.declared, server);
          this.#projects.push(await this.#join(server));
        }
      } catch (thrown) {
        if (!(thrown instanceof HarnessError)) throw thrown;
        this.#publish(thrown);
      }
    }
  }

  /** Reports rules of the user and the profile that match no tool, as soon as a server's tools are known. */
  #lookAtRules(server: ServerTools): void {
    const { profile, config } = this.#host.plan();
    const rules = [...config.permissions.rules, ...profile.permissions.rules];
    for (const idle of idleRules(rules, server)) {
      if (this.#idle.has(idle.rule)) continue;
      this.#idle.add(idle.rule);
      this.#publish(idleRuleError(idle));
    }
  }

  #publish(error: HarnessError): void {
    this.#host.publish(errorEvent(error));
  }
}

function isSameName(one: McpServer, other: McpServer): boolean {
  return isSameServer(one.name, other.name);
}

function conflictError(first: McpServer, second: McpServer): HarnessError<"McpServersConflict"> {
  const placeOf = ({ where: { path, line } }: McpServer) => `${path}:${line}`;
  return new HarnessError("McpServersConflict", {
    name: second.name,
    first: placeOf(first),
    second: placeOf(second),
  });
}
