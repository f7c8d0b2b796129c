import { expect } from "bun:test";
import { cinchPath } from "../support/cinch.ts";
import { requireProgram } from "../support/requires.ts";

const NOBODY = "65534";
/** With one thread the runtime of a compiled program aborts before its first line; only a launcher can look before. */
const isBinary = process.env["CINCH_UNDER_TEST"] !== undefined;

requireProgram("prlimit", "setpriv")(
  "[REL-01 CLI-01] a limit of processes that is too low to start is reported with its remedy, and never hangs",
  async () => {
    // The limit does not bind root, who becomes somebody else for this.
    const somebody = process.geteuid?.() === 0 ? ["setpriv", `--reuid=${NOBODY}`, "--clear-groups"] : [];
    for (const limit of [...(isBinary ? [] : [1]), 4, 6, 12, 23]) {
      const argv = [...somebody, "prlimit", `--nproc=${limit}`, cinchPath(), "-p", "hi"];
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
