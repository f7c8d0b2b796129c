import { assert } from "../../base/assert.ts";
import type { SpawnDependencies } from "../../engine/spawn.ts";
import type { CommandOf } from "../../protocol/commands/commands.ts";
import type { InputBlock } from "../../protocol/content.ts";
import type { Event } from "../../protocol/events/events.ts";
import type { RequestContext } from "../../providers/middleware.ts";
import type { SessionPermissions } from "../../session/guard/permissions.ts";
import type { PluginRules } from "../../session/guard/policy.ts";
import type { EngineHost, SessionHost } from "../../session/host.ts";
import type { Session } from "../../session/turns/session.ts";
import { toolMiddlewareAt } from "./chains/chains.ts";
import type { SessionCore } from "./chains/session-core.ts";
import type { OpenFeatures } from "./open-features.ts";

/** Handles of a session that are there before its features. */
export type HostBase = Pick<
  SessionHost,
  | "session"
  | "logId"
  | "plan"
  | "planUnder"
  | "workspace"
  | "log"
  | "redactor"
  | "trust"
  | "sandbox"
  | "background"
  | "model"
  | "budget"
  | "shown"
  | "registry"
  | "tree"
> & {
  readonly engine: EngineHost;
  readonly core: SessionCore;
  readonly permissions: SessionPermissions;
  readonly handover?: NonNullable<SessionHost["handover"]>;
  readonly delegate?: NonNullable<SessionHost["delegate"]>;
  extendRules(rules: PluginRules): void;
};

/**
 * Builds the handles that one session gives to its features, in two phases: `host` works from the start, and
 * `complete` adds what only a composed session has.
 */
export class SessionHostBuilder {
  readonly host: SessionHost;
  readonly #base: HostBase;
  #features: OpenFeatures | undefined;
  #composed: { readonly session: Session; readonly shared: SpawnDependencies } | undefined;

  constructor(base: HostBase) {
    this.#base = base;
    const { engine, core, ...rest } = base;
    const { bus: _bus } = core;
    const self = this;
    this.host = {
      ...engine,
      ...rest,
      publish: (event: Event) => core.publish(event),
      follow: (signal) => core.follow(signal),
      ask: (question, signal) => core.questions.ask(question, signal),
      answerAbout: (about, answer, client) => core.questions.answerAbout(about, answer, client),
      send: async (content) => await this.#send(content),
      spawn: async (request) => {
        const { shared } = this.#afterwards();
        const { spawn } = await import("../../engine/spawn.ts");
        return await spawn(request, shared);
      },
      carries: () => this.#opened().carries(),
      get lists() {
        return self.#opened().lists;
      },
      compacting: async (
        moment: { readonly trigger: string; readonly tokens: number },
        context: RequestContext,
      ) => await this.#opened().onCompact(moment, context),
      summary: async (messages, turnsMax) => await this.#opened().summary(messages, turnsMax),
      unasked: async (call, context) => {
        const { runUnasked } = await import("./chains/run-unasked.ts");
        const hooks = toolMiddlewareAt(this.#opened().around, "hooks");
        return await runUnasked(call, context, { hooks, permissions: base.permissions });
      },
    };
  }

  /** Adds the features, once all are open. */
  open(features: OpenFeatures): void {
    this.#features = features;
  }

  /** Adds the session, once it is composed. */
  complete(composed: { readonly session: Session; readonly shared: SpawnDependencies }): void {
    this.#composed = composed;
  }

  async #send(content: readonly InputBlock[]): Promise<void> {
    const { session } = this.#afterwards();
    const { ids } = this.#base.engine.world;
    const self = { id: ids.next("cli"), identityClass: "agent", label: "cinch" } as const;
    const command: CommandOf<"SendInput"> = {
      kind: "SendInput",
      sessionId: session.id,
      content: [...content],
      delivery: "queue",
    };
    await session.send(command, self);
  }

  #opened(): OpenFeatures {
    assert(this.#features !== undefined, "no feature asks for the others while it is opened");
    return this.#features;
  }

  #afterwards(): { readonly session: Session; readonly shared: SpawnDependencies } {
    assert(this.#composed !== undefined, "nothing runs before its session is composed");
    return this.#composed;
  }
}
