import { SILENT_LOG } from "../../src/base/log.ts";
import { hostSpawn } from "../../src/platform/processes/spawn.ts";

/**
 * Starts a program that ignores every polite signal and whose child does too: `MARK`, a number of seconds; then
 * waits. Of two further ones each has made a session of its own and lost its parent.
 */
const [mark = ""] = process.argv.slice(2);
const leaves = `( setsid sleep ${mark} </dev/null >/dev/null 2>&1 & )`;
const script = `${leaves}; ${leaves}; trap '' TERM HUP INT; sleep ${mark} & echo ready; while :; do sleep ${mark}; done`;
const PATH = "/usr/local/bin:/usr/bin:/bin";
await using child = hostSpawn(SILENT_LOG)({
  argv: ["/bin/bash", "-c", script],
  cwd: "/",
  env: { PATH, GUARDED: `${mark}.here` },
  mark: "GUARDED",
  talks: true,
});
for await (const bytes of child.stdout) {
  await Bun.write(Bun.stdout, bytes);
}
