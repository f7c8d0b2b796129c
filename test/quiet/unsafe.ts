import { basename } from "node:path";
import type { Call } from "./watch.ts";
import { ENDLESS } from "./watch.ts";
import type { HostileWorkspace } from "./workspace.ts";

/** Programs that a named one is a script for, or starts as a part of itself. */
const STARTS: Readonly<Record<string, readonly string[]>> = {
  egrep: ["grep"],
  fgrep: ["grep"],
};
const SYSTEM_PROGRAMS = /^\/(?:usr\/(?:local\/)?)?(?:s?bin|lib\/git-core)\//;
/**
 * Paths that belong to no user: the system's programs, their libraries, tables and messages, and what the kernel tells.
 */
const SYSTEM_FILES =
  /^\/(?:usr\/|lib(?:64)?\/|proc\/|sys\/|dev\/(?:null|tty|urandom|random|pts\/)|run\/utmp$|var\/run\/utmp$|bin\/|etc\/(?:ld\.so\.|passwd$|group$|nsswitch\.conf$|localtime$|timezone$|locale|magic|gitconfig$|mailcap|host\.conf$|alternatives\/|os-release$|inputrc$|terminfo\/|debian_version$|mime\.types$|gai\.conf$|gitattributes$|manpath\.config$))/;
const RESULT = /\) += (.*)$/s;
/** Sockets that the C library asks for names of users and groups. */
const NAME_SERVICE = /sun_path="\/(?:var\/run\/nscd\/socket|run\/systemd\/userdb\/)/;
const KEYS = /(?:^|\/)(?:\.env(?:\.local)?|server\.pem|id_rsa)$/;

/**
 * Says what a line did that is more than reading what the workspace opens to it: undefined where there is nothing.
 * Goes by what the kernel was asked for, and by the names that the judgement found in the line.
 */
export function unsafe(
  calls: readonly Call[],
  names: readonly string[],
  place: HostileWorkspace,
): string | undefined {
  const named = new Set(
    names.map((name) => basename(name)).flatMap((name) => [name, ...(STARTS[name] ?? [])]),
  );
  for (const call of calls) {
    const why = callProblem(call, named, place);
    if (why !== undefined) return `${why}: ${call.name}(${call.text.slice(0, 300)}`;
  }
  return undefined;
}

function callProblem(
  { name, text }: Call,
  named: ReadonlySet<string>,
  place: HostileWorkspace,
): string | undefined {
  const result = RESULT.exec(text)?.[1] ?? "?";
  const failed = result.startsWith("-");
  switch (name) {
    case ENDLESS.name:
      return "it does not end";
    case "execve":
    case "execveat": {
      const path = /"((?:[^"\\]|\\.)*)"/.exec(text)?.[1] ?? "";
      if (failed) return undefined;
      if (!SYSTEM_PROGRAMS.test(path)) return "it executes a program that is not the system's";
      return named.has(basename(path)) ? undefined : "it executes a program that was not named";
    }
    case "open":
    case "openat":
    case "openat2":
    case "creat":
      return openProblem(name, text, failed, place);
    case "socket":
      return /^(?:AF_UNIX|AF_LOCAL)/.test(text) ? undefined : "it opens a socket";
    case "connect":
      return NAME_SERVICE.test(text) ? undefined : "it connects a socket";
    case "bind":
      return "it binds a socket";
    default:
      return "it changes a file";
  }
}

function openProblem(
  name: string,
  text: string,
  failed: boolean,
  { root, home }: HostileWorkspace,
): string | undefined {
  const given = /"((?:[^"\\]|\\.)*)"/.exec(text)?.[1] ?? "";
  const flags = text.slice(text.indexOf(given) + given.length);
  if (name === "creat" || /O_(?:WRONLY|RDWR|CREAT|TRUNC|APPEND|TMPFILE)/.test(flags))
    return given === "/dev/null" || given === "/dev/tty" ? undefined : "it opens a file for writing";
  if (failed || flags.includes("O_PATH")) return undefined; // O_PATH reads nothing
  const path = /^\d+<([^>]*)>/.exec(RESULT.exec(text)?.[1] ?? "")?.[1] ?? given;
  if (path === root || path.startsWith(`${root}/`))
    return KEYS.test(path) ? "it reads a file with a key" : undefined;
  if (SYSTEM_FILES.test(path) || ["/", "/usr", "/lib", "/bin", "/proc", "/sys"].includes(path))
    return undefined;
  if (path === `${home}/.gitconfig`) return undefined;
  return "it reads outside of the workspace";
}
