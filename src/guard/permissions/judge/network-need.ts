import { entryFor, isPublicName, parseHostEntry } from "../../../session/guard/hosts.ts";
import type { Analysis, ShellCommand } from "../../../shell/analysis.ts";
import { literalOf } from "../../../shell/analysis.ts";

const FETCHERS = new Set(["curl", "wget", "http", "https", "xh", "aria2c"]);
const REMOTES = new Set([
  "ssh",
  "scp",
  "sftp",
  "ftp",
  "telnet",
  "nc",
  "ncat",
  "netcat",
  "socat",
  "ping",
  "ping6",
  "traceroute",
  "dig",
  "nslookup",
  "host",
  "whois",
  "mosh",
  "lftp",
  "gh",
  "glab",
  "aws",
  "gcloud",
  "az",
  "kubectl",
  "helm",
  "heroku",
  "vercel",
  "netlify",
  "flyctl",
  "terraform",
]);
const GIT_REMOTE = new Set(["push", "fetch", "pull", "clone", "ls-remote", "archive"]);
const NPM_REMOTE = new Set([
  "install",
  "i",
  "ci",
  "add",
  "update",
  "upgrade",
  "publish",
  "login",
  "whoami",
  "view",
  "info",
  "outdated",
  "audit",
  "search",
  "unpublish",
  "deprecate",
  "dist-tag",
  "dlx",
  "create",
  "init",
]);
/** Network that a command needs beyond what it has. */
export interface NetworkNeed {
  readonly why: string;
  /** Hosts that would have to be listed; empty if unknown: a registry's host is in its tool's settings. */
  readonly hosts: readonly string[];
  /**
   * True if it cannot work without: a host of the public network, or a package manager that is not told to
   * stay offline.
   */
  readonly isSure: boolean;
}

/**
 * Returns the known network need of a line beyond a list of hosts, a sure need before others; undefined if there
 * is none.
 *
 * Used to inform a person before it fails: the boundary is the sandbox, which has no other network.
 */
export function networkNeed({ commands }: Analysis, hosts: readonly string[]): NetworkNeed | undefined {
  const needs = needsOf(commands, hosts);
  return needs.find(({ isSure }) => isSure) ?? needs[0];
}

function needsOf(commands: Analysis["commands"], hosts: readonly string[]): readonly NetworkNeed[] {
  const needs: NetworkNeed[] = [];
  for (const command of commands) {
    const wanted = hostsOf(command);
    if (wanted === undefined) continue;
    if (wanted === "registry" && hosts.length > 0) continue; // the tool's settings decide whose host it is
    const beyond =
      wanted === "any" || wanted === "registry"
        ? undefined
        : wanted.filter((place) => !isListed(place, hosts));
    if (beyond !== undefined && beyond.length === 0 && wanted.length > 0) continue;
    const where =
      beyond === undefined || beyond.length === 0 ? "the network" : `the network (${beyond.join(", ")})`;
    const name = nameOf(command);
    const isSure = wanted === "registry" ? !staysOffline(command) : (beyond ?? []).some(isPublicName);
    needs.push({
      why: `${name} needs ${where}, which the sandbox does not let through`,
      hosts: beyond ?? [],
      isSure,
    });
  }
  return needs;
}

const LOCAL_OPTION =
  /^(?:--offline|--prefer-offline|--no-index|--find-links(?:=.*)?|--frozen|--help|-h|--version|--dry-run|-e|--editable)$/;

/** Returns true if a package manager may work without its registry: by its options, or with files of this machine. */
function staysOffline({ args }: ShellCommand): boolean {
  const words = args.map((word) => literalOf(word));
  return words.some(
    (word) =>
      word === undefined ||
      LOCAL_OPTION.test(word) ||
      /^(?:init|create|login)$/.test(word) ||
      /^(?:\.|\/|~|file:|git\+file:)|\.(?:tgz|tar\.gz|whl|crate)$/.test(word),
  );
}

