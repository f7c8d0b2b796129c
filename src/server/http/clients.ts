import { HarnessError } from "../../base/errors.ts";
import type { ClientId, TokenId } from "../../base/ids.ts";
import { isId } from "../../base/ids.ts";
import { plain } from "../../base/text/text.ts";
import type { Clock } from "../../base/world.ts";
import type { Handshake } from "../../protocol/handshake.ts";
import type { TokenGrant, TransportKind } from "../../session/access/authority.ts";
import type { EnginePort, ServedConnection } from "../../session/engine-port.ts";

export const CLIENTS_PER_TOKEN_MAX = 64;
/** A client without requests and streams for this long is forgotten. */
export const CLIENT_IDLE_MS = 3_600_000;

/** Characters of a wrong id that its refusal shows. */
const SHOWN_CHARS_MAX = 64;

/** A client while one request acts as it. */
export interface ClientInUse extends Disposable {
  /** The client, as it acts over the listener of the request. */
  readonly connection: ServedConnection;
  /** The protocol version of its last handshake; undefined before the first. */
  readonly version: string | undefined;
  /** Makes its handshake. @throws HarnessError HandshakeVersionMismatch. */
  handshake(version: string): Promise<Handshake>;
}

interface CachedClient {
  readonly connection: ServedConnection;
  readonly jti: TokenId;
  readonly expiresAt: number;
  version: string | undefined;
  uses: number;
  usedMs: number;
}

/**
 * Clients that persist between requests: the client that sent an input may withdraw it (BUS-02, CTL-01).
 *
 * Each belongs to one token, whose identity class and scope it has. A token has a default client, which every request
 * acts as that names no other.
 */
export class HttpClients implements AsyncDisposable {
  readonly #engine: EnginePort;
  readonly #clock: Pick<Clock, "monotonic" | "now">;
  readonly #kept = new Map<ClientId, CachedClient>();
  /** Default clients of tokens. */
  readonly #own = new Map<TokenId, CachedClient>();

  constructor(engine: EnginePort, clock: Pick<Clock, "monotonic" | "now">) {
    this.#engine = engine;
    this.#clock = clock;
  }

  /** Number of clients. */
  get size(): number {
    return this.#kept.size;
  }

  /**
   * Returns a client for a request.
   * @throws HarnessError UnknownClient for one that is not this token's, even if it is another's; TooManyClients.
   */
  use(grant: TokenGrant, wire: TransportKind, named: string | null): ClientInUse {
    return this.#inUse(named === null ? this.#ownOf(grant) : this.#named(grant, named), wire);
  }

  /** @throws HarnessError TooManyClients. */
  add(grant: TokenGrant, wire: TransportKind, label: string): ClientInUse {
    return this.#inUse(this.#attach(grant, label), wire);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const all = [...this.#kept.values()];
    this.#kept.clear();
    this.#own.clear();
    await Promise.all(all.map(({ connection }) => connection[Symbol.asyncDispose]()));
  }

  #named({ jti }: TokenGrant, id: string): CachedClient {
    const cachedClient = isId("cli", id) ? this.#kept.get(id) : undefined;
    if (cachedClient !== undefined && cachedClient.jti === jti) return cachedClient;
    throw new HarnessError("UnknownClient", { id: plain(id, SHOWN_CHARS_MAX) });
  }

  #ownOf(grant: TokenGrant): CachedClient {
    const ownClient = this.#own.get(grant.jti);
    if (ownClient !== undefined) return ownClient;
    const made = this.#attach(grant, "http");
    this.#own.set(grant.jti, made);
    return made;
  }

  #attach({ jti, identityClass, scope, expiresAt }: TokenGrant, label: string): CachedClient {
    this.#forget();
    const count = [...this.#kept.values()].filter((each) => each.jti === jti).length;
    if (count >= CLIENTS_PER_TOKEN_MAX) throw new HarnessError("TooManyClients", { count: `${count}` });
    const connection = this.#engine.attach({ identityClass, label, scope });
    const usedMs = this.#clock.monotonic();
    const cachedClient: CachedClient = { connection, jti, expiresAt, version: undefined, uses: 0, usedMs };
    this.#kept.set(connection.clientId, cachedClient);
    return cachedClient;
  }

  #inUse(cachedClient: CachedClient, wire: TransportKind): ClientInUse {
    const connection = cachedClient.connection.over(wire);
    cachedClient.uses += 1;
    let isOver = false;
    return {
      connection,
      get version() {
        return cachedClient.version;
      },
      handshake: async (version) => {
        const answer = await connection.handshake(version);
        cachedClient.version = version;
        return answer;
      },
      [Symbol.dispose]: () => {
        if (isOver) return;
        isOver = true;
        cachedClient.uses -= 1;
        cachedClient.usedMs = this.#clock.monotonic();
      },
    };
  }

  /** Drops clients that nobody will come back as. */
  #forget(): void {
    const idleSince = this.#clock.monotonic() - CLIENT_IDLE_MS;
    for (const [id, cachedClient] of this.#kept) {
      if (
        cachedClient.uses > 0 ||
        (cachedClient.usedMs > idleSince && cachedClient.expiresAt > this.#clock.now())
      )
        continue;
      this.#kept.delete(id);
      if (this.#own.get(cachedClient.jti) === cachedClient) this.#own.delete(cachedClient.jti);
      void cachedClient.connection[Symbol.asyncDispose]();
    }
  }
}
