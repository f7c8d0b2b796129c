import { HarnessError } from "../../src/base/errors.ts";
import type { LogId, SessionId } from "../../src/base/ids.ts";
import type { SessionStore } from "../../src/session/store/store.ts";
import type { SimClient } from "./client.ts";
import type { Branched } from "./places.ts";
import { checkBranch, checkRewound } from "./places.ts";
import type { Stage } from "./stage.ts";
import type { Talking } from "./talking.ts";

/** Date from which content is never expired. */
const SWEEP_BEFORE = "9999-01-01";

/** Actions on stored sessions: pins, branches, rewinds, and expiry. */
export class Keeping {
  readonly #stage: Stage;
  readonly #talking: Talking;
  /** True if this run rewinds conversations, after which less is known about requests. */
  readonly #rewinds: boolean;
  /** Branches that were acknowledged and not swept. */
  readonly #branches: (Branched & { readonly session: SessionId })[] = [];
  /** Logs whose pin is being changed, or must not be. */
  readonly #pinning = new Set<LogId>();
  /** Logs that are surely pinned. */
  readonly #pinned = new Set<LogId>();

  constructor(stage: Stage, talking: Talking) {
    this.#stage = stage;
    this.#talking = talking;
    this.#rewinds = stage.chance.happens(0.4);
  }

  /** Notes that a process died during a change. */
  died(): void {
    this.#pinning.clear();
  }

  /** Returns violations of acknowledged branches. */
  async problems(): Promise<readonly string[]> {
    const { content } = this.#stage.disk;
    return (await Promise.all(this.#branches.map((branch) => checkBranch(content, branch)))).flat();
  }

  /** The log or a branch of it; what is not acknowledged may be either. */
  pin(client: SimClient, sessionId: SessionId): void {
    const log = this.#stage.log;
    if (log === undefined) return;
    const branch = this.#stage.chance.happens(0.5) ? this.#branches.at(-1) : undefined;
    const of = branch?.log ?? log;
    if (this.#pinning.has(of)) return;
    this.#pinning.add(of);
    const pinned = this.#stage.chance.happens(0.5);
    this.#pinned.delete(of);
    this.#talking.send(
      client,
      { kind: "PinSession", sessionId: branch?.session ?? sessionId, pinned },
      (fate) => {
        this.#pinning.delete(of);
        if (fate.kind === "accepted" && pinned) this.#pinned.add(of);
      },
    );
  }

  /** At the end of a turn that the client has seen, or at an event that is none. */
  branch(client: SimClient, sessionId: SessionId): void {
    const source = this.#stage.log;
    const ends = client.seen.filter(({ kind }) => kind === "TurnEnded");
    if (source === undefined || ends.length === 0) return;
    const at = this.#stage.chance.of(ends).id + (this.#stage.chance.happens(0.1) ? 1 : 0);
    this.#talking.send(client, { kind: "BranchSession", sessionId, at }, (fate) => {
      if (fate.kind === "refused") return;
      const { log } = fate.accepted.result as { readonly log: LogId };
      const { sessionId: session } = fate.accepted;
      if (session !== undefined) this.#branches.push({ source, log, at, session });
    });
  }

  rewind(client: SimClient, sessionId: SessionId): void {
    const log = this.#stage.log;
    const places = client.seen.filter(({ kind }) => kind === "TurnStarted" || kind === "TurnEnded");
    if (log === undefined || !this.#rewinds) return;
    const place = places.length === 0 ? undefined : this.#stage.chance.of(places);
    const to = place?.id ?? 0;
    const isStart = place?.kind === "TurnStarted";
    const command = { kind: "RewindSession", sessionId, to, what: "conversation" } as const;
    this.#talking.send(client, command, async (fate) => {
      if (fate.kind === "refused") return;
      for (const what of await checkRewound(this.#stage.disk.content, log, { to, isStart }))
        this.#stage.violated(what);
    });
  }

  /** Expires what is not pinned: branches, because no process holds them. */
  sweep(): void {
    const process = this.#stage.process;
    const log = this.#stage.log;
    if (process === undefined || log === undefined) return;
    const store = this.#stage.disk.open(process);
    const gone = this.#branches.splice(0).map((branch) => branch.log);
    const isKept = this.#pinned.has(log) && !this.#pinning.has(log);
    for (const each of isKept ? [...gone, log] : gone) void this.#expire(store, each);
  }

  async #expire(store: SessionStore, log: LogId): Promise<void> {
    const isPinned = this.#pinned.has(log) && !this.#pinning.has(log);
    if (isPinned) this.#pinning.add(log);
    try {
      const events = await store.expire(log, SWEEP_BEFORE);
      if (isPinned && events > 0) this.#stage.violated(`the pinned ${log} has expired`);
    } catch (thrown) {
      if (!(thrown instanceof HarnessError)) this.#stage.violated(`sweeping threw ${String(thrown)}`);
    }
    if (isPinned) this.#pinning.delete(log);
  }
}
