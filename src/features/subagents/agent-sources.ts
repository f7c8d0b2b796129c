import type { ModelSlot } from "../../app/models/model-slot.ts";
import type { Profile } from "../../config/profile.ts";
import type { ProjectTrust } from "../../guard/trust/project-trust.ts";
import type { SessionSandboxes } from "../../session/guard/session-sandbox.ts";
import type { RunMaterial } from "../../session/plan/run-material.ts";
import type { RunDefaults } from "../../session/plan/run-parts.ts";
import type { Workspace } from "../../tools/tool.ts";

/** What the sub-agents of a session are made with. */
export interface AgentSources {
  readonly profile: Pick<Profile, "sections" | "path" | "toolPacks">;
  readonly trust: Pick<ProjectTrust, "mayExtend" | "loaded">;
  readonly workspace: Workspace;
  readonly slot: Pick<ModelSlot, "openBeside">;
  readonly place: Pick<RunMaterial["place"], "told">;
  readonly sandbox: Pick<SessionSandboxes, "leave">;
  readonly defaults: Pick<RunDefaults, "config" | "providers" | "world" | "paths" | "environment" | "tools">;
}
