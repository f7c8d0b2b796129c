import type { ClientId } from "../../base/ids.ts";
import { isId } from "../../base/ids.ts";
import type { Clock } from "../../base/world.ts";
import type { TokenGrant, TransportKind } from "../../session/access/authority.ts";
import type { EnginePort, ServedConnection } from "../../session/engine-port.ts";

/** Time for which a client without an open socket can come back. */
export const CLIENT_KEPT_MS = 60_000;
/** Most disconnected clients remembered; of more, the one that left first cannot come back. */
export const CLIENTS_KEPT_MAX = 4_096;

/** Client that a socket asks for. */
export interface ClientToHold {
  readonly grant: TokenGrant;
  /** Listener of the socket. */
  readonly wire: TransportKind;
  readonly label: string;
  /** Id of the client that comes back; absent: a new one. */
  readonly named?: string | undefined;
}

/** A client as one socket holds it; releasing it stops nothing. */
export interface HeldClient extends Disposable {
  readonly connection: ServedConnection;
}

interface HeldConnection {
  readonly connection: ServedConnection;
  readonly grant: TokenGrant;
  sockets: number;
  forgetting?: Disposable;
}

/**
 * Clients over their sockets: several sockets of one client are one client, and one whose socket broke comes back as
 * itself, so that its inputs stay its own (BUS-02). Each belongs to the token that it came with; the owner's tokens
 * follow one another, and have one holder.
 */
export class SocketClients implements AsyncDisposable {
  readonly #engine: EnginePort;
  readonly #clock: Pick<Clock, "timer">;
  readonly #kept = new Map<ClientId, HeldConnection>();
  /** Clients without an open socket, in the order in which they left. */
  readonly #left = new Set<HeldConnection>();
  #isClosed = false;

  constructor(engine: EnginePort, clock: Pick<Clock, "timer">) {
    this.#engine = engine;
    this.#clock = clock;
  }

  /** Returns the client of this id, if this token has it; else a new one. */
  hold({ grant, wire, label, named }: ClientToHold): HeldClient {
    const known = named !== undefined && isId("cli", named) ? this.#kept.get(named) : undefined;
    if (known !== undefined && isSameHolder(known.grant, grant)) return this.#hold(known, wire);
    const { identityClass, scope } = grant;
    const connection = this.#engine.attach({ identityClass, label, scope });
    const made = { connection, grant, sockets: 0 };
    this.#kept.set(connection.clientId, made);
    return this.#hold(made, wire);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
    const all = [...this.#kept.values()];
    this.#kept.clear();
    this.#left.clear();
    for (const { forgetting } of all) forgetting?.[Symbol.dispose]();
    await Promise.all(all.map(({ connection }) => connection[Symbol.asyncDispose]()));
  }

  #hold(entry: HeldConnection, wire: TransportKind): HeldClient {
    entry.sockets += 1;
    entry.forgetting?.[Symbol.dispose]();
    this.#left.delete(entry);
    let isOver = false;
    return {
      connection: entry.connection.over(wire),
      [Symbol.dispose]: () => {
        if (isOver) return;
        isOver = true;
        entry.sockets -= 1;
        // After the engine has closed its sockets they still report that they have closed.
        if (entry.sockets === 0 && !this.#isClosed) this.#leave(entry);
      },
    };
  }

  #leave(entry: HeldConnection): void {
    entry.forgetting = this.#clock.timer(CLIENT_KEPT_MS, () => this.#forget(entry));
    this.#left.add(entry);
    const [first] = this.#left;
    if (this.#left.size > CLIENTS_KEPT_MAX && first !== undefined) this.#forget(first);
  }

  #forget(entry: HeldConnection): void {
    entry.forgetting?.[Symbol.dispose]();
    this.#left.delete(entry);
    this.#kept.delete(entry.connection.clientId);
    void entry.connection[Symbol.asyncDispose]();
  }
}

function isSameHolder(a: TokenGrant, b: TokenGrant): boolean {
  if (a.jti === b.jti) return true;
  return a.identityClass === b.identityClass && isOwners(a) && isOwners(b);
}

/**
 * Returns true for a token for everything, on the Unix socket alone: only the owner of the engine is given
 * one (AUTH-11).
 */
function isOwners({ wire, scope, mintedBy }: TokenGrant): boolean {
  const isFirst = mintedBy === undefined;
  return isFirst && wire === "unix" && scope.sessions === "all" && scope.commands === "all";
}
