import { dirname, join } from "node:path";
import { messageOf } from "../../../base/errors.ts";
import { realPathIfThere } from "../../../base/files/real-path.ts";
import { decode } from "../../../base/text/text.ts";
import type { FileInfo, World } from "../../../base/world.ts";
import { codeOf, PathMoved } from "../../../base/world.ts";

/**
 * Proof of an earlier trial, of any session since the machine started, that bubblewrap confines commands here.
 *
 * It saves a trial, and nothing else: every command is confined by the same arguments with and without it. Where it is
 * wrong, bubblewrap fails, the command does not run, and the proof is dropped.
 */
export interface KeptProof {
  /** Returns true if this program was proven, as it is now. `form`: digest of how it is used. */
  holds(program: string, form: string): Promise<boolean>;
  /** Keeps a proof until the machine restarts. If it cannot be written, that is logged. */
  keep(program: string, form: string): Promise<void>;
  drop(): Promise<void>;
}

const NAME = "sandbox-proof";
const MODE = 0o600;
const BOOT = "/proc/sys/kernel/random/boot_id";
const KERNEL = "/proc/sys/kernel/osrelease";
/** Two containers share a boot and a kernel, and one may allow what the other does not. */
const USER_NAMESPACE = "/proc/self/ns/user";
const FACT_BYTES_MAX = 256;
const PROOF_BYTES_MAX = 128;

type MachineAccess = Pick<World, "files" | "log">;

/** @param state cinch's folder for its state, which no confined command sees. */
export function keptProof({ files, log }: MachineAccess, state: string): KeptProof {
  const path = join(state, NAME);
  const printOf = async (program: string, form: string) => {
    const [boot, kernel, namespace, real] = await Promise.all([
      files.read(BOOT, FACT_BYTES_MAX),
      files.read(KERNEL, FACT_BYTES_MAX),
      files.readlink(USER_NAMESPACE),
      files.realpath(program),
    ]);
    const info = await files.lstat(real);
    const facts = [decode(boot), decode(kernel), namespace, program, real, programFacts(info), form];
    return new Bun.CryptoHasher("sha256").update(JSON.stringify(facts)).digest("hex");
  };
  return {
    async holds(program, form) {
      try {
        const text = await privateText(files, path);
        return text !== undefined && text === (await printOf(program, form));
      } catch (thrown) {
        if (codeOf(thrown) === undefined && !(thrown instanceof PathMoved)) throw thrown;
        return false; // unreadable, or replaced meanwhile: the sandbox is tried
      }
    },
    async keep(program, form) {
      try {
        const print = await printOf(program, form);
        await files.makeDirectory(state, 0o700);
        await files.remove(path);
        // Not synced, and replaced in two steps: what is not whole proves nothing.
        await files.createNew(path, print, MODE);
      } catch (thrown) {
        log.for("sandbox").write("warn", "the next session tries the sandbox again", {
          path,
          problem: messageOf(thrown),
        });
      }
    },
    drop: () => files.remove(path),
  };
}

function programFacts(info: FileInfo | undefined): readonly unknown[] {
  if (info === undefined) return [];
  const { kind, identity, size, modifiedMs, changedMs, mode, owner } = info;
  return [kind, identity, size, modifiedMs, changedMs, mode, owner];
}

/** Returns undefined for a file that others can write, or that another user than the owner of its folder made. */
async function privateText(files: World["files"], path: string): Promise<string | undefined> {
  const real = await realPathIfThere(files, dirname(path));
  if (real === undefined) return undefined;
  const place = join(real, NAME);
  if ((await files.lstat(place))?.kind !== "file") return undefined;
  const folder = await files.lstat(real);
  await using file = await files.openResolved(place);
  const { owner, mode, links, size } = file.info;
  const isPrivate = (mode & 0o777) === MODE && links === 1 && owner !== undefined;
  return isPrivate && owner === folder?.owner && size <= PROOF_BYTES_MAX
    ? decode(await file.read(0, PROOF_BYTES_MAX))
    : undefined;
}
