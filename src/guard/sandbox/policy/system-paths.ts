import { cleanPath, isBelow, isWithin } from "../../../base/files/below.ts";

/** Folders of the system in which the sandbox has its own, whatever the host has there. */
const REPLACED = /^\/(?:dev|proc)(?:\/|$)/;
/** Folders in which nothing can be covered without risk: every program needs what lies in them. */
const OF_PROGRAMS = /^\/(?:usr|s?bin|lib(?:\d+|x32)?|nix|sys|run|boot|System)(?:\/|$)/;
/** Further folders that hold everything of a kind. */
const WHOLE = /^\/(?:etc|var|opt|home|root|mnt|media|srv|tmp|Users|Library|private(?:\/(?:etc|var|tmp))?)?$/;
/** Folders without which no program starts. */
const NEEDED =
  /^\/(?:(?:usr|s?bin|lib(?:\d+|x32)?|nix|System)|usr\/(?:local\/)?(?:s?bin|lib(?:\d+|x32)?)|nix\/store)?$/;

/** Folders whose own entries the system makes. Everyone writes others, such as `/tmp`, or a program gives them away. */
const OF_LINKS =
  /^\/(?:(?:usr|s?bin|lib(?:\d+|x32)?|nix|System)(?:\/.*)?|etc|var|home|Users|Library|private(?:\/(?:etc|var))?)?$/;

/** Devices, and what `/proc` has of single processes: on Linux each sandbox has its own. */
const OWN = /^\/(?:dev|proc\/(?:self|thread-self|\d+))(?:\/|$)/;

/**
 * True for a path in which the sandbox has files of its own: nothing of the host is seen there. The rest of `/proc`
 * is about the machine, so commands see the host's.
 */
export function isReplacedPath(path: string, platform: WorkFolders["platform"]): boolean {
  return platform === "linux" && OWN.test(path);
}

/** True for a path of the system itself, as opposed to what users and services keep. */
export function isSystemPath(path: string): boolean {
  return REPLACED.test(path) || OF_PROGRAMS.test(path) || WHOLE.test(path);
}

/** True for a folder in which the system makes links, as in `/var` and `/usr/lib`. Resolved. */
export function isSystemLinkFolder(path: string): boolean {
  return OF_LINKS.test(path);
}

/** True for a path that cannot be hidden: without it no command starts, or it is the sandbox's own. */
export function isNeededPath(path: string): boolean {
  const clean = cleanPath(path);
  return REPLACED.test(clean) || NEEDED.test(clean);
}

/** Folders in which, or around which, a command works. Resolved. */
export interface WorkFolders {
  readonly root: string;
  readonly home: string | undefined;
  /** Folders besides the root that commands write. */
  readonly writable: readonly string[];
  readonly platform: "linux" | "darwin" | "win32";
}

/**
 * Returns true if a path is hidden that was reached from another one through links that neither commands nor a
 * repository can make: all but devices, folders that hold the home, and the workspace, which the user has opened.
 * A link of the user's may lead anywhere else, also to a secret that lies among programs.
 */
export function isHiddenThroughOwnLinks(target: string, { root, home }: WorkFolders): boolean {
  return target !== root && !(isWithin("/dev", target) || (home !== undefined && isWithin(target, home)));
}

/**
 * Returns true if a path is hidden that was reached from another one through a link where commands write.
 *
 * A repository, or a command in an earlier session, decides where such a link leads. So none leads to the system's
 * own places, to the workspace itself, or to a folder that holds it or the home: these stay as the sandbox shows
 * them anyway.
 */
export function isHiddenThroughLinks(target: string, { root, home }: WorkFolders): boolean {
  if (isWithin(target, root) || (home !== undefined && isWithin(target, home))) return false;
  if (isBelow(root, target) || (home !== undefined && isBelow(home, target))) return true;
  return !isSystemPath(target);
}
