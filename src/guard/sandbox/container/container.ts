import { deadline, whileAlive } from "../../../base/async/deadline.ts";
import { isBelow } from "../../../base/files/below.ts";
import type { SpawnOptions, World } from "../../../base/world.ts";
import type { Confine, Sandbox, SandboxPolicy, SandboxState } from "../../../session/guard/sandbox.ts";
import { protectedPathsOf, readOnlyInForeground } from "../../../session/guard/sandbox.ts";
import type { ProgramSearch } from "../policy/trusted-program.ts";
import type { SystemProgram } from "../system-program.ts";
import { systemProgram } from "../system-program.ts";

const ENGINES: readonly (readonly [string, ...string[]])[] = [
  ["/usr/bin/podman", "/usr/local/bin/podman", "/opt/homebrew/bin/podman"],
  ["/usr/bin/docker", "/usr/local/bin/docker"],
];
const PROBE_MS_MAX = 60_000;
const PROCESSES_MAX = 4_096;

export interface ContainerOptions {
  readonly world: Pick<World, "files" | "spawn" | "clock">;
  /** An image that exists on this machine and contains bash: none is fetched. */
  readonly image: string;
  /** The folders in which the engine is looked for besides the usual ones. */
  readonly programs?: ProgramSearch | undefined;
}

/**
 * Confines commands in a container of podman or docker (SBX-02): programs come from an image, not from the host.
 *
 * The workspace and a `/tmp` are the only files of the host in it. There is no network, whatever the list of hosts
 * says. A command is ended through its client, by SIGTERM; if cinch itself is killed with SIGKILL, a container may
 * outlive it.
 */
export function container({ world, image, programs }: ContainerOptions): Sandbox {
  return {
    name: "container",
    async prepare(policy) {
      const found = await engineOf(world.files, programs);
      if (found.kind === "missing")
        return unavailable(`neither podman nor docker is installed: ${found.problem}`, "install podman");
      const engine = found.path;
      const kinds = await Promise.all(policy.readOnly.map(({ path }) => world.files.lstat(path)));
      const missing = policy.readOnly.filter((_, at) => kinds[at] === undefined).map(({ path }) => path);
      const odd = [...missing, ...policy.hidden].find((path) => isIn(policy, path) && /[:,]/.test(path));
      if (odd !== undefined) {
        return unavailable(
          `${odd} is to be hidden, and ${engine} takes no such place with a colon or comma in its name`,
          "rename it",
        );
      }
      const confine: Confine = {
        wrap: (options, how) =>
          inContainer({ engine, image, policy, missing, ...(how === undefined ? {} : { how }) }, options),
        ...protectedPathsOf(policy),
        failure: (stderr) =>
          COMPLAINT.test(stderr) ? stderr.replace(COMPLAINT, "").split("\n")[0] : undefined,
      };
      const problem = await tried(world, confine, policy.root);
      if (problem === undefined) return { kind: "working", confine, made: missing };
      const isDown = /connect to|daemon|service|socket/i.test(problem) && !/image/i.test(problem);
      return unavailable(
        `${engine} cannot run the image ${image}: ${problem}`,
        isDown ? `start ${engine}'s service, or be let use it` : `${engine} pull ${image}`,
      );
    },
  };
}

interface Prepared {
  readonly engine: string;
  readonly image: string;
  readonly policy: SandboxPolicy;
  /** Missing protected paths: an empty folder keeps them from being created. */
  readonly missing: readonly string[];
  readonly how?: "background";
}

function isIn({ root, writable }: SandboxPolicy, path: string): boolean {
  return [root, ...writable].some((each) => isBelow(each, path));
}

