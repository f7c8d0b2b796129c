import { join } from "node:path";
import { deadline, whileAlive } from "../../../base/async/deadline.ts";
import type { World } from "../../../base/world.ts";
import type { Confine, Sandbox, SandboxPolicy } from "../../../session/guard/sandbox.ts";
import { protectedPathsOf, readOnlyInForeground } from "../../../session/guard/sandbox.ts";
import { seatbeltProfile } from "./profile.ts";

const PROGRAM = "/usr/bin/sandbox-exec";
const PROBE_MS_MAX = 10_000;

/**
 * Confines commands with macOS's sandbox-exec (SBX-01).
 *
 * There are no namespaces: processes of the host are visible, though they cannot be signalled. A list of hosts cannot
 * be enforced, so there is no network. Processes that a command leaves running are ended with its process group.
 */
export function seatbelt({
  world,
}: {
  readonly world: Pick<World, "files" | "spawn" | "clock" | "machine">;
}): Sandbox {
  return {
    name: "seatbelt",
    async prepare(policy) {
      if (world.machine.platform !== "darwin" || (await world.files.stat(PROGRAM)) === undefined) {
        return {
          kind: "unavailable",
          why: `${PROGRAM} is not there`,
          remedy: 'set backend = "auto" under [sandbox]',
        };
      }
      const profile = seatbeltProfile({ ...policy, readOnly: readOnlyInForeground(policy) });
      const background = seatbeltProfile(policy);
      const confine: Confine = {
        wrap: (options, how) => ({
          ...options,
          argv: [
            PROGRAM,
            "-p",
            withWrites(how === "background" ? background : profile, options.writes ?? []),
            ...options.argv,
          ],
          env: { ...options.env, TMPDIR: policy.temporary },
        }),
        ...protectedPathsOf(policy),
        failure: (stderr) => /^sandbox-exec: (.+)/.exec(stderr)?.[1],
      };
      const problem = await tried(world, confine, policy);
      if (problem === undefined) return { kind: "working", confine, made: [] };
      return {
        kind: "unavailable",
        why: `sandbox-exec does not work here: ${problem}`,
        remedy: "update macOS",
      };
    },
  };
}

/** Appends the files that this one command writes for cinch, after every other rule. */
function withWrites(profile: string, writes: readonly string[]): string {
  return writes.reduce(
    (text, path) => `${text}(allow file-read* file-write* (literal ${JSON.stringify(path)}))\n`,
    profile,
  );
}

/**
 * Returns undefined if a write outside was refused and one in the temporary folder was not; otherwise the problem.
 */
async function tried(
  world: Pick<World, "files" | "spawn" | "clock">,
  confine: Confine,
  { root, temporary, workshop }: SandboxPolicy,
): Promise<string | undefined> {
  const [outside, inside] = [join(workshop, "probe"), join(temporary, ".cinch-probe")];
  const script = ': >"$1"; : >"$2"';
  const argv = ["/bin/bash", "--norc", "--noprofile", "-c", script, "probe", outside, inside] as const;
  await using child = world.spawn(confine.wrap({ argv, cwd: root, env: { PATH: "/usr/bin:/bin" } }));
  using limit = deadline(world.clock, PROBE_MS_MAX, new AbortController().signal);
  await whileAlive(child.exited, limit.signal);
  if ((await world.files.lstat(outside)) !== undefined) return "a command inside could write outside";
  if ((await world.files.lstat(inside)) === undefined) return "a command inside could write nothing at all";
  return undefined;
}
