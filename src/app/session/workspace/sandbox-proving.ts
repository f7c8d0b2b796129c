import { messageOf } from "../../../base/errors.ts";
import type { HarnessPaths } from "../../../base/files/harness-paths.ts";
import type { World } from "../../../base/world.ts";
import { settingsOf } from "../../../config/settings/settings.ts";
import type { KeptProof } from "../../../guard/sandbox/bubblewrap/kept-proof.ts";
import { sandboxSection } from "../../../guard/sandbox/config.ts";
import type { RequestMiddleware } from "../../../providers/middleware.ts";
import type { WritableFolders } from "../../../session/guard/writable-folders.ts";
import type { SessionPlan } from "../../../session/plan.ts";
import type { ToolRegistry } from "../../../tools/registry.ts";

/** Delay after which a request is on its way: the sandbox is tried while its answer is awaited. */
const PROVE_AFTER_MS = 20;

export interface ProvingParts {
  readonly world: World;
  readonly paths: HarnessPaths;
  /** Returns the current plan. */
  readonly plan: () => SessionPlan;
  /** Folders that agents of the engine may write. */
  readonly writable: WritableFolders;
}

/** The proof of a session's sandbox, and the trial in the background that makes it if no earlier session has. */
export class SandboxProving implements AsyncDisposable {
  readonly #parts: ProvingParts;
  readonly #stop = new AbortController();
  #isTrying = false;
  #trial: Promise<void> | undefined;
  #opening: Promise<KeptProof> | undefined;

  constructor(parts: ProvingParts) {
    this.#parts = parts;
  }

  begin(): void {
    this.#trial ??= this.#try();
  }

  /** Returns the proof for commands, which wait for a trial that runs. */
  async proof(): Promise<KeptProof> {
    const proof = await this.#open();
    return {
      ...proof,
      holds: async (program, form) => {
        if (!this.#isTrying) this.#stop.abort(); // the command's own trial is as quick
        await this.#trial;
        return await proof.holds(program, form);
      },
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#trial;
  }

  #open(): Promise<KeptProof> {
    const { world, paths } = this.#parts;
    this.#opening ??= (async () => {
      const { keptProof } = await import("../../../guard/sandbox/bubblewrap/kept-proof.ts");
      return keptProof(world, paths.state);
    })();
    return this.#opening;
  }

  /** Never rejects: the first command tries the sandbox again, and reports what it meets. */
  async #try(): Promise<void> {
    const { world, plan, writable } = this.#parts;
    const { signal } = this.#stop;
    try {
      await world.clock.sleep(PROVE_AFTER_MS, signal);
      this.#isTrying = true;
      const { root, profile, config, wishes } = plan();
      const { backend } = settingsOf(sandboxSection, { config, profile });
      const isBubblewrap =
        backend === "bubblewrap" || (backend === "auto" && world.machine.platform === "linux");
      if (!isBubblewrap || root === "/") return;
      const { proveSandbox } = await import("../../../guard/sandbox/bubblewrap/prove.ts");
      const sources = {
        world,
        proof: await this.#open(),
        programs: { path: wishes.environment["PATH"] ?? "", writable },
      };
      await proveSandbox(sources, signal);
    } catch (thrown) {
      if (signal.aborted) return;
      world.log
        .for("sandbox")
        .write("debug", "the sandbox could not be tried ahead", { problem: messageOf(thrown) });
    }
  }
}

/** Proves the sandbox while the first answer is awaited, if the session has a tool that runs commands. */
export function proveBesideRequests(
  sandboxes: { prove(): void },
  registry: Pick<ToolRegistry, "find">,
): RequestMiddleware {
  return function proveSandbox(request, context, next) {
    if (request.tools.some(({ name }) => registry.find(name)?.effect === "runs-commands")) sandboxes.prove();
    return next(request, context);
  };
}
