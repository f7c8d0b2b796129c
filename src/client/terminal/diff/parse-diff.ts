import type { DiffFile, DiffHunk, DiffLine } from "./diff-file.ts";
import { diffLine } from "./diff-file.ts";

interface OpenHunk {
  readonly oldStart: number;
  readonly newStart: number;
  readonly heading?: string;
  readonly lines: DiffLine[];
  oldLeft: number;
  newLeft: number;
}

interface OpenFile {
  from?: string;
  to?: string;
  readonly facts: string[];
  readonly hunks: OpenHunk[];
}

const HUNK = /^@@ -(\d{1,9})(?:,(\d{1,9}))? \+(\d{1,9})(?:,(\d{1,9}))? @@ ?(.*)$/s;
const FACT =
  /^(?:new file mode|deleted file mode|old mode|new mode|similarity index|rename from|rename to|copy from|copy to|Binary files|GIT binary patch)/;
const NO_FILE = "/dev/null";

/**
 * Reads a unified diff, with or without names of files, of git or another program. Lines that belong to nothing are
 * left out. Never throws: what breaks off ends where it breaks off.
 */
export function parseDiff(diff: string): readonly DiffFile[] {
  const files: OpenFile[] = [];
  for (const line of diff.split("\n")) {
    const file = files.at(-1);
    if (file !== undefined && takenByHunk(file.hunks.at(-1), line)) continue;
    readHead(files, file, line);
  }
  return files.map(({ hunks, ...file }) => ({ ...file, hunks: hunks.map(closedHunk) }));
}

function takenByHunk(hunk: OpenHunk | undefined, line: string): boolean {
  if (hunk === undefined) return false;
  if (line.startsWith("\\")) {
    hunk.lines.push(diffLine(line));
    return true;
  }
  const sign = line.charAt(0);
  const takesOld = sign === "-" || sign === " " || sign === "";
  const takesNew = sign === "+" || sign === " " || sign === "";
  if ((!takesOld && !takesNew) || (takesOld && hunk.oldLeft <= 0) || (takesNew && hunk.newLeft <= 0))
    return false;
  if (takesOld) hunk.oldLeft -= 1;
  if (takesNew) hunk.newLeft -= 1;
  hunk.lines.push(diffLine(line));
  return true;
}

function readHead(files: OpenFile[], file: OpenFile | undefined, line: string): void {
  const hunk = HUNK.exec(line);
  if (hunk !== null) {
    const owner = file ?? newFile(files);
    owner.hunks.push(newHunk(hunk));
    return;
  }
  if (line.startsWith("diff ")) {
    const names = /^diff --git (?:a\/)?(.+) (?:b\/)?\1$/.exec(line);
    Object.assign(newFile(files), names === null ? {} : { from: names[1], to: names[1] });
    return;
  }
  const name = /^(---|\+\+\+) (.*)$/s.exec(line);
  if (name !== null) {
    // A second `---` without a `diff` line begins the next file.
    const owner = file === undefined || (name[1] === "---" && file.hunks.length > 0) ? newFile(files) : file;
    setName(owner, name[1] === "---" ? "from" : "to", nameOf(name[2] ?? ""));
    return;
  }
  if (file !== undefined && FACT.test(line)) addFact(file, line);
}

function newFile(files: OpenFile[]): OpenFile {
  const file: OpenFile = { facts: [], hunks: [] };
  files.push(file);
  return file;
}

function setName(file: OpenFile, side: "from" | "to", name: string): void {
  if (name === NO_FILE) delete file[side];
  else file[side] = name;
}

function addFact(file: OpenFile, line: string): void {
  const renamed = /^(?:rename|copy) (from|to) (.*)$/s.exec(line);
  if (renamed !== null) file[renamed[1] === "from" ? "from" : "to"] = nameOf(renamed[2] ?? "");
  if (line.startsWith("new file")) delete file.from;
  if (line.startsWith("deleted file")) delete file.to;
  if (line.startsWith("Binary") || line.startsWith("GIT binary")) file.facts.push("binary file");
  else if (renamed === null) file.facts.push(line);
}

/** Returns a name without quotes, prefix and time. */
function nameOf(written: string): string {
  const [name = ""] = written.split("\t");
  const bare = name.startsWith('"') && name.endsWith('"') ? name.slice(1, -1) : name;
  return bare.replace(/^[ab]\//, "");
}

function newHunk([, oldStart, oldLines = "1", newStart, newLines = "1", heading = ""]: RegExpExecArray) {
  return {
    oldStart: Number(oldStart),
    newStart: Number(newStart),
    ...(heading === "" ? {} : { heading }),
    lines: [],
    oldLeft: Number(oldLines),
    newLeft: Number(newLines),
  } satisfies OpenHunk;
}

function closedHunk({ oldLeft: _, newLeft: __, ...hunk }: OpenHunk): DiffHunk {
  return hunk;
}
