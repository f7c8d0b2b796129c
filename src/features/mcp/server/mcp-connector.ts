import type { Client, Transport } from "@modelcontextprotocol/client";
import { defined } from "../../../base/defined.ts";
import { HarnessError } from "../../../base/errors.ts";
import type { Log } from "../../../base/log.ts";
import { launchServer } from "../transport/launch.ts";
import type { Era, McpConnection } from "../transport/mcp-connection.ts";
import { connectMcp } from "../transport/mcp-connection.ts";
import type { ServerStdioTransport } from "../transport/stdio.ts";
import type { ServerDependencies } from "./server-dependencies.ts";
import type { ServerSpec } from "./server-spec.ts";

export interface ConnectorDependencies {
  readonly spec: ServerSpec;
  readonly dependencies: ServerDependencies;
  readonly log: Log;
  /** Returns the SHA-256 of the program that a person has approved in addition to the declared one. */
  readonly approved: () => Promise<string | undefined>;
  /** Sets up the client's handlers before the greeting. Omitted: the client answers no requests of the server. */
  readonly prepare: ((client: Client) => void) | undefined;
  readonly onToolsChanged: () => void;
  readonly onPromptsChanged: () => void;
}

/**
 * Connects to one server and does the handshake, one attempt at a time (MCP-01).
 *
 * A handshake in a protocol version that a server does not know may end it. The first attempt finds the right
 * version: if the server ends, it is started again in the same attempt and connected in the older version. If that
 * fails too, each later attempt starts it once, alternating between the versions.
 */
export class McpConnector {
  readonly #dependencies: ConnectorDependencies;
  #era: Era = "auto";
  #startsInAttempt = 2;
  #wire: ServerStdioTransport | undefined;
  #logins = "";
  #isDoubtful = false;

  constructor(dependencies: ConnectorDependencies) {
    this.#dependencies = dependencies;
  }

  /** Reason why the last connection to a program ended, in words. */
  get problem(): string | undefined {
    return this.#wire?.problem;
  }

  /**
   * Returns a fingerprint of the stored logins with which a remote server has just refused access.
   *
   * If it differs from the one at the handshake, a person has logged in meanwhile, or a token was renewed in vain.
   * That justifies one more attempt, but not one for each renewal.
   */
  async refusedLogins(): Promise<string> {
    const now = await this.#dependencies.dependencies.logins();
    this.#isDoubtful = now !== this.#logins && !this.#isDoubtful;
    return this.#isDoubtful ? this.#logins : now;
  }

  /** Forgets which protocol version worked. The program may be another one by now. */
  forget(): void {
    this.#startsInAttempt = 2;
  }

  /** @throws the signal's reason; HarnessError where a retry does not help; Error in words for people. */
  async connect(signal: AbortSignal): Promise<McpConnection> {
    const starts = this.#startsInAttempt;
    this.#startsInAttempt = 1;
    for (let start = 1; ; start += 1) {
      try {
        return await this.#connectOnce(signal);
      } catch (thrown) {
        const hasEnded = this.problem !== undefined && !isPermanent(thrown) && !signal.aborted;
        if (hasEnded) this.#era = this.#era === "auto" ? "legacy" : "auto";
        if (!hasEnded || start === starts) throw await this.#refusal(thrown);
      }
    }
  }

  async #connectOnce(signal: AbortSignal): Promise<McpConnection> {
    const { dependencies: ports, log, prepare, onToolsChanged, onPromptsChanged } = this.#dependencies;
    const transport = await this.#open();
    const parts = {
      clock: ports.world.clock,
      log,
      version: ports.version,
      capabilities: prepare === undefined ? {} : { elicitation: { form: {}, url: {} } },
      ...defined({ prepare }),
      onToolsChanged,
      onPromptsChanged,
    };
    try {
      return await connectMcp(transport, this.#era, parts, signal);
    } catch (thrown) {
      if (this.problem === undefined || signal.aborted) throw thrown;
      throw new Error(this.problem, { cause: thrown });
    }
  }

  async #open(): Promise<Transport> {
    const { spec, dependencies: ports, log, approved } = this.#dependencies;
    this.#wire = undefined;
    if (spec.transport !== "stdio") {
      this.#logins = await ports.logins();
      return await ports.openRemote(spec, log);
    }
    this.#wire = await launchServer(spec, { world: ports.world, log, approved: await approved() });
    return this.#wire;
  }

  /** Returns the refusal of a remote server, wherever it stands in the chain of causes. */
  async #refusal(thrown: unknown): Promise<unknown> {
    if (this.#dependencies.spec.transport === "stdio") return thrown;
    const { findRefusal } = await import("../transport/http.ts");
    return findRefusal(thrown) ?? thrown;
  }
}

/** Returns true for errors that a retry cannot fix. */
export function isPermanent(thrown: unknown): thrown is HarnessError {
  return thrown instanceof HarnessError;
}
