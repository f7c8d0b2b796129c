import { assert } from "../../base/assert.ts";
import type { TurnLimits } from "../../engine/loop/turn-limits.ts";
import type { SpawnParts } from "../../engine/spawn.ts";
import type { Tally } from "../../features/limits/tally.ts";
import type { Permitting } from "../../guard/permissions/permitting.ts";
import type { SessionSandboxes } from "../../session/guard/session-sandbox.ts";
import type { SessionHost } from "../../session/host.ts";
import type { SessionLists } from "../../session/lists.ts";
import type { CarriedState } from "../../session/moments.ts";
import type { RunMaterial } from "../../session/plan/run-material.ts";
import type { Questions } from "../../session/questions/questions.ts";
import type { ToolMiddleware } from "../../tools/middleware.ts";
import type { ToolRegistry } from "../../tools/registry.ts";
import { engineModels } from "../models/engine-models.ts";

/** Parts of a session that its host offers to features. */
export interface HostParts extends Pick<SessionHost, "publish" | "follow" | "send" | "plan" | "planUnder"> {
  readonly material: RunMaterial;
  readonly world: SessionHost["world"];
  readonly permission: Permitting;
  readonly sandbox: SessionSandboxes;
  readonly tally: Tally;
  readonly limits: TurnLimits;
  readonly registry: ToolRegistry;
  readonly questions: () => Questions;
  /** Set once the session is composed. */
  readonly spawnParts: () => SpawnParts | undefined;
  readonly carries: () => CarriedState;
  readonly lists: Required<SessionLists>;
  /** Tool middleware at the place of hooks, once every feature is open. */
  readonly hooks: () => readonly ToolMiddleware[];
}

/** Returns the handles that one session gives to its features. */
export function sessionHost(parts: HostParts): SessionHost {
  const { material, permission, sandbox, tally, limits, registry, questions } = parts;
  const { session, logId, trust, log, workspace, secrets, slot, defaults, place } = material;
  const { paths, environment, config, store, caches, providers } = defaults;
  return {
    world: parts.world,
    paths,
    environment,
    config,
    store,
    caches,
    models: engineModels(providers),
    session,
    logId,
    plan: parts.plan,
    planUnder: parts.planUnder,
    workspace,
    log,
    redactor: secrets,
    trust,
    permissions: permission,
    sandbox,
    model: slot,
    budget: { spend: tally.spend, capUsd: tally.capUsd, turn: limits, together: tally.together },
    shown: place.told,
    ...(place.succession === undefined ? {} : { handover: place.succession }),
    publish: parts.publish,
    follow: parts.follow,
    ask: (question, signal) => questions().ask(question, signal),
    answerAbout: (about, answer, client) => questions().answerAbout(about, answer, client),
    send: parts.send,
    registry,
    spawn: async (request) => {
      const shared = parts.spawnParts();
      assert(shared !== undefined, "no call runs before its session is composed");
      const { spawn } = await import("../../engine/spawn.ts");
      return await spawn(request, shared);
    },
    carries: parts.carries,
    get lists() {
      return parts.lists;
    },
    async unasked(call, context) {
      const { runUnasked } = await import("./run-unasked.ts");
      return await runUnasked(call, context, { hooks: parts.hooks(), permissions: permission });
    },
  };
}
