import { isBelow, isWithin } from "../../../base/files/below.ts";
import { decode } from "../../../base/text/text.ts";
import type { Files } from "../../../base/world.ts";
import type { SandboxPolicy } from "../../../session/guard/sandbox.ts";
import type { Mount } from "./mounts.ts";

const TABLE = "/proc/self/mountinfo";
const TABLE_BYTES_MAX = 4 * 1_048_576;
/** Fields of a line of the table: device, root of the mount in its file system, and mount point. */
const [DEVICE, ROOT, POINT] = [2, 3, 4];
/** Device and root of a path where nothing of the host is mounted. */
const ANY = "* *";

/**
 * Returns what the mount table must say about paths below a folder that commands write, one line each: device, root
 * and point.
 *
 * bwrap takes paths, and follows links in them. A command that was started before such a path was closed can put a
 * link there while the next command is prepared. Then bwrap would mount another folder of the host, writable (S22,
 * S29). The true target of each mount is visible only from inside. Undefined if no command could have done that:
 * every one has found these paths `closedBefore`.
 */
export async function expectedMounts(
  mounts: readonly Mount[],
  { root, writable }: Pick<SandboxPolicy, "root" | "writable">,
  files: Pick<Files, "read">,
  closedBefore: ReadonlySet<string>,
): Promise<string | undefined> {
  const below = mounts.filter(({ path }) => [root, ...writable].some((folder) => isBelow(folder, path)));
  const isOpen = below.some(({ kind, path }) => kind === "bind" && !closedBefore.has(path));
  if (!isOpen) return undefined;
  const table = tableOf(decode(await files.read(TABLE, TABLE_BYTES_MAX)));
  return below.map((mount) => lineFor(mount, table)).join("\n");
}

/** Returns the folders below a writable one that cannot be replaced in this sandbox. */
export function closedFolders(mounts: readonly Mount[]): ReadonlySet<string> {
  return new Set(mounts.flatMap(({ kind, path }) => (kind === "bind" ? [path] : [])));
}

interface Line {
  readonly device: string;
  readonly root: string;
  readonly point: string;
}

function tableOf(text: string): readonly Line[] {
  return text.split("\n").flatMap((line) => {
    const fields = line.split(" ");
    const [device, root, point] = [fields[DEVICE], fields[ROOT], fields[POINT]];
    return device === undefined || root === undefined || point === undefined ? [] : [{ device, root, point }];
  });
}

function lineFor({ kind, path }: Mount, table: readonly Line[]): string {
  const point = escaped(path);
  if (kind === "empty-directory" || kind === "empty-file") return `${ANY} ${point}`;
  // The last of those that contain it, and of these the deepest: later mounts cover earlier ones.
  const holding = table.filter((line) => isWithin(line.point, point));
  const deepest = Math.max(0, ...holding.map((line) => line.point.length));
  const on = holding.findLast((line) => line.point.length === deepest);
  if (on === undefined) return `? ? ${point}`; // on no mount: no line of the table matches
  const inside = point.slice(on.point === "/" ? 0 : on.point.length);
  return `${on.device} ${`${on.root === "/" ? "" : on.root}${inside}` || "/"} ${point}`;
}

/** Escapes a path as the kernel writes it into the table. */
function escaped(path: string): string {
  return path.replaceAll(
    /[ \t\n\\]/g,
    (character) => `\\${character.charCodeAt(0).toString(8).padStart(3, "0")}`,
  );
}

// `read` and `case` are built into the shell: no program is started. Quoted text in a pattern stands for itself.
const SCRIPT = `n='
'
want="$n$1$n" seen="$n"
end() { echo 'bwrap: a folder of the workspace was replaced while the command was prepared' >&2; exit 1; }
while read -r _ _ device root point _; do
case "$want" in *" $point$n"*) ;; *) continue ;; esac
case "$want" in *"$n$device $root $point$n"*|*"$n${ANY} $point$n"*) seen="$seen$point$n" ;; *) end ;; esac
done <${TABLE}
set -f; IFS=$n
for line in $1; do case "$seen" in *"$n\${line##* }$n"*) ;; *) end ;; esac; done
unset IFS; set +f
shift
exec "$@"`;

/** Returns a command line that starts the command only if every mount is at its expected target. */
export function checkMountsFirst(
  argv: readonly [string, ...string[]],
  placement: string,
): readonly [string, ...string[]] {
  return ["/bin/sh", "-c", SCRIPT, "sh", placement, ...argv];
}
