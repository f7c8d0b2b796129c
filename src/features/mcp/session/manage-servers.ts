import { unreachable } from "../../../base/assert.ts";
import { deadline, whileAlive } from "../../../base/async/deadline.ts";
import { HarnessError } from "../../../base/errors.ts";
import { hintFor } from "../../../base/text/near.ts";
import type { CommandOf } from "../../../protocol/commands/commands.ts";
import type { AcceptedOf } from "../../../protocol/commands/results.ts";
import { visibleLine } from "../../../safety/hidden.ts";
import type { AttachedClient } from "../../../session/access/client.ts";
import type { SessionHost } from "../../../session/host.ts";
import type { NewQuestion } from "../../../session/questions.ts";
import type { McpStatus } from "../mcp-status.ts";
import { mcpStatus } from "../mcp-status.ts";
import { START_WAIT_MS_MAX } from "../server/server-source.ts";
import type { SharedServer } from "../server/shared-server.ts";
import type { SessionServer } from "./session-server.ts";

const APPROVE = "approve";
const CHOICES = [
  { value: APPROVE, label: "accept it as it is now, until it changes" },
  { value: "deny", label: "keep the approved state" },
] as const;

export interface ServerManagerOptions {
  readonly host: Pick<SessionHost, "ask" | "registry" | "world">;
  /** Aborts when the session ends. */
  readonly signal: AbortSignal;
  /** Resolves once the servers of the project are known. */
  readonly loaded: (signal: AbortSignal) => Promise<void>;
  /** Returns all servers known so far. */
  readonly servers: () => readonly SessionServer[];
}

/** Runs the commands of people and programs about the servers of one session (`ManageMcp`). */
export class ServerManager {
  readonly #options: ServerManagerOptions;
  /** Servers that a command is restarting. */
  readonly #restarting = new Set<SharedServer>();

  constructor(options: ServerManagerOptions) {
    this.#options = options;
  }

  /** Returns true while a command restarts a server. The command fails with its error, so no event repeats it. */
  isRestarting(server: SharedServer): boolean {
    return this.#restarting.has(server);
  }

  /** @throws HarnessError McpServerUnknown, InvalidCommand, or the error with which the server failed to start. */
  async manage(
    { server, action }: CommandOf<"ManageMcp">,
    client: AttachedClient,
  ): Promise<AcceptedOf<"ManageMcp">> {
    const { signal, loaded } = this.#options;
    await loaded(signal);
    if (server === "" && action === "status") return { result: this.#status() };
    const member = this.#named(server);
    switch (action) {
      case "status":
        return { result: this.#status([member], { tools: member.source.tools() }) };
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
        if (!(await this.#isApproved(member))) return { result: this.#status([member], { approved: false }) };
        if (member.lease.server.state === "stopped" && !member.lease.server.isStopped)
          await this.#restart(member);
        this.#options.host.registry.refresh();
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
    return { result: this.#status([member]) };
  }

  #named(name: string): SessionServer {
    const found = this.#options.servers().find(({ declared }) => declared.name === name);
    if (found !== undefined) return found;
    const names = this.#options.servers().map(({ declared }) => declared.name);
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
      const answer = await this.#options.host.ask(question, this.#options.signal);
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
    using limit = deadline(this.#options.host.world.clock, START_WAIT_MS_MAX, this.#options.signal);
    const starting = lease.restart(this.#options.signal);
    starting.catch(() => undefined); // appears in the server's state
    this.#restarting.add(server);
    try {
      await whileAlive(starting, limit.signal);
    } catch (thrown) {
      if (!limit.reached) throw thrown;
    } finally {
      this.#restarting.delete(server);
    }
    this.#options.host.registry.refresh();
  }

  #status(
    of: readonly SessionServer[] = this.#options.servers(),
    named: Parameters<typeof mcpStatus>[1] = {},
  ): McpStatus {
    const servers = of.map(({ lease: { server } }) => ({
      name: server.spec.name,
      state: server.state,
      tools: server.known.tools.length,
      ...(server.trouble === undefined ? {} : { problem: server.trouble.message }),
    }));
    return mcpStatus(servers, named);
  }
}

/** @throws HarnessError InvalidCommand for an agent. */
function assertPerson({ identityClass }: AttachedClient, action: CommandOf<"ManageMcp">["action"]): void {
  if (identityClass === "human") return;
  const why = `only a client of class human may ${action} a server`;
  throw new HarnessError("InvalidCommand", { kind: "ManageMcp", why });
}
