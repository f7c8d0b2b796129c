import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ROOT } from "../../support/source.ts";
import { KEY } from "./ground.ts";
import type { Mode, Report } from "./report.ts";

const TIMEOUT_MS = 560_000;

/** Runs all scenarios in one mode, in a network namespace whose resolver is the adversary's own. */
export async function runMode(mode: Mode): Promise<Report> {
  const folder = mkdtempSync(join(tmpdir(), "cinch-internet-"));
  try {
    const files = {
      "resolv.conf": "nameserver 127.0.0.1\noptions timeout:5 attempts:1\n",
      "nsswitch.conf": "hosts: files dns\n",
    };
    const mounts = Object.entries(files).flatMap(([name, text]) => {
      writeFileSync(join(folder, name), text);
      return existsSync(`/etc/${name}`) ? [`mount --bind ${folder}/${name} /etc/${name}`] : [];
    });
    const user = process.getuid?.() === 0 ? [] : ["--user", "--map-root-user"];
    const flags = ["--no-install", "--no-env-file", "--config=/dev/null"];
    const main = join(ROOT, "test/attacks/adversary/main.ts");
    const script = [...mounts, 'exec "$@"'].join(" && ");
    const child = Bun.spawn(
      [
        "unshare",
        ...user,
        "--net",
        "--mount",
        "--pid",
        "--fork",
        "--mount-proc",
        "--kill-child",
        "/bin/sh",
        "-c",
        script,
        "sh",
        process.execPath,
        ...flags,
        main,
        mode,
      ],
      {
        cwd: ROOT,
        env: {
          // Of the shell that cinch is started from: it can be read there, unless something hides that process.
          MOCK_KEY: KEY,
          PATH: process.env["PATH"],
          TMPDIR: process.env["TMPDIR"],
          CINCH_UNDER_TEST: process.env["CINCH_UNDER_TEST"],
        },
        stdio: ["ignore", "pipe", "pipe"],
        timeout: TIMEOUT_MS,
      },
    );
    const [out, err] = await Promise.all([
      new Response(child.stdout).text(),
      new Response(child.stderr).text(),
    ]);
    if ((await child.exited) !== 0)
      throw new Error(`the adversary's run failed: ${err}\n${out.slice(-2_000)}`);
    return JSON.parse(out) as Report;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
