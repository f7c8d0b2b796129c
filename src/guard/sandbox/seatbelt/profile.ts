import { join } from "node:path";
import { relativeWithin } from "../../../base/files/below.ts";
import type { SandboxPolicy } from "../../../session/guard/sandbox.ts";

/**
 * Returns the rules of macOS's sandbox for one policy, in its own language: the last rule that matches decides.
 *
 * Everything is readable except hidden paths. Writable are the workspace, its temporary folder and a few devices,
 * without a setuid or setgid bit. There is no network, and no Unix socket can be reached.
 */
export function seatbeltProfile(policy: Omit<SandboxPolicy, "network">): string {
  const { root, writable, readOnly, hidden, temporary, workshop } = policy;
  return [
    "(version 1)",
    "(deny default)",
    "(allow process-exec process-fork)",
    "(allow signal (target same-sandbox))",
    "(allow process-info* (target same-sandbox))",
    "(allow sysctl-read)",
    "(allow user-preference-read)",
    "(allow ipc-posix-sem ipc-posix-shm)",
    "(allow pseudo-tty)",
    '(allow mach-lookup (global-name "com.apple.system.opendirectoryd.libinfo") (global-name "com.apple.system.notification_center") (global-name "com.apple.system.logger"))',
    "(allow file-read*)",
    rule("allow", "file-write*", [root, temporary, ...writable]),
    `(allow file-write* ${DEVICES.map((path) => `(literal ${quoted(path)})`).join(" ")} (regex #"^/dev/tty") (regex #"^/dev/fd/"))`,
    "(deny file-write-setugid)",
    ...(readOnly.length === 0
      ? []
      : [
          rule(
            "deny",
            "file-write*",
            readOnly.map(({ path }) => path),
          ),
        ]),
    // Otherwise a command could move a protected folder away whole and put another at its path.
    ...parentsOf(policy).map((path) => `(deny file-write-unlink (literal ${quoted(path)}))`),
    rule("deny", "file-read* file-write*", [...hidden, workshop]),
    "(deny network*)",
    "",
  ].join("\n");
}

const DEVICES = ["/dev/null", "/dev/zero", "/dev/random", "/dev/urandom", "/dev/ptmx"];

/** Returns the workspace, and the folders between it and the protected paths in it. */
function parentsOf({ root, readOnly }: Omit<SandboxPolicy, "network">): readonly string[] {
  const parents = readOnly.flatMap(({ path }) => {
    const parts = relativeWithin(root, path)?.split("/") ?? [];
    return parts.slice(0, -1).map((_, at) => join(root, ...parts.slice(0, at + 1)));
  });
  return [...new Set([root, ...parents])];
}

function rule(verdict: "allow" | "deny", what: string, paths: readonly string[]): string {
  return `(${verdict} ${what} ${paths.map((path) => `(subpath ${quoted(path)})`).join(" ")})`;
}

function quoted(path: string): string {
  return `"${path.replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"`;
}
