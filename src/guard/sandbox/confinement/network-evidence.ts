import { decode } from "../../../base/text/text.ts";
import type { Announcement, Child, Exit, Files, OpenFile, SpawnOptions } from "../../../base/world.ts";
import { codeOf, PathMoved } from "../../../base/world.ts";

const EVIDENCE_BYTES_MAX = 65_536;
const TABLES = ["snmp", "snmp6"];

type ReadsFiles = Pick<Files, "read" | "openResolved">;

/** Adds the option that makes bubblewrap announce its process before the command in it starts. */
export function withAnnouncement(options: SpawnOptions): SpawnOptions {
  return { ...options, announces: true };
}

/**
 * Counts what the network namespace of one command had no route for.
 *
 * The kernel's tables of that namespace are opened from outside before the command starts, and read again when it has
 * ended: an open table outlives the namespace. No command can write them, and no additional process is needed.
 */
export class UnroutedCount {
  readonly #files: ReadsFiles;
  readonly #isFresh: boolean;
  readonly #grown: Promise<readonly string[]>[] = [];
  readonly #end = Promise.withResolvers<undefined>();

  /** @param namespace `fresh`: made with the command, so that every counter starts at 0. */
  constructor(files: ReadsFiles, namespace: "fresh" | "shared") {
    this.#files = files;
    this.#isFresh = namespace === "fresh";
  }

  /**
   * Opens the tables of a process that was started with `withAnnouncement`, then lets the process start, but not before
   * `ready` resolves. They are read as soon as it has exited: its owner still looks for what it has left then, and need
   * not wait for the tables too. Those of a process that succeeded are not read: nothing needs an explanation.
   */
  follow({ announcement, exited }: Pick<Child, "announcement" | "exited">, ready: Promise<unknown>): void {
    if (announcement === undefined) return;
    const grown = this.#grownOf(this.#open(announcement, ready), exited);
    grown.catch(() => undefined); // `end` reports it
    this.#grown.push(grown);
  }

  /**
   * Returns true if a process that failed has sent something for which the namespace has no route. The same holds if
   * a name server on the loopback address was asked: none listens in a separate namespace. Returns false if the tables
   * could not be read. Waits for no exit. Call it once.
   */
  async end(): Promise<boolean> {
    this.#end.resolve(undefined);
    const grown = new Set((await Promise.all(this.#grown)).flat());
    if (grown.has("Ip:OutNoRoutes") || grown.has("Ip6OutNoRoutes")) return true;
    return (grown.has("Udp:NoPorts") || grown.has("Udp6NoPorts")) && (await asksLoopback(this.#files));
  }

  /** Returns the names of the counters that have grown by the exit, or by the call of `end`. */
  async #grownOf(opening: Promise<readonly Table[]>, exited: Promise<Exit>): Promise<readonly string[]> {
    const tables = await opening;
    const exit = await Promise.race([exited, this.#end.promise]);
    const hasSucceeded = exit?.kind === "code" && exit.code === 0;
    const looks = tables.map(async ({ file, before }) => {
      await using table = file;
      if (hasSucceeded) return [];
      const after = countersOf(await textOf(table));
      return [...after].flatMap(([name, count]) => (count > (before.get(name) ?? 0) ? [name] : []));
    });
    return (await Promise.all(looks)).flat();
  }

  async #open(announcement: Announcement, ready: Promise<unknown>): Promise<readonly Table[]> {
    try {
      const pid = announcedPid(await announcement.read((soFar) => announcedPid(soFar) !== undefined));
      if (pid === undefined) return [];
      const opened = await Promise.all(TABLES.map((name) => this.#openTable(`/proc/${pid}/net/${name}`)));
      return opened.flat();
    } finally {
      await ready;
      announcement.goOn();
    }
  }

  /** Returns nothing if the system does not show the table: without IPv6, or if /proc hides other processes. */
  async #openTable(path: string): Promise<readonly Table[]> {
    try {
      const file = await this.#files.openResolved(path);
      return [{ file, before: this.#isFresh ? new Map() : countersOf(await textOf(file)) }];
    } catch (thrown) {
      if (codeOf(thrown) === undefined && !(thrown instanceof PathMoved)) throw thrown;
      return [];
    }
  }
}

/** Returns the id of the first process in the namespaces. It is complete once another character follows. */
function announcedPid(announced: Uint8Array): string | undefined {
  return /"child-pid": (\d+)\D/.exec(decode(announced))?.[1];
}

interface Table {
  readonly file: OpenFile;
  readonly before: ReadonlyMap<string, number>;
}

async function textOf(file: OpenFile): Promise<string> {
  return decode(await file.read(0, EVIDENCE_BYTES_MAX));
}

/**
 * Parses counters: each table of /proc/net/snmp is a line of names and a line of numbers; /proc/net/snmp6 has both in
 * one line.
 */
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

async function asksLoopback(files: ReadsFiles): Promise<boolean> {
  try {
    const text = decode(await files.read("/etc/resolv.conf", EVIDENCE_BYTES_MAX));
    return /^\s*nameserver\s+(?:127\.|::1)/m.test(text) || !/^\s*nameserver\s/m.test(text);
  } catch {
    return true; // without the file, programs ask the loopback address
  }
}
