import { decode } from "../../base/text.ts";
import type { Files, SpawnOptions } from "../../base/world.ts";

const EVIDENCE_BYTES_MAX = 65_536;

/**
 * Counters of a network namespace, by the shell's own words: no other program is started. Standard output, standard error
 * and the exit code of the command stay its own: what the shell says of a command that a signal has ended goes nowhere.
 */
const SCRIPT = `look() {
for table in /proc/net/snmp /proc/net/snmp6; do
[ -r "$table" ] && while read -r line; do
case "$line" in Ip:*|Udp:*|Ip6OutNoRoutes*|Udp6NoPorts*) echo "$line" ;; esac
done <"$table"
done
echo
}
file=$1; shift
trap : TERM INT
exec 9>&2 2>/dev/null
look >"$file"
( exec "$@" 2>&9 9>&- )
status=$?
look >>"$file"
exit "$status"`;

/** Has a command count, in its own network namespace, what could be sent nowhere. `file` exists and is read by `unrouted`. */
export function counting(options: SpawnOptions, file: string): SpawnOptions {
  const { argv, writes = [] } = options;
  return { ...options, argv: ["/bin/sh", "-c", SCRIPT, "sh", file, ...argv], writes: [...writes, file] };
}

/**
 * Tells whether something was to be sent for which the namespace has no route, or asked of a name server on the loopback
 * address, where none listens in a namespace of its own. False where the command left no count.
 */
export async function unrouted(files: Pick<Files, "read">, file: string): Promise<boolean> {
  const [before, after] = decode(await files.read(file, EVIDENCE_BYTES_MAX))
    .split("\n\n")
    .map(countersOf);
  if (before === undefined || after === undefined) return false;
  const grew = (name: string) => (after.get(name) ?? 0) > (before.get(name) ?? 0);
  if (grew("Ip:OutNoRoutes") || grew("Ip6OutNoRoutes")) return true;
  return (grew("Udp:NoPorts") || grew("Udp6NoPorts")) && (await asksLoopback(files));
}

/** Each table of /proc/net/snmp is a line of names and a line of numbers; /proc/net/snmp6 has one of both in a line. */
function countersOf(text: string): ReadonlyMap<string, number> {
  const counters = new Map<string, number>();
  const names = new Map<string, readonly string[]>();
  for (const line of text.split("\n")) {
    const [table = "", ...fields] = line.split(/\s+/);
    const known = names.get(table);
    if (!table.endsWith(":")) counters.set(table, Number(fields[0]));
    else if (known === undefined) names.set(table, fields);
    else for (const [at, name] of known.entries()) counters.set(`${table}${name}`, Number(fields[at]));
  }
  return counters;
}

async function asksLoopback(files: Pick<Files, "read">): Promise<boolean> {
  try {
    const text = decode(await files.read("/etc/resolv.conf", EVIDENCE_BYTES_MAX));
    return /^\s*nameserver\s+(?:127\.|::1)/m.test(text) || !/^\s*nameserver\s/m.test(text);
  } catch {
    return true; // without one, programs ask the loopback address
  }
}
