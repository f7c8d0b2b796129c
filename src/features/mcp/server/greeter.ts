import type { Client, Transport } from "@modelcontextprotocol/client";
import { HarnessError } from "../../../base/errors.ts";
import type { Log } from "../../../base/log.ts";
import type { Connection, Era } from "../transport/connection.ts";
import { connect } from "../transport/connection.ts";
import { launch } from "../transport/launch.ts";
import type { StdioTransport } from "../transport/stdio.ts";
import type { ServerPorts } from "./server-ports.ts";
import type { ServerSpec } from "./server-spec.ts";

export interface GreeterParts {
  readonly spec: ServerSpec;
  readonly ports: ServerPorts;
  readonly log: Log;
  /** The SHA-256 of the program that a person has approved beside the declared one. */
  readonly approved: () => Promise<string | undefined>;
  /** Absent: the client answers nothing to a server that asks. */
  readonly prepare: ((client: Client) => void) | undefined;
  readonly onToolsChanged: () => void;
  readonly onPromptsChanged: () => void;
}

/**
 * Opens the wire to one server and greets it, one attempt at a time (MCP-01).
 *
 * A greeting in words that a server does not know may end it. Which are the right ones is found out once: where it ends the
 * first time, it is started again in the same attempt and greeted in the older ones. Where that does not help either, it is
 * its own fault: each later attempt starts it once, in the other words than the one before.
 */
export class Greeter {
  readonly #parts: GreeterParts;
  #era: Era = "auto";
  #startsInAttempt = 2;
  #wire: StdioTransport | undefined;
  #logins = "";
  #isDoubtful = false;

  constructor(parts: GreeterParts) {
    this.#parts = parts;
  }

  /** Why the last wire to a program is over, in words. */
  get problem(): string | undefined {
    return this.#wire?.problem;
  }

  /**
   * What is known of logins that a server that is elsewhere has just let nobody in with.
   *
   * Where that is another text than when it was greeted, a person has logged in meanwhile, or a token of its was renewed in
   * vain: it is worth one more attempt, and not one for each renewal.
   */
  async refusedLogins(): Promise<string> {
    const now = await this.#parts.ports.logins();
    this.#isDoubtful = now !== this.#logins && !this.#isDoubtful;
    return this.#isDoubtful ? this.#logins : now;
  }

  /** It may be another program by now: the next attempt finds out anew which words are the right ones. */
  forget(): void {
    this.#startsInAttempt = 2;
  }

  /** @throws the signal's reason; HarnessError where trying again does not help; Error in words for people. */
  async greet(signal: AbortSignal): Promise<Connection> {
    const starts = this.#startsInAttempt;
    this.#startsInAttempt = 1;
    for (let start = 1; ; start += 1) {
      try {
        return await this.#greetOnce(signal);
      } catch (thrown) {
        const hasEnded = this.problem !== undefined && !isFinal(thrown) && !signal.aborted;
        if (hasEnded) this.#era = this.#era === "auto" ? "legacy" : "auto";
        if (!hasEnded || start === starts) throw await this.#refusal(thrown);
      }
    }
  }

  async #greetOnce(signal: AbortSignal): Promise<Connection> {
    const { ports, log, prepare, onToolsChanged, onPromptsChanged } = this.#parts;
    const transport = await this.#open();
    const parts = {
      clock: ports.world.clock,
      log,
      version: ports.version,
      capabilities: prepare === undefined ? {} : { elicitation: { form: {}, url: {} } },
      ...(prepare === undefined ? {} : { prepare }),
      onToolsChanged,
      onPromptsChanged,
    };
    try {
      return await connect(transport, this.#era, parts, signal);
    } catch (thrown) {
      if (this.problem === undefined || signal.aborted) throw thrown;
      throw new Error(this.problem, { cause: thrown });
    }
  }

  async #open(): Promise<Transport> {
    const { spec, ports, log, approved } = this.#parts;
    this.#wire = undefined;
    if (spec.transport !== "stdio") {
      this.#logins = await ports.logins();
      return await ports.openAddress(spec, log);
    }
    this.#wire = await launch(spec, { world: ports.world, log, approved: await approved() });
    return this.#wire;
  }

  /** What keeps us out of a server that is elsewhere, wherever in a chain of causes it stands. */
  async #refusal(thrown: unknown): Promise<unknown> {
    if (this.#parts.spec.transport === "stdio") return thrown;
    const { refusalIn } = await import("../transport/http.ts");
    return refusalIn(thrown) ?? thrown;
  }
}

/** What trying again does not help against. */
export function isFinal(thrown: unknown): thrown is HarnessError {
  return thrown instanceof HarnessError;
}
