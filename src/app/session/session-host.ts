import type { Event } from "../../protocol/events/events.ts";
import type { PluginRules } from "../../session/guard/policy.ts";
import type { EngineHost, SessionHost } from "../../session/host.ts";
import type { SessionCore } from "./chains/session-core.ts";

/** Parts of a session that are there before its features. */
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
  | "permissions"
  | "ripgrep"
> & {
  readonly engine: EngineHost;
  readonly core: SessionCore;
  readonly handover?: NonNullable<SessionHost["handover"]>;
  extendRules(rules: PluginRules): void;
};

/** Returns the handles that one session gives to its features. */
export function sessionHost({ engine, core, ...rest }: HostBase): SessionHost {
  return {
    ...engine,
    ...rest,
    publish: (event: Event) => core.publish(event),
    follow: (signal) => core.follow(signal),
    ask: (question, signal) => core.questions.ask(question, signal),
    answerAbout: (about, answer, client) => core.questions.answerAbout(about, answer, client),
    send: async (content) => await core.send(content),
  };
}
