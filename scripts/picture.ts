import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { COLUMNS, terminalSvg } from "./terminal-svg.ts";

/**
 * Makes docs/demo.svg: runs `./cinch demo` in a real terminal (tmux) and draws what is on its screen at the end.
 *
 *     sh scripts/bun.sh scripts/picture.ts
 */
const ROOT = resolve(import.meta.dir, "..");
const ROWS = 200;
const RUN_MS_MAX = 120_000;
const DONE = "demo-is-done";

const home = mkdtempSync(join(tmpdir(), "cinch-picture-"));
const server = ["-f", "/dev/null", "-S", join(home, "tmux")];
try {
  const command = `cd '${ROOT}' && clear && ./cinch demo; echo $? > '${home}/code'; tmux -S '${home}/tmux' wait-for -S ${DONE}; cat`;
  const env = { ...process.env, HOME: home, TERM: "xterm-256color", TMPDIR: "/var/tmp" };
  tmux(["new-session", "-d", "-x", String(COLUMNS), "-y", String(ROWS), command], env);
  tmux(["wait-for", DONE], env);
  const screen = tmux(["capture-pane", "-p", "-e"], env);
  const code = (await Bun.file(join(home, "code")).text()).trim();
  if (code !== "0") throw new Error(`./cinch demo ended with ${code}:\n${screen}`);
  const [folder] = /\/\S*\/cinch-demo-\w+(?=\/)/.exec(screen) ?? [];
  if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
  writeFileSync(join(ROOT, "docs/demo.svg"), terminalSvg(screen, { title: "./cinch demo" }));
} finally {
  Bun.spawnSync(["tmux", ...server, "kill-server"]);
  rmSync(home, { recursive: true, force: true });
}

function tmux(args: readonly string[], env: Readonly<Record<string, string | undefined>>): string {
  const { exitCode, stdout, stderr } = Bun.spawnSync(["tmux", ...server, ...args], {
    env,
    timeout: RUN_MS_MAX,
  });
  if (exitCode !== 0) throw new Error(`tmux ${args[0]} failed: ${stderr.toString()}`);
  return stdout.toString();
}
