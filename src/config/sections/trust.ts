import { isAbsolute } from "node:path";
import type { TableSection } from "../../session/config-section.ts";

/** `[trust]`: which files of a project need no question. */
export const trustSection = {
  shape: "table",
  name: "trust",
  about: "Which files of a project count without a question: [trust](../trust.md).",
  keys: {
    promoteProse: {
      kind: "boolean",
      key: "promote_prose",
      meaning:
        "Accepts a change of nothing but words with a notice, if nothing in the file looks like an attack (TOFU-03).",
      default: false,
      example: true,
    },
    lockfile: {
      kind: "text",
      key: "lockfile",
      in: "config",
      meaning:
        "A lock file that approves what it names, beside your own answers (TOFU-05). An absolute path.",
      otherwise: "none",
      example: "/etc/cinch/approved.lock",
      flag: { name: "--lockfile", option: "lockfile" },
      // A relative path would find a file in every repository, and each could then approve itself.
      check: (path: string) => (isAbsolute(path) ? undefined : "must be an absolute path"),
    },
  },
} as const satisfies TableSection;
