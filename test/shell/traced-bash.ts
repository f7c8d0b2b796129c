import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryDirectory } from "../support/world.ts";

/** Observed actions of bash on one command line, in a separate sandbox. */
export interface Trace {
  /** Programs that were started by name, with their arguments. Programs that start others are not among them. */
  readonly started: readonly (readonly string[])[];
}

/** Real: they start what they are told to, which is what is looked for. */
const REAL = ["bash", "sh", "env", "timeout", "nice", "nohup", "setsid", "stdbuf", "xargs", "busybox"];

// One write a record: what runs at the same time must not stand in it.
const STUB = `#!/bin/sh
record=$(printf '%s\\037' "\${0##*/}" "$@"; printf x)
printf '%s\\036' "$record" >> /tmp/trace/log
exit 0
`;

// One case after the other, each in a directory of its own and with a fresh log. What a case leaves running is ended
// with the sandbox; a straggler that writes into a later log is told apart by running that case again alone.
const DRIVER = `
number=0
while IFS= read -r -d '' command; do
  number=$((number + 1))
  mkdir -p "/tmp/work/$number" && cd "/tmp/work/$number" || exit 9
  printf 'a\\nb\\n' > notes.txt; : > names.txt
  : > /tmp/trace/log
  timeout -k 1 4 env -i PATH=/tmp/stubs HOME=/tmp/work /usr/bin/bash --norc --noprofile -c 'REPLY=$1; set --; eval -- "$REPLY"; wait' bash "$command" < /dev/null > /dev/null 2>&1
  if [ -s /tmp/trace/log ]; then mv /tmp/trace/log "/tmp/trace/$number.log"; fi
done < /tmp/trace/cases
`;

const CASE_MS_MAX = 60;
const RUN_MS_MAX = 120_000;

/** Runs command lines in bubblewrap, with every program but the starting ones replaced by one that tells of itself. */
export async function traceAll(
  commands: readonly string[],
  names: readonly string[],
): Promise<readonly Trace[]> {
  await using directory = temporaryDirectory("cinch-traced-");
  const stubs = join(directory.path, "stubs");
  const trace = join(directory.path, "trace");
  for (const folder of [stubs, trace]) mkdirSync(folder);
  for (const name of new Set(names)) {
    if (name.includes("/") || name === "" || name === "." || name === ".." || name.includes("\0")) continue;
    writeFileSync(join(stubs, name), STUB);
    chmodSync(join(stubs, name), 0o755);
  }
  writeFileSync(join(trace, "cases"), commands.map((command) => `${command}\0`).join(""));
  for (const name of REAL) {
    const path = Bun.which(name, { PATH: "/usr/bin:/bin" });
    if (path !== null) {
      writeFileSync(join(stubs, name), `#!/bin/sh\nexec ${path} "$@"\n`);
      chmodSync(join(stubs, name), 0o755);
    }
  }
  const child = Bun.spawn(
    [
      ...["bwrap", "--unshare-all", "--die-with-parent", "--new-session", "--cap-drop", "ALL"],
      ...["--ro-bind", "/", "/", "--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp"],
      ...["--bind", stubs, "/tmp/stubs", "--bind", trace, "/tmp/trace"],
      ...["--", "/usr/bin/bash", "--norc", "--noprofile", "-c", DRIVER],
    ],
    {
      stdio: ["ignore", "ignore", "pipe"],
      timeout: Math.min(RUN_MS_MAX, 60_000 + commands.length * CASE_MS_MAX * 10),
    },
  );
  const [code, problem] = await Promise.all([child.exited, new Response(child.stderr).text()]);
  if (code !== 0) throw new Error(`the traced bash ended with ${code}: ${problem}`);
  return commands.map((_, at) => {
    const log = join(trace, `${at + 1}.log`);
    return {
      started: existsSync(log) ? recordsOf(readFileSync(log, "utf8")) : [],
    };
  });
}

function recordsOf(text: string): readonly (readonly string[])[] {
  return text
    .split("\u001e")
    .filter((record) => record !== "")
    .map((record) => record.slice(0, -1).split("\u001f").slice(0, -1));
}
