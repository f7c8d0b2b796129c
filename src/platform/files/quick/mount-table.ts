import { LOCAL_KINDS } from "../file-info.ts";

/** A line of the table is: ids, device, root and point of the mount, options, " - ", and the kind. */
const POINT = 4;
const BEFORE_KIND = " - ";

const LOCAL_NAMES: ReadonlySet<string> = new Set([...LOCAL_KINDS.values(), "ext2", "ext3", "ext4"]);

/**
 * Returns the mount points of a table (`/proc/self/mountinfo`) that no disk of this machine holds: of the network, of
 * another program (FUSE), and those that mount something when they are first used.
 */
export function foreignMounts(table: string): readonly string[] {
  return table.split("\n").flatMap((line) => {
    const point = line.split(" ")[POINT];
    const kind = line.slice(line.indexOf(BEFORE_KIND) + BEFORE_KIND.length).split(" ")[0];
    return point === undefined || (kind !== undefined && LOCAL_NAMES.has(kind)) ? [] : [unescaped(point)];
  });
}

/** Reads a path as the kernel writes it into the table: space, tab, newline and backslash in octal. */
function unescaped(point: string): string {
  return point.replaceAll(/\\([0-7]{3})/g, (_, digits: string) =>
    String.fromCharCode(Number.parseInt(digits, 8)),
  );
}
