import { join } from "node:path";
import { deadline, whileAlive } from "../../../base/async/deadline.ts";
import { messageOf } from "../../../base/errors.ts";
import { decode } from "../../../base/text/text.ts";
import type { Child, World } from "../../../base/world.ts";
import { parseHostEntry } from "../../../session/guard/hosts.ts";
import type { NetworkPolicy } from "../../../session/guard/sandbox.ts";
import { findBubblewrap, notInstalledText } from "../bubblewrap/bubblewrap.ts";
import type { SandboxRelay } from "../policy/sandbox-sources.ts";
import type { ProgramSearch } from "../policy/trusted-program.ts";
import { systemProgram } from "../system-program.ts";
import { openProxy } from "./proxy.ts";
import { Refusals } from "./sandbox-refusals.ts";

/** Port in a network that contains nothing else. */
const PORT = 3128;
const READY_MS_MAX = 10_000;
const NSENTER: readonly [string, ...string[]] = [
  "/usr/bin/nsenter",
  "/bin/nsenter",
  "/run/current-system/sw/bin/nsenter",
];

export interface NetworkSources {
  readonly world: World;
  readonly relay: SandboxRelay;
  readonly hosts: readonly string[];
  readonly workshop: string;
  readonly programs?: ProgramSearch | undefined;
}

export type OpenNetwork =
  | ({
      readonly kind: "open";
      readonly policy: NetworkPolicy;
      /** Returns true if the relay has ended: its process id may be another process's by now. */
      ended(): boolean;
      readonly refusals: Refusals;
    } & AsyncDisposable)
  | { readonly kind: "closed"; readonly why: string; readonly remedy: string };

/**
 * Opens the network of a session's commands: a namespace with a relay in it, and the proxy behind the relay.
 *
 * The relay keeps the namespace open, and no command sees its process: commands enter its network and nothing else of
 * it. If it ends, no command can enter any more, and each fails with that.
 */
export async function openNetwork(sources: NetworkSources): Promise<OpenNetwork> {
  const { world, relay, hosts, workshop } = sources;
  const [bwrap, nsenter] = await Promise.all([
    findBubblewrap(world, sources.programs),
    systemProgram(world.files, { usual: NSENTER, search: sources.programs }),
  ]);
  if (bwrap.kind === "missing" || nsenter.kind === "missing") {
    const problems = [
      ...(bwrap.kind === "missing" ? [notInstalledText(bwrap.problem)] : []),
      ...(nsenter.kind === "missing" ? [`nsenter is not installed: ${nsenter.problem}`] : []),
    ];
    return closed(problems.join(", and "), "install bubblewrap and util-linux");
  }
  await using undo = new AsyncDisposableStack();
  const path = join(workshop, world.ids.next("call"));
  try {
    const refusals = new Refusals();
    undo.use(
      await openProxy({
        world,
        sockets: await relay.sockets(),
        path,
        hosts,
        onRefused: (refusal) => refusals.add(refusal),
      }),
    );
    const argv = [bwrap.path, ...RELAY_OPTIONS, "--", ...relay.command, String(PORT), path] as const;
    const child = undo.use(world.spawn({ argv, cwd: "/", env: {} }));
    let ended = false;
    void child.exited.then(() => {
      ended = true;
    });
    const pid = await readyPid(world, child);
    if (pid === undefined) return closed("the relay did not start");
    const all = undo.move();
    const enter = [nsenter.path, "-t", pid, "-U", "--preserve-credentials", "-n", "--"];
    return {
      kind: "open",
      policy: { kind: "proxy", enter, proxy: `http://127.0.0.1:${PORT}`, direct: directNames(hosts) },
      ended: () => ended,
      refusals,
      [Symbol.asyncDispose]: () => all[Symbol.asyncDispose](),
    };
  } catch (thrown) {
    return closed(messageOf(thrown));
  }
}

/**
 * Returns names for the sandbox's own network, where a server and its client in one command meet; without listed ones.
 */
function directNames(hosts: readonly string[]): readonly string[] {
  const listed = hosts
    .map((text) => parseHostEntry(text))
    .map((entry) => ("host" in entry ? entry.host : ""));
  return ["localhost", "127.0.0.1", "::1"].filter(
    (name) => !listed.includes(name) && !listed.includes(`[${name}]`),
  );
}

function closed(
  why: string,
  remedy = "start a new session; the operational log may have details",
): OpenNetwork {
  return { kind: "closed", why, remedy };
}

const RELAY_OPTIONS = [
  ...["--unshare-user", "--unshare-net", "--cap-drop", "ALL"],
  ...["--die-with-parent", "--new-session", "--dev-bind", "/", "/"],
];

/** Returns the id of the process in the namespace, which it prints once it listens. */
async function readyPid(world: World, relay: Child): Promise<string | undefined> {
  using limit = deadline(world.clock, READY_MS_MAX, new AbortController().signal);
  const reading = (async () => {
    let output = "";
    for await (const chunk of relay.stdout) {
      output += decode(chunk);
      const pid = /^ready (\d+)\n/.exec(output)?.[1];
      if (pid !== undefined) return pid;
    }
    return undefined;
  })();
  return await whileAlive(reading, limit.signal);
}
