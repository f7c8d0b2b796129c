import { trackDescendants } from "../../platform/sockets/descendants.ts";
import { hostSockets } from "../../platform/sockets/sockets.ts";
import { openOwnerExchange } from "../../server/auth/owner/owner.ts";
import type { Likeness } from "../../server/prompt/frames.ts";
import type { PromptDoor } from "../../server/prompt/prompt-door.ts";
import { openPromptDoor } from "../../server/prompt/prompt-door.ts";
import { bootStep } from "../engine/boot.ts";
import { engineLock, makeEngineFolder } from "../engine/engine-folders.ts";
import type { OpenEngine } from "../harness.ts";
import type { ControlPlaneOptions, OpenControlPlane, StartEngine } from "./control-plane.ts";
import { openControlPlane } from "./control-plane.ts";
import { freeSocket } from "./free-socket.ts";
import { servicePaths } from "./service-paths.ts";

/**
 * Opens the one engine of this user that others attach to (CTL-11): it owns the control socket, and lets its owner
 * attach without a code (AUTH-11). Of two that start at once one serves, and the other is refused.
 * @throws HarnessError EngineRunning; errors of `openControlPlane`; a failure undoes all of it.
 */
export async function openEngineService<Engine extends OpenEngine>(
  options: ControlPlaneOptions & { readonly prompts?: PromptSharing },
  begin: StartEngine<Engine>,
  signal: AbortSignal,
): Promise<EngineService<Engine>> {
  const { world, paths, prompts } = options;
  const { ownerSocket, ownerToken, control } = servicePaths(paths);
  await bootStep(world.log, "making the engine's folders", async () => {
    for (const folder of [paths.data, paths.state]) await makeEngineFolder(folder, world.files);
  });
  // Until it listens: a later process waits, and is refused then.
  using _lock = await engineLock(`${control}.lock`, world.clock, signal);
  await bootStep(world.log, "looking for an engine that runs already", async () => {
    await freeSocket(control, world, signal);
    await freeSocket(ownerSocket, world, signal);
  });
  await using undo = new AsyncDisposableStack();
  // Before anything is started: an orphan from before it would not count as a descendant.
  const descent = undo.use(trackDescendants(world.clock));
  // The transports listen before the owner can get a token: until then the health says so.
  let isReady = false;
  const plane = undo.use(await openControlPlane({ ...options, isReady: () => isReady }, begin, signal));
  const door = promptDoor(plane.harness, options);
  undo.use(
    await bootStep(world.log, "opening the owner's socket", () =>
      openOwnerExchange({
        world,
        sockets: hostSockets,
        judge: (stream) => descent.judge(stream),
        authority: plane.authority,
        socketPath: ownerSocket,
        tokenPath: ownerToken,
        ...(prompts === undefined ? {} : { salt: prompts.salt, servePrompt: door.serve }),
      }),
    ),
  );
  undo.use(door); // closes its connections before the socket waits for their end
  isReady = true;
  const opened = undo.move();
  const { server } = plane;
  return {
    ...plane,
    server: {
      get open() {
        return server.open + door.open;
      },
      get count() {
        return server.count + door.count;
      },
    },
    stopPrompts: door.stop,
    async [Symbol.asyncDispose]() {
      await using _wires = opened; // they are closed also where a session does not end well
      door.stop();
      await plane.endSessions(); // first: no client that does not read delays the end of a session
    },
  };
}

/** An engine that serves clients, and prompts of its owner. */
export interface EngineService<Engine extends OpenEngine> extends OpenControlPlane<Engine> {
  /** Takes no prompt any more: the next client starts its own engine. Those that run end. */
  stopPrompts(): void;
}

/** Facts by which `cinch -p` finds out if it may use this engine (PERF-07). */
export interface PromptSharing {
  /** Key of the hashes in `likeness`. */
  readonly salt: string;
  readonly likeness: Likeness;
}

/** Opens the door for prompts; without `prompts` no prompt comes. */
function promptDoor(
  engine: OpenEngine,
  { world, prompts }: Pick<ControlPlaneOptions, "world"> & { readonly prompts?: PromptSharing },
): PromptDoor {
  const { clock } = world;
  return openPromptDoor({
    world,
    likeness: prompts?.likeness,
    runsHere: async ({ resume, workingDir }) =>
      resume !== undefined && (await engine.runsHere(resume, workingDir)),
    async openSession({ wishes, leftMs, ...named }) {
      const ends = leftMs === undefined ? {} : { endsAtMs: clock.monotonic() + leftMs };
      return await engine.openPrompt({ ...named, wishes: { ...wishes, attended: false, ...ends } });
    },
    attach: () => engine.attach({ identityClass: "human", label: "cinch -p" }),
  });
}