/** Returns true if a host is listed, with its port unless that is one of the web's. */
function isListed(place: string, listed: readonly string[]): boolean {
  const entry = parseHostEntry(place);
  if ("problem" in entry) return false;
  const entries = listed.map(parseHostEntry).flatMap((each) => ("problem" in each ? [] : [each]));
  const ports = entry.port === undefined ? WEB_PORTS : [entry.port];
  return ports.some((port) => entryFor(entries, entry.host, port) !== undefined);
}

const WEB_PORTS: readonly number[] = [80, 443];

function nameOf({ name }: ShellCommand): string {
  const value = literalOf(name) ?? "";
  return value.slice(value.lastIndexOf("/") + 1);
}

/**
 * Returns the hosts that a command needs; `any` if they are unknown, `registry` for that of a package manager,
 * undefined if it needs none.
 */
function hostsOf(command: ShellCommand): readonly string[] | "any" | "registry" | undefined {
  const name = nameOf(command);
  const words = command.args.map((word) => literalOf(word) ?? "");
  const first = words.find((word) => !word.startsWith("-"));
  if (FETCHERS.has(name))
    return words.some((word) => /^(?:--version|--help|-h|-V)$/.test(word)) ? undefined : urlHosts(words);
  if (REMOTES.has(name)) return "any";
  if (name === "rsync")
    return words.some((word) => /^(?:[\w.-]+@)?[\w.-]+:|^rsync:/.test(word)) ? "any" : undefined;
  if (name === "git") {
    const at = words.findIndex(
      (word, index) => !word.startsWith("-") && !/^-[cC]$/.test(words[index - 1] ?? ""),
    );
    const sub = words[at] ?? "";
    if (sub === "remote" && /^(?:update|show|prune)$/.test(words[at + 1] ?? "")) return "any";
    if (sub === "submodule" && /^(?:update|add)$/.test(words[at + 1] ?? "")) return "any";
    if (sub === "archive" && !words.some((word) => word.startsWith("--remote"))) return undefined;
    return GIT_REMOTE.has(sub) ? urlHosts(words) : undefined;
  }
  if (name === "npm" || name === "pnpm" || name === "yarn" || name === "bun") {
    const wants = NPM_REMOTE.has(first ?? (name === "yarn" ? "install" : ""));
    return wants && !(name === "bun" && first === "init") ? "registry" : undefined;
  }
  if (/^pip3?$|^pipx$|^uv$|^poetry$/.test(name)) {
    // Words after "run" belong to another program.
    const ownWords = words.includes("run") ? words.slice(0, words.indexOf("run")) : words;
    const wants = ownWords.some((word) => /^(?:install|download|index|search|add|sync|publish)$/.test(word));
    const local = words.some((word) => word === "--no-index");
    return wants && !local ? "registry" : undefined;
  }
  if (/^python3?(?:\.\d+)?$/.test(name) && words[0] === "-m" && words[1] === "pip")
    return words.includes("install") || words.includes("download") ? "registry" : undefined;
  if (name === "cargo")
    return /^(?:install|publish|update|fetch|search|login|add)$/.test(first ?? "") ? "registry" : undefined;
  if (name === "go")
    return /^(?:get|install)$/.test(first ?? "") || (first === "mod" && words.includes("download"))
      ? "any"
      : undefined;
  if (/^(?:docker|podman)$/.test(name))
    return /^(?:pull|push|login|search|build|run)$/.test(first ?? "") ? "any" : undefined;
  if (/^(?:apt|apt-get|brew|dnf|yum|apk|pacman|gem|conda|mamba|bundle|composer)$/.test(name))
    return /^(?:install|update|upgrade|add|fetch|download|-S\w*|search|push|require)$/.test(
      first ?? words[0] ?? "",
    )
      ? "any"
      : undefined;
  return undefined;
}

function urlHosts(words: readonly string[]): readonly string[] | "any" {
  const urls = words.filter((word) => /^[a-z][a-z0-9+.-]*:\/\//i.test(word));
  if (urls.length === 0) return "any";
  const hosts = urls.map((url) =>
    URL.canParse(url) && /^https?:/i.test(url) ? new URL(url).host : undefined,
  );
  return hosts.every((host) => host !== undefined) ? hosts : "any";
}
