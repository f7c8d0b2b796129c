import { closeSync, openSync, readdirSync, readFileSync, readlinkSync, readSync, statSync } from "node:fs";
import { join } from "node:path";

const PAGE_BYTES = 4_096;
const CHUNK_PAGES_MAX = 256;
const FILE_BYTES_MAX = 64 * 1_048_576;

/**
 * Returns the places of these texts in a process, as the kernel shows it to its owner's other processes or to root: its
 * environment, its command line, its open files, the names of its mappings, and every page of memory that it may have
 * written (Linux). Texts are looked for as bytes and in the two-byte form of JavaScript's strings.
 */
export function placesInProcess(
  pid: number,
  texts: readonly string[],
  which: "all" | "first" = "all",
): readonly string[] {
  const needles = texts.flatMap((text) => [Buffer.from(text, "utf8"), Buffer.from(text, "utf16le")]);
  const holds = (bytes: Buffer) => needles.some((needle) => bytes.includes(needle));
  const places: string[] = [];
  for (const file of ["environ", "cmdline", "maps"]) {
    if (holds(readFileSync(`/proc/${pid}/${file}`))) places.push(file);
  }
  for (const descriptor of readdirSync(`/proc/${pid}/fd`)) {
    if (openFileHolds(pid, descriptor, holds)) places.push(`fd ${descriptor}`);
  }
  for (const range of writtenRanges(pid)) {
    if (which === "first" && places.length > 0) break;
    if (memoryHolds(pid, range, holds)) places.push(`memory ${range.name}`);
  }
  return [...new Set(places)];
}

/** Returns the number of bytes that a search of a process's memory reads. */
export function memoryBytesOf(pid: number): number {
  return (
    writtenRanges(pid).reduce((total, { start, end }) => total + presentPages(pid, start, end).length, 0) *
    PAGE_BYTES
  );
}

/** The child processes of a process. */
export function childrenOf(pid: number): readonly { readonly pid: number; readonly cmdline: string }[] {
  return readdirSync("/proc")
    .map(Number)
    .filter((each) => each > 0)
    .flatMap((each) => {
      try {
        const stat = readFileSync(`/proc/${each}/stat`, "latin1");
        const [state, parent] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
        if (Number(parent) !== pid || state === "Z") return [];
        return [
          { pid: each, cmdline: readFileSync(`/proc/${each}/cmdline`, "latin1").replaceAll("\0", " ") },
        ];
      } catch {
        return []; // it ended meanwhile
      }
    });
}

/** The files below a folder that hold one of these texts. */
export function filesHolding(folder: string, texts: readonly string[]): readonly string[] {
  const needles = texts.flatMap((text) => [Buffer.from(text, "utf8"), Buffer.from(text, "utf16le")]);
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => {
      const bytes = readFileSync(path);
      return needles.some((needle) => bytes.includes(needle));
    });
}

interface Range {
  readonly start: number;
  readonly end: number;
  readonly name: string;
}

/** The writable ranges of which anything is there. */
function writtenRanges(pid: number): readonly Range[] {
  return readFileSync(`/proc/${pid}/smaps`, "latin1")
    .split(/\n(?=[0-9a-f]+-[0-9a-f]+ )/)
    .flatMap((range) => {
      const [line = ""] = range.split("\n");
      if (!/^(?:Rss|Swap): +[1-9]/m.test(range)) return [];
      const [, start = "", end = "", rights = "", name = ""] =
        /^([0-9a-f]+)-([0-9a-f]+) (\S{4}) \S+ \S+ \d+\s*(.*)$/.exec(line) ?? [];
      if (!rights.startsWith("rw")) return [];
      return [
        { start: Number.parseInt(start, 16), end: Number.parseInt(end, 16), name: name || "anonymous" },
      ];
    });
}

/** The pages of a range that are there: most of what a runtime reserves never was touched. */
function presentPages(pid: number, start: number, end: number): readonly number[] {
  const pages: number[] = [];
  const file = openSync(`/proc/${pid}/pagemap`, "r");
  try {
    const entries = Buffer.alloc(8 * 65_536);
    for (let at = start; at < end; ) {
      const wanted = Math.min(entries.length, ((end - at) / PAGE_BYTES) * 8);
      const got = readSync(file, entries, 0, wanted, (at / PAGE_BYTES) * 8);
      if (got === 0) break;
      for (let entry = 0; entry < got; entry += 8) {
        if ((entries[entry + 7] ?? 0) & 0xc0) pages.push(at + (entry / 8) * PAGE_BYTES); // present, or swapped out
      }
      at += (got / 8) * PAGE_BYTES;
    }
  } finally {
    closeSync(file);
  }
  return pages;
}

function memoryHolds(pid: number, { start, end }: Range, holds: (bytes: Buffer) => boolean): boolean {
  const pages = presentPages(pid, start, end);
  const file = openSync(`/proc/${pid}/mem`, "r");
  try {
    for (let at = 0; at < pages.length; ) {
      const first = pages[at] ?? 0;
      let count = 1;
      while (count < CHUNK_PAGES_MAX && pages[at + count] === first + count * PAGE_BYTES) count += 1;
      // One page more at the end: a text may lie across two chunks.
      const bytes = Buffer.alloc((count + 1) * PAGE_BYTES);
      const got = read(file, bytes, first, count);
      if (holds(bytes.subarray(0, got))) return true;
      at += count;
    }
    return false;
  } finally {
    closeSync(file);
  }
}

function read(file: number, bytes: Buffer, position: number, pages: number): number {
  for (const size of [bytes.length, pages * PAGE_BYTES]) {
    try {
      return readSync(file, bytes, 0, size, position);
    } catch {
      // the page after the chunk is not mapped, or the range was given back meanwhile
    }
  }
  return 0;
}

function openFileHolds(pid: number, descriptor: string, holds: (bytes: Buffer) => boolean): boolean {
  try {
    const path = `/proc/${pid}/fd/${descriptor}`;
    if (holds(Buffer.from(readlinkSync(path)))) return true;
    const stats = statSync(path);
    return stats.isFile() && stats.size <= FILE_BYTES_MAX && holds(readFileSync(path));
  } catch {
    return false; // closed meanwhile, or a socket
  }
}
