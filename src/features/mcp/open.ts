import { join } from "node:path";
import { unreachable } from "../../base/assert.ts";
import { deadline, whileAlive } from "../../base/async/deadline.ts";
import { Cancelled, HarnessError } from "../../base/errors.ts";
import { hintFor } from "../../base/text/near.ts";
import { shortened } from "../../base/text/text.ts";
import { settingsOf } from "../../config/settings/settings.ts";
import type { CommandOf } from "../../protocol/commands/commands.ts";
import type { AcceptedOf } from "../../protocol/commands/results.ts";
import type { Event } from "../../protocol/events/events.ts";
import type { QueryOf, ResultOf } from "../../protocol/queries/queries.ts";
import type { SlashCommandInfo } from "../../protocol/resources.ts";
import { visibleLine } from "../../safety/hidden.ts";
import type { AttachedClient } from "../../session/access/client.ts";
import type { OfferedServer } from "../../session/commands/lists.ts";
import type { OpenFeature } from "../../session/feature.ts";
import type { TrustItem } from "../../session/guard/trust.ts";
import type { SessionHost } from "../../session/host.ts";
import type { NewQuestion } from "../../session/questions.ts";
import type { ConfiguredRule } from "../../session/settings/permission-settings.ts";
import type { LateTools, ToolSource } from "../../tools/tool.ts";
import { unclosedText } from "../../view/slash/slash.ts";
import type { McpServer } from "./config.ts";
import { mcpSection } from "./config.ts";
import { readAcknowledgedServers } from "./declared/declared-servers.ts";
import type { EngineServers } from "./engine-servers.ts";
import type { ServerTools } from "./mcp-rules.ts";
import { idleRuleError, idleRules, isSameServer } from "./mcp-rules.ts";
import type { McpStatus } from "./mcp-status.ts";
import { mcpStatus } from "./mcp-status.ts";
import { missingVariables, resolveSpec } from "./resolve-spec.ts";
import type { ServerLease } from "./server/pool.ts";
import type { ServerEvent } from "./server/server-dependencies.ts";
import { START_WAIT_MS_MAX, serverSource } from "./server/server-source.ts";
import type { SharedServer } from "./server/shared-server.ts";
import { needsLogin } from "./server/shared-server.ts";
import { MCP_PROMPTS, ServerPrompts } from "./tools/prompts.ts";
import { resourceTools } from "./tools/resources.ts";

const REASON_CHARACTERS_MAX = 1_000;
const FOLDER_MODE = 0o700;
const SECOND_MS = 1_000;

const APPROVE = "approve";
const CHOICES = [
  { value: APPROVE, label: "accept it as it is now, until it changes" },
  { value: "deny", label: "keep the approved state" },
] as const;

/**
 * Opens the MCP servers of a session (MCP-01): those of config.toml and of the profile, then those of the project
 * that a person has acknowledged.
 * @throws HarnessError McpServersConflict.
 */
export async function openMcp(host: SessionHost, engine: EngineServers): Promise<OpenFeature> {
  const plan = host.plan();
  const { wishes } = plan;
  await using undo = new AsyncDisposableStack();
  const servers = undo.use(new SessionServers(host, engine));
  await servers.add(settingsOf(mcpSection, plan));
  undo.move(); // the session disposes of it
  return {
    tools: [
      ...servers.sources,
      ...(host.trust.has("mcp") ? [servers.ofProject("eager"), servers.ofProject("lazy")] : []),
      { name: "mcp", tools: () => resourceTools(() => servers.shared) },
    ],
    slashCommands: () => [...servers.commands(), ...servers.prompts.commands()],
    queries: { ExpandMcpPrompt: (query) => servers.expand(query) },
    mcpServers: () => servers.offered(),
    onInput: async () => {
      await servers.retryAfterLogins();
      return [];
    },
    onTurnEnd: async () => {
      // Lists the prompts ahead of their first use. Not needed without a person.
      if (wishes.attended) servers.prompts.commands();
    },
    commands: { ManageMcp: (command, client) => servers.manage(command, client) },
    notices: () => servers.notices,
    [Symbol.asyncDispose]: () => servers[Symbol.asyncDispose](),
  };
}

interface SessionServer {
  readonly declared: McpServer;
  readonly lease: ServerLease;
  readonly source: ToolSource;
  readonly leave: () => void;
}

/** The servers of one session, and its lease of each. */
class SessionServers implements AsyncDisposable {
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
  /** Servers that a command is restarting. The command itself fails with their error, so no event repeats it. */
  readonly #restarting = new Set<SharedServer>();
  /** Servers reported in this session as needing a login. */
  readonly #locked = new Set<SharedServer>();

