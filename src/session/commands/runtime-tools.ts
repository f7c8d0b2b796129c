import type { SessionId } from "../../base/ids.ts";
import type { ToolInfo } from "../../protocol/resources.ts";
import type { Tool } from "../../tools/tool.ts";
import type { TrustItem } from "../guard/trust.ts";
import type { EngineOptions } from "../options.ts";
import type { SessionPlan } from "../plan.ts";
import type { PermissionSettings } from "../settings/permission-settings.ts";

/** Tools of a running session, as its engine lists them. */
export interface LiveTools {
  readonly session: SessionId;
  readonly tools: readonly ToolInfo[];
}

/** Session whose permissions are explained. Nothing of it runs. */
export interface RuntimeToolsContext extends Pick<EngineOptions, "world" | "paths"> {
  readonly plan: SessionPlan;
  /** Acknowledged files. */
  readonly items: readonly TrustItem[];
  /** Finds the tools of a running session of the same kind; undefined if there is none. */
  findLive(): Promise<LiveTools | undefined>;
}

/** Tools that a session learns only when it runs, as far as they are known before. */
export interface RuntimeTools {
  readonly tools: readonly Tool[];
  /** Finds a tool by either spelling of its name. One that may exist takes any input. */
  find(name: string): Tool | undefined;
  /** Returns the origin of the facts about a tool, or the reason why they are unknown: a phrase for the person. */
  originOf(name: string): string | undefined;
  /** Returns why a tool that would be the feature's cannot be found, for the person; undefined for any other name. */
  missing(name: string): string | undefined;
  /** Returns a sentence for each rule that matches no tool. */
  idleRules(said: readonly PermissionSettings[]): readonly string[];
}
