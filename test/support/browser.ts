import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { signalIfRunning } from "./processes.ts";

/** Starts a headless Chromium with a profile of its own, at an address; it is killed at the end. */
export function openBrowser(
  address: string,
  { extension }: { readonly extension?: string } = {},
): AsyncDisposable {
  const profile = mkdtempSync(join(tmpdir(), "cinch-chromium-"));
  // Its own sandbox needs rights that a container seldom has; what it loads here is this repository's.
  const flags = [
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--no-first-run",
  ];
  const quiet = ["--disable-background-networking", "--disable-component-update", "--disable-sync"];
  const loaded = extension === undefined ? [] : [`--load-extension=${extension}`];
  const place = [`--user-data-dir=${profile}`, "--remote-debugging-port=0", address];
  const child = Bun.spawn(["chromium", ...flags, ...quiet, ...loaded, ...place], {
    env: { PATH: process.env["PATH"] ?? "", HOME: profile },
    stdio: ["ignore", "ignore", "ignore"],
    detached: true,
  });
  return {
    async [Symbol.asyncDispose]() {
      signalIfRunning(-child.pid, "SIGKILL");
      await child.exited;
      rmSync(profile, { recursive: true, force: true, maxRetries: 10 });
    },
  };
}