function inContainer(
  { engine, image, policy, how, ...prepared }: Prepared,
  options: SpawnOptions,
): SpawnOptions {
  const { root, writable, hidden, temporary } = policy;
  const readOnly = how === "background" ? policy.readOnly : readOnlyInForeground(policy);
  const missing = prepared.missing.filter((place) => readOnly.some(({ path }) => path === place));
  const below = (path: string) => isIn(policy, path);
  const isProtected = (path: string) => readOnly.some((place) => place.path === path);
  const volume = (from: string, to: string, how = "rw") => [
    "--mount",
    // Parsed as a line of comma-separated values: a comma in the name of a folder would start another setting.
    ["type=bind", quoted(`src=${from}`), quoted(`dst=${to}`), ...(how === "ro" ? ["readonly"] : [])].join(
      ",",
    ),
  ];
  return {
    ...options,
    argv: [
      engine,
      ...["run", "--rm", "--init", "--pull", "never", "--network", "none", "--read-only"],
      ...["--cap-drop", "ALL", "--security-opt", "no-new-privileges", "--pids-limit", String(PROCESSES_MAX)],
      ...["--ipc", "private", "--hostname", "sandbox"],
      ...volume(temporary, "/tmp"),
      ...[root, ...writable].flatMap((path) => volume(path, path, isProtected(path) ? "ro" : "rw")),
      ...readOnly.flatMap(({ path }) =>
        below(path) && !missing.includes(path) ? volume(path, path, "ro") : [],
      ),
      ...[...missing, ...hidden].filter(below).flatMap((path) => ["--tmpfs", `${path}:ro,size=4k`]),
      ...(options.writes ?? []).flatMap((path) => volume(path, path)),
      ...Object.keys(options.env).flatMap((name) => (NOT_OF_THE_IMAGE.test(name) ? [] : ["--env", name])),
      ...["--env", "TMPDIR=/tmp", "--workdir", options.cwd, image, ...options.argv],
    ],
    cwd: "/",
    // The client finds its own programs by the user's PATH; the command gets the image's PATH.
    env: options.env,
  };
}

function quoted(value: string): string {
  return /[",]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value;
}

/** Variables that describe the host's programs and home, and mean nothing in an image. */
const NOT_OF_THE_IMAGE = /^(?:PATH|HOME|SHELL|USER|LOGNAME|TMPDIR|TMP|TEMP|LD_.*|XDG_.*)$/;

const COMPLAINT = /^(?:Error|docker): /;

async function tried(
  world: ContainerOptions["world"],
  confine: Confine,
  root: string,
): Promise<string | undefined> {
  const argv = ["/bin/bash", "-c", "{ : >/cinch-probe; } 2>/dev/null || echo held"] as const;
  await using child = world.spawn(confine.wrap({ argv, cwd: root, env: { PATH: "/usr/bin:/bin" } }));
  using limit = deadline(world.clock, PROBE_MS_MAX, new AbortController().signal);
  const [said, complained] = await whileAlive(
    Promise.all([textOf(child.stdout), textOf(child.stderr)]),
    limit.signal,
  );
  if (said.trim() === "held") return undefined;
  const lines = complained.split("\n").flatMap((line) => line.trim() || []);
  // The usage hint may follow the error.
  const problem = lines.find((line) => COMPLAINT.test(line)) ?? lines.at(-1);
  return (
    problem?.replace(COMPLAINT, "").replace(/[.?]+(?: Is .*)?$/, "") ??
    "a command inside could write the image"
  );
}

async function textOf(chunks: AsyncIterable<Uint8Array>): Promise<string> {
  let text = "";
  for await (const chunk of chunks) text += new TextDecoder().decode(chunk);
  return text;
}

async function engineOf(files: World["files"], search: ProgramSearch | undefined): Promise<SystemProgram> {
  const problems: string[] = [];
  for (const usual of ENGINES) {
    const found = await systemProgram(files, { usual, search });
    if (found.kind === "found") return found;
    problems.push(found.problem);
  }
  return { kind: "missing", problem: problems.join("; ") };
}

function unavailable(why: string, remedy: string): SandboxState {
  return { kind: "unavailable", why, remedy };
}