  constructor(host: SessionHost, engine: EngineServers) {
    this.#host = host;
    this.#engine = engine;
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
      usage: `/mcp:${name} [status | restart | approve]`,
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

  status(of: readonly SessionServer[] = this.#all, named: Parameters<typeof mcpStatus>[1] = {}): McpStatus {
    const servers = of.map(({ lease: { server } }) => ({
      name: server.spec.name,
      state: server.state,
      tools: server.known.tools.length,
      ...(server.trouble === undefined ? {} : { problem: server.trouble.message }),
    }));
    return mcpStatus(servers, named);
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

  /** @throws HarnessError McpServerUnknown, InvalidCommand, or the error with which the server failed to start. */
  async manage(
    { server, action }: CommandOf<"ManageMcp">,
    client: AttachedClient,
  ): Promise<AcceptedOf<"ManageMcp">> {
    const { signal } = this.#life;
    await this.#loaded(signal);
    if (server === "" && action === "status") return { result: this.status() };
    const member = this.#named(server);
    switch (action) {
      case "status":
        return { result: this.status([member], { tools: member.source.tools() }) };
      case "restart":
        if (member.lease.server.isStopped) assertPerson(client, action);
        if (client.identityClass !== "human" && member.lease.isShared) {
          const why = "other sessions use the server too; only a client of class human may restart it now";
          throw new HarnessError("InvalidCommand", { kind: "ManageMcp", why });
        }
        await this.#restart(member);
        break;
      case "approve":
        assertPerson(client, action);
        if (!(await this.#isApproved(member))) return { result: this.status([member], { approved: false }) };
        if (member.lease.server.state === "stopped" && !member.lease.server.isStopped)
          await this.#restart(member);
        this.#host.registry.refresh();
        break;
      case "stop":
        assertPerson(client, action);
        await member.lease.stop();
        break;
      case "start":
        assertPerson(client, action);
        if (member.lease.server.isStopped) await this.#restart(member);
        break;
      default:
        return unreachable(action);
    }
    return { result: this.status([member]) };
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

  #named(name: string): SessionServer {
    const found = this.#all.find(({ declared }) => declared.name === name);
    if (found !== undefined) return found;
    const names = this.#all.map(({ declared }) => declared.name);
    throw new HarnessError("McpServerUnknown", { name: visibleLine(name), hint: hintFor(name, names) });
  }

  /**
   * Shows a person the changes and saves the approval if they accept. If nobody can be asked, the command itself
   * counts as approval.
   */
  async #isApproved({ lease: { server } }: SessionServer): Promise<boolean> {
    const proposal = await server.proposal();
    const { lines } = proposal;
    if (lines.length > 0) {
      const { name } = server.spec;
      const text = [
        `The MCP server ${name} has changed since it was approved. Accept it as it is now?`,
        ...lines,
      ];
      const details = { server: name };
      const question: NewQuestion = { about: "trust", text: text.join("\n"), choices: [...CHOICES], details };
      const answer = await this.#host.ask(question, this.#life.signal);
      const isRefused =
        answer.kind === "timeout" || (answer.kind === "answered" && answer.answer !== APPROVE);
      if (isRefused) return false;
    }
    await server.approve(proposal);
    return true;
  }

  /**
   * Waits up to `START_WAIT_MS_MAX`; a later outcome appears in the server's state. @throws the error with which it
   * failed to start.
   */
  async #restart({ lease }: SessionServer): Promise<void> {
    const { server } = lease;
    using limit = deadline(this.#host.world.clock, START_WAIT_MS_MAX, this.#life.signal);
    const starting = lease.restart(this.#life.signal);
    starting.catch(() => undefined); // appears in the server's state
    this.#restarting.add(server);
    try {
      await whileAlive(starting, limit.signal);
    } catch (thrown) {
      if (!limit.reached) throw thrown;
    } finally {
      this.#restarting.delete(server);
    }
    this.#host.registry.refresh();
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
      if (event.kind === "refused" && this.#restarting.has(shared)) return;
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

/** @throws HarnessError InvalidCommand for an agent. */
function assertPerson({ identityClass }: AttachedClient, action: CommandOf<"ManageMcp">["action"]): void {
  if (identityClass === "human") return;
  const why = `only a client of class human may ${action} a server`;
  throw new HarnessError("InvalidCommand", { kind: "ManageMcp", why });
}

function serverEvent(name: string, event: ServerEvent): Event {
  switch (event.kind) {
    case "down": {
      const reason = shortened(visibleLine(event.reason), REASON_CHARACTERS_MAX);
      return { kind: "MCPServerDown", payload: { name, reason, attempts: event.attempts } };
    }
    case "failing": {
      const why = shortened(visibleLine(event.reason), REASON_CHARACTERS_MAX);
      return errorEvent(new HarnessError("McpStartFailed", { name, why }));
    }
    case "slow":
    case "late": {
      const seconds = String(event.waitMsMax / SECOND_MS);
      const reason = event.kind === "slow" ? "McpStartSlow" : "McpStartLate";
      const { message } = new HarnessError(reason, { name, seconds });
      return { kind: "Error", payload: { reason, message, severity: "notice" } };
    }
    case "refused":
      return errorEvent(event.error);
    case "changed": {
      const tools = shortened(event.tools.map(visibleLine).join(", "), REASON_CHARACTERS_MAX);
      return errorEvent(new HarnessError("McpToolsChanged", { name, tools }));
    }
    default:
      return unreachable(event);
  }
}

function errorEvent({ reason, message }: HarnessError): Event {
  return { kind: "Error", payload: { reason, message } };
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
