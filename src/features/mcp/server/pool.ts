import type { ServerDependencies } from "./server-dependencies.ts";
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
 * The servers of one engine. Sessions with identical specifications share a server (MCP-05). A lease does not start it.
 */
export class McpPool implements AsyncDisposable {
  readonly #dependencies: ServerDependencies;
  readonly #held = new Map<string, PooledServer>();
  readonly #closing = new Set<Promise<void>>();

  constructor(dependencies: ServerDependencies) {
    this.#dependencies = dependencies;
  }

  lease(spec: ServerSpec): ServerLease {
    const pooled = this.#held.get(spec.identity) ?? {
      server: new SharedServer(spec, this.#dependencies),
      leases: 0,
    };
    this.#held.set(spec.identity, pooled);
    pooled.leases += 1;
    let released: Promise<void> | undefined;
    return {
      server: pooled.server,
      get isShared() {
        return pooled.leases > 1;
      },
      [Symbol.asyncDispose]: () => {
        released ??= this.#release(spec.identity, pooled);
        return released;
      },
    };
  }

  /** Ends the servers still leased, and waits for those that are closing. */
  async [Symbol.asyncDispose](): Promise<void> {
    const pooledServers = [...this.#held.entries()];
    await Promise.all(pooledServers.map(([identity, pooled]) => this.#end(identity, pooled)));
    await Promise.all(this.#closing);
  }

  async #release(identity: string, pooled: PooledServer): Promise<void> {
    pooled.leases -= 1;
    if (pooled.leases === 0 && this.#held.get(identity) === pooled) await this.#end(identity, pooled);
  }

  async #end(identity: string, pooled: PooledServer): Promise<void> {
    this.#held.delete(identity);
    const closing = pooled.server.close();
    this.#closing.add(closing);
    try {
      await closing;
    } finally {
      this.#closing.delete(closing);
    }
  }
}
