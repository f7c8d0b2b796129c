import type { ServerDependencies } from "./server-dependencies.ts";
import type { ServerSpec } from "./server-spec.ts";
import { SharedServer } from "./shared-server.ts";

/** A session's lease of a server. Disposing of the last lease ends the server. */
export interface ServerLease extends AsyncDisposable {
  readonly server: SharedServer;
  /** True if another session leases it too. */
  readonly isShared: boolean;
  /** Ends the server for every session, until `restart`. A server with its specification does not start either. */
  stop(): Promise<void>;
  /** Starts the server again, whatever its state. @throws like `SharedServer.connected`. */
  restart(signal: AbortSignal): Promise<void>;
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
  /** Identities of the servers that a person has stopped. */
  readonly #stopped = new Set<string>();

  constructor(dependencies: ServerDependencies) {
    this.#dependencies = dependencies;
  }

  lease(spec: ServerSpec): ServerLease {
    const { identity } = spec;
    const pooled = this.#held.get(identity) ?? this.#open(spec);
    this.#held.set(identity, pooled);
    pooled.leases += 1;
    let released: Promise<void> | undefined;
    return {
      server: pooled.server,
      stop: async () => {
        this.#stopped.add(identity);
        await pooled.server.stop();
      },
      restart: async (signal) => {
        this.#stopped.delete(identity);
        await pooled.server.restart(signal);
      },
      get isShared() {
        return pooled.leases > 1;
      },
      [Symbol.asyncDispose]: () => {
        released ??= this.#release(identity, pooled);
        return released;
      },
    };
  }

  #open(spec: ServerSpec): PooledServer {
    const server = new SharedServer(spec, this.#dependencies);
    if (this.#stopped.has(spec.identity)) server.hold();
    return { server, leases: 0 };
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
