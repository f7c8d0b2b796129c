import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Control as Flag } from "../../../src/guard/sandbox/bubblewrap/arguments.ts";
import { bubblewrap } from "../../../src/guard/sandbox/bubblewrap/bubblewrap.ts";
import type { Sandbox, SandboxPolicy } from "../../../src/session/guard/sandbox.ts";
import { seenInside } from "../../support/sandbox-place.ts";
import type { SandboxRig } from "../../support/sandbox-rig.ts";
import { openSandboxRig } from "../../support/sandbox-rig.ts";
import { ROOT } from "../../support/source.ts";
import { testWorld } from "../../support/world.ts";
import type { AttackTargets, Attempt } from "./attempt.ts";

/** A removed control of the sandbox, without which attempts must work. */
export interface Mutation {
  readonly without?: readonly Flag[];
  readonly policy?: (policy: SandboxPolicy) => SandboxPolicy;
}

/**
 * A workspace, a home with credentials, a repository, processes and sockets of the host, and a sandbox to attack
 * them from.
 */
export interface Range extends AsyncDisposable {
  readonly rig: SandboxRig;
  readonly places: AttackTargets;
  /**
   * Runs attempts in one sandboxed shell; answers those that worked, by name, with the listeners of the host that
   * were reached.
   */
  attack(
    attempts: readonly Attempt[],
  ): Promise<{ readonly escaped: readonly string[]; readonly made: number }>;
}

const SECRET = "canary-51f0c7e2-secret";
const ATTEMPTED_CALLS = join(ROOT, "test/attacks/sandbox/calls.ts");

export async function openRange(mutation?: Mutation): Promise<Range> {
  const rig = openSandboxRig({
    ...(mutation === undefined ? {} : { backend: mutated(mutation) }),
    settings: { hidden: ["~/kept"] },
    env: {
      FLAGS: "--no-install --no-env-file --config=/dev/null",
    },
  });
  const { root, outside, home } = rig;
  // In one file, so that it runs where the clone is not seen.
  const { outputs } = await Bun.build({
    entrypoints: [ATTEMPTED_CALLS],
    target: "bun",
    outdir: dirname(root),
  });
  const BUN = seenInside(process.execPath, dirname(root));
  Object.assign(rig.workspace.env, { BUN, CALLS: outputs[0]?.path });
  for (const folder of [
    ".git/objects",
    ".git/refs",
    ".git/hooks",
    ".githooks",
    "nested/.git/hooks",
    "packages/deep/.git/hooks",
    ".results",
  ]) {
    mkdirSync(join(root, folder), { recursive: true });
  }
  for (const git of [".git", "nested/.git", "packages/deep/.git"].map((path) => join(root, path))) {
    writeFileSync(join(git, "HEAD"), "ref: refs/heads/main\n");
    writeFileSync(join(git, "config"), "[core]\n\trepositoryformatversion = 0\n\thooksPath = .githooks\n");
  }
  const reached: string[] = [];
  const met = (what: string, at: { end(): unknown }) => {
    reached.push(what);
    at.end();
  };
  const sockets = [
    join(outside, "host.sock"),
    join(home, "host.sock"),
    join(home, ".local/state/cinch/control.sock"),
  ];
  const abstractName = `cinch-canary-${process.pid}-${Bun.randomUUIDv7()}`;
  const listen = (unix: string) => Bun.listen({ unix, socket: { open: (at) => met(unix, at), data() {} } });
  const listeners = [...sockets, `\0${abstractName}`].map(listen);
  const tcp = Bun.listen({
    hostname: "127.0.0.1",
    port: 0,
    socket: { open: (at) => met("tcp", at), data() {} },
  });
  const udp = await Bun.udpSocket({
    hostname: "127.0.0.1",
    socket: { data: () => void reached.push("udp") },
  });
  const victim = Bun.spawn(["/bin/bash", "-c", `exec -a ${SECRET} sleep 300`], {
    env: { PATH: "/usr/bin:/bin", TOKEN: SECRET },
    stdio: ["ignore", "ignore", "ignore"],
    detached: true,
  });
  const places: AttackTargets = {
    root,
    outside,
    home,
    victim: victim.pid,
    secret: SECRET,
    tcpPort: tcp.port,
    udpPort: udp.port,
    abstractName,
  };
  return {
    rig,
    places,
    async attack(attempts) {
      const results = join(root, ".results");
      const script = attempts.map(
        ({ script: each }, at) => `( ${each}\n) >'${join(results, String(at))}' 2>&1 </dev/null`,
      );
      writeFileSync(join(root, "attempts.sh"), `trap '' TERM\n${script.join("\n")}\necho finished\n`);
      chmodSync(join(root, "attempts.sh"), 0o755);
      const said = await rig.bash("trap '' TERM; bash ./attempts.sh");
      if (!/^finished$/m.test(said)) throw new Error(`the attempts did not end: ${said.slice(-2_000)}`);
      const escaped: string[] = [];
      let made = 0;
      for (const [at, attempt] of attempts.entries()) {
        const path = join(results, String(at));
        const output = existsSync(path) ? readFileSync(path, "utf8") : "";
        const told = [...output.matchAll(/^(ESCAPED|refused) (\S+)/gm)];
        made += Math.max(1, told.filter(([, , name]) => name !== attempt.name).length);
        for (const [, what, name = ""] of told) if (what === "ESCAPED") escaped.push(name);
        if (attempt.harmed?.() === true || output.includes(SECRET)) escaped.push(attempt.name);
      }
      return { escaped: [...new Set([...escaped, ...reached.map((what) => `reached ${what}`)])], made };
    },
    async [Symbol.asyncDispose]() {
      victim.kill("SIGKILL");
      for (const listener of [...listeners, tcp]) listener.stop(true);
      udp.close();
      await rig[Symbol.asyncDispose]();
      for (const folder of ["/tmp", "/var/tmp", "/dev/shm", "/etc", "/"]) {
        for (const name of readdirSync(folder)) {
          if (name.startsWith("cinch-canary-x")) rmSync(join(folder, name), { force: true });
        }
      }
    },
  };
}

function mutated({ without, policy = (same) => same }: Mutation): Sandbox {
  const real = bubblewrap({ world: testWorld(), without: without ?? [] });
  return { name: real.name, prepare: (wanted) => real.prepare(policy(wanted)) };
}
