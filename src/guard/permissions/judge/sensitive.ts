import { relativeWithin } from "../../../base/files/below.ts";
import type { CallPlan, CallTarget } from "../../../tools/tool.ts";
import { startupPaths } from "../../sandbox/policy/hidden-paths.ts";
import { unquoted } from "../rules/command-patterns.ts";
import type { WorkspacePaths } from "../rules/workspace-paths.ts";
import { foldedComponents, foldersOf, pathsOfUse } from "../rules/workspace-paths.ts";

/**
 * Folder of provider keys in a repository's working copy: neither read nor written without a person (CRED-03, S39).
 */
const KEYS = ".harness-secrets";
/** Directories whose content decides what git or cinch run: never written without a person (S39). */
const GUARDED_DIRECTORIES: readonly string[] = [".git", ".cinch", KEYS];

type CommandTarget = Extract<CallTarget, { readonly kind: "command" }>;

/**
 * Returns what a call would touch that no rule and no `--auto-approve` may grant: `.git`, `.cinch` and
 * `.harness-secrets` of any repository, and cinch's own configuration, credentials and logs. Undefined if it touches
 * none of it.
 *
 * For a command it checks the words: only the sandbox can restrict what the shell makes of them.
 */
export function guardedTarget(
  plan: CallPlan,
  workspace: WorkspacePaths,
  {
    ownDirectories,
    steering = [],
  }: { readonly ownDirectories: readonly string[]; readonly steering?: readonly string[] },
): string | undefined {
  const { target } = plan;
  if (target.kind === "command") return guardedCommand(target, ownDirectories);
  if (target.kind !== "paths") return undefined;
  const isChanging = target.paths.some(({ access }) => access === "write");
  const startup = isChanging
    ? foldersOf(workspace).flatMap((folder) => startupPaths(workspace.home, folder))
    : [];
  const uses = target.paths.flatMap((use) => pathsOfUse(use).map((path) => ({ path, access: use.access })));
  for (const { path, access } of uses) {
    const isOwn = ownDirectories.some((directory) => relativeWithin(directory, path) !== undefined);
    const scratch = relativeWithin(workspace.scratch, path) !== undefined && access === "read";
    if (isOwn && !scratch) return `${path} belongs to cinch itself`;
    if (access === "write" && steering.includes(path)) return `${path} steers cinch`;
    if (access === "write" && startup.some((each) => relativeWithin(each.path, path) !== undefined))
      return `${path} decides what runs at your next login`;
    const directory = guardedComponent(path);
    if (directory !== undefined && (access === "write" || directory === KEYS))
      return `${path} lies in a ${directory} directory`;
  }
  return undefined;
}

/** Returns what a resolved path belongs to that no rule may grant a command; undefined if it does not. */
export function guardedPath(
  path: string,
  {
    ownDirectories,
    steering,
  }: { readonly ownDirectories: readonly string[]; readonly steering: readonly string[] },
): string | undefined {
  if (steering.includes(path)) return `${path} steers cinch`;
  if (ownDirectories.some((directory) => relativeWithin(directory, path) !== undefined))
    return `${path} belongs to cinch itself`;
  const directory = guardedComponent(path);
  return directory === undefined ? undefined : `${path} lies in a ${directory} directory`;
}

/** A command that runs in a guarded directory need not name it: an earlier `cd` persists (S14). */
function guardedCommand(
  { command, cwd }: CommandTarget,
  ownDirectories: readonly string[],
): string | undefined {
  const ownDirectory = ownDirectories.find((directory) => relativeWithin(directory, cwd) !== undefined);
  if (ownDirectory !== undefined) return `the command runs in ${cwd}, which belongs to cinch itself`;
  const directory = guardedComponent(cwd);
  if (directory !== undefined) return `the command runs in a ${directory} directory`;
  return guardedInCommand(command, ownDirectories);
}

function guardedComponent(path: string): string | undefined {
  return foldedComponents(path).find((component) => GUARDED_DIRECTORIES.includes(component));
}

function guardedInCommand(command: string, ownDirectories: readonly string[]): string | undefined {
  const text = unquoted(command).toLowerCase();
  // By its last two names, so that `~` and `$HOME` before them do not hide it.
  const ownDirectory = ownDirectories.find((directory) =>
    text.includes(directory.split("/").slice(-2).join("/").toLowerCase()),
  );
  if (ownDirectory !== undefined) return `the command names ${ownDirectory}, which belongs to cinch itself`;
  const named = /(?:^|[^a-z0-9_.-])(\.git|\.cinch|\.harness-secrets)(?![a-z0-9_.-])/.exec(text)?.[1];
  return named === undefined ? undefined : `the command names a ${named} directory`;
}

const CREDENTIAL_DIRECTORIES = new Set([
  KEYS,
  ".ssh",
  ".aws",
  ".gnupg",
  ".azure",
  ".kube",
  ".gcloud",
  "gcloud",
]);
const CREDENTIAL_FILES = new Set([
  ".netrc",
  "_netrc",
  ".npmrc",
  ".yarnrc.yml",
  ".pypirc",
  ".pgpass",
  ".my.cnf",
  ".git-credentials",
  ".vault-token",
  ".htpasswd",
  "credentials.json",
  "service-account.json",
]);
const CREDENTIAL_NAMES = [
  /^\.env(?:\..*)?$/,
  /^\.envrc$/,
  /\.(?:pem|key|p12|pfx|jks|keystore|kdbx|ppk)$/,
  /^id_(?:rsa|dsa|ecdsa|ed25519)/,
];
const HARMLESS_NAMES = /^\.env\.(?:example|sample|template|dist)$|\.pub$/;

/**
 * Returns true if a path looks like one that holds a key or password: such a path is never read without a question.
 */
export function mayHoldCredentials(path: string): boolean {
  const components = foldedComponents(path);
  const name = components.at(-1) ?? "";
  if (components.some((component) => CREDENTIAL_DIRECTORIES.has(component))) return true;
  if (components.at(-2) === ".docker" && name === "config.json") return true;
  if (CREDENTIAL_FILES.has(name)) return true;
  return CREDENTIAL_NAMES.some((pattern) => pattern.test(name)) && !HARMLESS_NAMES.test(name);
}
