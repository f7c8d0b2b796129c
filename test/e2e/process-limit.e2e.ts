import { expect } from "bun:test";
import { join } from "node:path";
import { requireProgram } from "../support/requires.ts";
import { ROOT } from "../support/source.ts";

const NOBODY = "65534";

requireProgram("prlimit", "setpriv")(
  "[REL-01 CLI-01] a limit of processes that is too low to start is told with what to do, and never hangs",
  async () => {
    // The limit does not bind root, who becomes somebody else for this.
    const somebody = process.geteuid?.() === 0 ? ["setpriv", `--reuid=${NOBODY}`, "--clear-groups"] : [];
    for (const limit of [1, 4, 6, 23]) {
      // The launcher looks; in a compiled program the runtime starts, and may abort, before any code of ours.
      const argv = [...somebody, "prlimit", `--nproc=${limit}`, join(ROOT, "cinch"), "-p", "hi"];
      const child = Bun.spawn(argv, { stdio: ["ignore", "pipe", "pipe"], timeout: 60_000 });
      const told = await new Response(child.stderr).text();
      expect([limit, await child.exited, told]).toEqual([
        limit,
        1,
        expect.stringContaining(`you may run only ${limit} processes and threads (ulimit -u)`),
      ]);
    }
  },
);
