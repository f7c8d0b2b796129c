import type { Server } from "@modelcontextprotocol/server";
import { WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/server";
import type { TokenId } from "../../../base/ids.ts";
import type { World } from "../../../base/world.ts";
import type { Authority, Grant } from "../../../session/access/authority.ts";
import type { AgentClient } from "../agent-client.ts";
import { Following } from "../following.ts";
import { mcpServer } from "../mcp-server.ts";
import { HTTP_FEATURE } from "../words.ts";
import { Pace } from "./pace.ts";
import { SentMessages } from "./sent-messages.ts";

/** What the library calls the stream that belongs to no request. */
const UNASKED_STREAM = "_GET_stream";

/** How long a client is told to wait before it goes on with a stream that broke. */
export const RETRY_MS = 1_000;

export interface HttpSessionParts {
  readonly id: string;
  readonly client: AgentClient;
  readonly grant: Grant;
  readonly authority: Pick<Authority, "watch">;
  readonly world: Pick<World, "clock" | "log">;
  readonly version: string;
  /** Called once, when it is over. */
  readonly left: () => void;
}

/**
 * What one client of the older era has between its requests: its subscriptions, and what it was sent last. It belongs to the
 * token that it began with, and ends with it.
 */
export class HttpSession implements AsyncDisposable {
  readonly id: string;
  readonly jti: TokenId;
  readonly transport: WebStandardStreamableHTTPServerTransport;
  readonly following: Following;
  readonly #parts: HttpSessionParts;
  readonly #sent = new SentMessages();
  /** Of the stream that a client opens for what it did not ask for. */
  readonly #pace = new Pace();
  readonly #watch: ReturnType<Authority["watch"]>;
  readonly #server: Server;
  #isOver = false;
  /** Requests that are under way, and when the last one ended. */
  #uses = 0;
  #usedMs: number;

  constructor(parts: HttpSessionParts) {
    const { id, client, grant, authority, world, version } = parts;
    this.id = id;
    this.jti = grant.jti;
    this.#parts = parts;
    this.#usedMs = world.clock.monotonic();
    this.#watch = authority.watch(grant);
    this.following = new Following({ client, world, watch: this.#watch, grant });
    this.transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => id,
      eventStore: this.#sent,
      retryInterval: RETRY_MS,
      onsessionclosed: () => this.end(),
    });
    this.#server = mcpServer({
      world,
      client,
      version,
      era: "legacy",
      feature: HTTP_FEATURE,
      following: this.following,
      send: async (update) => {
        await this.#pace.room();
        if (this.#isOver) return;
        const params = { ...update };
        await this.#server.notification({ method: "notifications/resources/updated", params });
      },
    });
    const { ended } = this.#watch;
    if (ended.aborted) this.end();
    else ended.addEventListener("abort", () => this.end(), { once: true });
  }

  async connect(): Promise<void> {
    await this.#server.connect(this.transport);
  }

  /** Whether the stream that answers a request is the one for what was not asked for, and what keeps to its reader's pace. */
  paceOf({ method, headers }: Request): Pace | undefined {
    if (method !== "GET") return undefined;
    const last = headers.get("last-event-id");
    return last === null || this.#sent.streamOf(last) === UNASKED_STREAM ? this.#pace : undefined;
  }

  /** Whether somebody reads what was not asked for. */
  get isRead(): boolean {
    return this.#pace.isOpen;
  }

  /** Counts one request that is under way, until what is returned is called. */
  use(): () => void {
    this.#uses += 1;
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      this.#uses -= 1;
      this.#usedMs = this.#parts.world.clock.monotonic();
    };
  }

  /** True while a request is under way or its stream is read. */
  get isUsed(): boolean {
    return this.#uses > 0;
  }

  /** How long nobody has used it. */
  get idleMs(): number {
    return this.#uses > 0 ? 0 : this.#parts.world.clock.monotonic() - this.#usedMs;
  }

  /** Ends it; what runs in the engine goes on. Safe to call again. */
  end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#pace.end();
    this.following[Symbol.dispose]();
    this.#watch[Symbol.dispose]();
    this.#parts.left();
    void this[Symbol.asyncDispose]();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.end();
    await this.#server.close();
    await this.#parts.client[Symbol.asyncDispose]();
  }
}
