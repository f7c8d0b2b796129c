import type { ServerPorts } from "./server-ports.ts";
import type { ServerSpec } from "./server-spec.ts";
import { SharedServer } from "./shared-server.ts";

/** A session's lease of a server. Disposing of the last lease ends the server. */
export interface ServerLease extends AsyncDisposable {
  readonly server: SharedServer;
  /** True if another session leases it too. */
  readonly isShared: boolean;
}

interface PooledServer {
  readonly server: SharedServer;
  leases: number;
}

/**
 * The servers of one engine. Sessions with identical specifications share a server (MCP-05). A lease does not start
 * it.
 */
export class McpPool implements AsyncDisposable {
  readonly #ports: ServerPorts;
  readonly #held = new Map<string, PooledServer>();
  readonly #closing = new Set<Promise<void>>();

  constructor(ports: ServerPorts) {
    this.#ports = ports;
  }

  lease(spec: ServerSpec): ServerLease {
    const held = this.#held.get(spec.identity) ?? { server: new SharedServer(spec, this.#ports), leases: 0 };
    this.#held.set(spec.identity, held);
    held.leases += 1;
    let released: Promise<void> | undefined;
    return {
      server: held.server,
      get isShared() {
        return held.leases > 1;
      },
      [Symbol.asyncDispose]: () => {
        released ??= this.#release(spec.identity, held);
        return released;
      },
    };
  }

  /** Ends the servers still leased, and waits for those that are closing. */
  async [Symbol.asyncDispose](): Promise<void> {
    const left = [...this.#held.entries()];
    await Promise.all(left.map(([identity, held]) => this.#end(identity, held)));
    await Promise.all(this.#closing);
  }

  async #release(identity: string, held: PooledServer): Promise<void> {
    held.leases -= 1;
    if (held.leases === 0 && this.#held.get(identity) === held) await this.#end(identity, held);
  }

  async #end(identity: string, held: PooledServer): Promise<void> {
    this.#held.delete(identity);
    const closing = held.server.close();
    this.#closing.add(closing);
    try {
      await closing;
    } finally {
      this.#closing.delete(closing);
    }
  }
}
