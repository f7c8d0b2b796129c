import type { Server } from "@modelcontextprotocol/server";
import { WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/server";
import type { TokenId } from "../../../base/ids.ts";
import type { World } from "../../../base/world.ts";
import type { Authority, TokenGrant } from "../../../session/access/authority.ts";
import type { AgentClient } from "../agent-client.ts";
import { HTTP_FEATURE } from "../mcp-names.ts";
import { mcpServer } from "../mcp-server.ts";
import { ResourceSubscriptions } from "../resource-subscriptions.ts";
import { SentMessages } from "./sent-messages.ts";
import { StreamPace } from "./stream-pace.ts";

/** Name in the library of the stream that belongs to no request. */
const UNASKED_STREAM = "_GET_stream";

/** Milliseconds that a client waits before it resumes a stream that broke. */
export const RETRY_MS = 1_000;

export interface HttpSessionDependencies {
  readonly id: string;
  readonly client: AgentClient;
  readonly grant: TokenGrant;
  readonly authority: Pick<Authority, "watch">;
  readonly world: Pick<World, "clock" | "log">;
  readonly version: string;
  /** Called once, when it is over. */
  readonly onLeave: () => void;
}

/**
 * State of one client of the older era between its requests: its subscriptions, and the messages that it was last sent.
 * It belongs to the token that it started with, and ends with it.
 */
export class HttpSession implements AsyncDisposable {
  readonly id: string;
  readonly jti: TokenId;
  readonly transport: WebStandardStreamableHTTPServerTransport;
  readonly following: ResourceSubscriptions;
  readonly #parts: HttpSessionDependencies;
  readonly #sent = new SentMessages();
  /** Pace of the stream for messages that answer no request. */
  readonly #pace = new StreamPace();
  readonly #watch: ReturnType<Authority["watch"]>;
  readonly #server: Server;
  #isOver = false;
  /** Running requests, and the end of the last one. */
  #uses = 0;
  #usedMs: number;

  constructor(parts: HttpSessionDependencies) {
    const { id, client, grant, authority, world, version } = parts;
    this.id = id;
    this.jti = grant.jti;
    this.#parts = parts;
    this.#usedMs = world.clock.monotonic();
    this.#watch = authority.watch(grant);
    this.following = new ResourceSubscriptions({ client, world, watch: this.#watch, grant });
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
        await this.#pace.waitForRoom();
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

  /** Returns the pace of the stream that answers a request, if it is the one for messages that answer no request. */
  paceOf({ method, headers }: Request): StreamPace | undefined {
    if (method !== "GET") return undefined;
    const last = headers.get("last-event-id");
    return last === null || this.#sent.streamOf(last) === UNASKED_STREAM ? this.#pace : undefined;
  }

  /** True if a client reads messages that answer no request. */
  get isRead(): boolean {
    return this.#pace.isOpen;
  }

  /** Counts one running request, until the returned function is called. */
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

  /** True while a request runs or its stream is read. */
  get isUsed(): boolean {
    return this.#uses > 0;
  }

  /** Milliseconds since its last use. */
  get idleMs(): number {
    return this.#uses > 0 ? 0 : this.#parts.world.clock.monotonic() - this.#usedMs;
  }

  /** Ends it; work in the engine continues. Safe to call again. */
  end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#pace.end();
    this.following[Symbol.dispose]();
    this.#watch[Symbol.dispose]();
    this.#parts.onLeave();
    void this[Symbol.asyncDispose]();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.end();
    await this.#server.close();
    await this.#parts.client[Symbol.asyncDispose]();
  }
}
