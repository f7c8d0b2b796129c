import { mkdtempSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { track } from "../guard.ts";
import type { BenchSetup, Home, Program } from "../subject.ts";

/** Figures of one program at a terminal, as `ttymeasure.py` names them; null where the program did not get so far. */
export interface TtyFigures {
  readonly load0: number;
  readonly first_frame_ms: number | null;
  readonly first_echo_ms: number | null;
  readonly idle_bytes?: number;
  readonly idle_wakeups_s?: number;
  readonly idle_pss_mb?: number;
  readonly idle_client_pss_mb?: number;
  readonly stream_cpu_ms_per_s?: number;
  readonly stream_client_cpu_ms_per_s?: number;
  readonly stream_bytes_s?: number;
  readonly key_p50_ms?: number | null;
  readonly key_p99_ms?: number | null;
  readonly keys_unseen?: number;
  readonly flicker_ignored?: number;
  readonly flicker_honoured?: number;
  readonly after_pss_mb?: number;
  readonly start_screen: readonly string[];
}

export interface TtyRun {
  readonly program: Program;
  readonly home: Home;
  /** Further options of `ttymeasure.py`. */
  readonly options: readonly string[];
}

const SIZE = ["--cols", "120", "--rows", "40"];

/** Measures a program at a terminal of 120 by 40 cells. @throws Error with what the program that measures said. */
export async function ttyFigures(place: BenchSetup, { program, home, options }: TtyRun): Promise<TtyFigures> {
  const out = join(mkdtempSync(join(place.scratch, "tty-")), "figures.json");
  const tool = join(place.root, "bench/terminal/ttymeasure.py");
  const child = track(
    Bun.spawn(["python3", tool, ...SIZE, "--out", out, ...options, "--", ...program], {
      cwd: join(home.path, "project"),
      env: {
        HOME: home.path,
        PATH: process.env["PATH"] ?? "/usr/bin:/bin",
        LANG: "C.UTF-8",
        TERM: "xterm-256color",
        TMPDIR: home.path,
        ...home.env,
      },
      stdio: ["ignore", "ignore", "pipe"],
    }),
  );
  const [stderr, code] = await Promise.all([new Response(child.stderr).text(), child.exited]);
  if (code !== 0) throw new Error(`a program at a terminal could not be measured: ${stderr}`);
  return JSON.parse(readFileSync(out, "utf8"));
}
