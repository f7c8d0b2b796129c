import { isAbsolute, join } from "node:path";
import { cleanPath, isWithin, relativeWithin } from "../../../base/files/below.ts";
import type { Files } from "../../../base/world.ts";
import { codeOf } from "../../../base/world.ts";
import type { ProtectedPath } from "../../../session/guard/sandbox.ts";
import { foreignLink } from "./link-walk.ts";
import type { WorkFolders } from "./system-paths.ts";
import {
  isHiddenThroughLinks,
  isHiddenThroughOwnLinks,
  isReplacedPath,
  isSystemPath,
} from "./system-paths.ts";

/** Paths below the home directory that hold keys, tokens, passwords or typed input. */
const IN_HOME: readonly string[] = [
  // keys and agents
  ".ssh",
  ".gnupg",
  ".password-store",
  ".local/share/keyrings",
  ".local/share/kwalletd",
  ".local/share/password-store",
  ".pki",
  ".config/op",
  ".config/Bitwarden",
  ".config/Bitwarden CLI",
  ".config/1Password",
  ".config/keepassxc",
  ".config/sops",
  ".config/age",
  ".vault-token",
  ".netrc",
  "_netrc",
  ".pgpass",
  ".my.cnf",
  ".mylogin.cnf",
  ".curlrc",
  ".wgetrc",
  ".msmtprc",
  ".mbsyncrc",
  ".fetchmailrc",
  ".Xauthority",
  ".ICEauthority",
  // clouds
  ".aws",
  ".azure",
  ".config/gcloud",
  ".kube",
  ".config/doctl",
  ".config/hcloud",
  ".config/rclone",
  ".config/fly",
  ".fly",
  ".oci",
  ".bluemix",
  ".s3cfg",
  ".boto",
  ".terraform.d",
  ".terraformrc",
  ".pulumi",
  ".cloudflared",
  ".wrangler",
  ".config/.wrangler",
  ".config/linode-cli",
  ".linode-cli",
  ".mc",
  ".databrickscfg",
  ".snowflake",
  ".snowsql",
  ".dbt/profiles.yml",
  ".config/heroku",
  ".local/share/heroku",
  // forges and registries
  ".config/gh",
  ".config/glab-cli",
  ".config/hub",
  ".config/tea",
  ".git-credentials",
  ".config/git/credentials",
  ".npmrc",
  ".yarnrc.yml",
  ".config/configstore",
  ".pypirc",
  ".config/pip",
  ".pip/pip.conf",
  ".cargo/credentials",
  ".cargo/credentials.toml",
  ".gem/credentials",
  ".bundle/config",
  ".sentryclirc",
  ".local/share/gem/credentials",
  ".m2/settings.xml",
  ".m2/settings-security.xml",
  ".gradle/gradle.properties",
  ".composer/auth.json",
  ".config/composer/auth.json",
  ".nuget/NuGet",
  ".docker",
  ".config/containers/auth.json",
  ".config/helm",
  ".config/huggingface",
  ".cache/huggingface/token",
  ".huggingface",
  ".kaggle",
  ".netlify",
  ".config/netlify",
  ".local/share/com.vercel.cli",
  ".config/stripe",
  ".config/ngrok",
  ".ngrok2",
  // other agents
  ".claude",
  ".claude.json",
  ".codex",
  ".gemini",
  ".config/github-copilot",
  ".local/share/opencode",
  ".config/opencode",
  ".aider.conf.yml",
  ".cursor",
  ".qwen",
  ".continue",
  ".config/goose",
  ".config/Cursor",
  ".config/Code/User/globalStorage",
  // browsers and mail
  ".mozilla",
  ".thunderbird",
  ".config/google-chrome",
  ".config/chromium",
  ".config/BraveSoftware",
  ".config/microsoft-edge",
  ".config/vivaldi",
  ".config/opera",
  ".config/evolution",
  ".config/Slack",
  ".config/discord",
  ".config/Signal",
  "snap/firefox",
  "snap/chromium",
  ".var/app",
  // what was typed
  ".bash_history",
  ".zsh_history",
  ".local/share/fish/fish_history",
  ".python_history",
  ".node_repl_history",
  ".psql_history",
  ".mysql_history",
  ".sqlite_history",
  ".irb_history",
  ".zhistory",
  ".histfile",
  ".ipython/profile_default/history.sqlite",
  ".rediscli_history",
  ".lesshst",
  ".viminfo",
  ".wget-hsts",
];

/** Further paths on macOS. */
const IN_HOME_MAC: readonly string[] = [
  "Library/Keychains",
  "Library/Cookies",
  "Library/Application Support/Google/Chrome",
  "Library/Application Support/Firefox",
  "Library/Application Support/BraveSoftware",
  "Library/Safari",
  "Library/Mail",
  "Library/Messages",
];

/** Paths of the machine. An ordinary user could read few of them; root could read all. */
const OF_THE_MACHINE: readonly string[] = [
  "/etc/shadow",
  "/etc/shadow-",
  "/etc/gshadow",
  "/etc/gshadow-",
  "/etc/sudoers",
  "/etc/sudoers.d",
  "/etc/ssl/private",
  "/etc/krb5.keytab",
  "/etc/kubernetes",
  "/etc/rancher",
  "/etc/wireguard",
  "/etc/NetworkManager/system-connections",
  "/etc/docker",
  "/etc/letsencrypt",
  "/var/lib/docker",
  "/var/lib/containerd",
  "/var/lib/kubelet",
  "/var/lib/sss",
  "/var/spool/cron",
  "/var/mail",
  "/var/spool/mail",
];

/** Folders that hold most paths of the machine. */
const MACHINE_FOLDERS: readonly string[] = ["/etc", "/var"];

/** Names of keys that lie among readable files. */
const HOST_KEYS = /^ssh_host_.*_key$/;

/**
 * Variables that name a credential path instead of the usual one: a file, a folder, or several separated by colons.
 */
const NAMED: readonly string[] = [
  "ANSIBLE_VAULT_PASSWORD_FILE",
  "AWS_CONFIG_FILE",
  "AWS_SHARED_CREDENTIALS_FILE",
  "AWS_WEB_IDENTITY_TOKEN_FILE",
  "AZURE_CONFIG_DIR",
  "BOTO_CONFIG",
  "CLAUDE_CONFIG_DIR",
  "CLOUDSDK_CONFIG",
  "CODEX_HOME",
  "DOCKER_CONFIG",
  "GH_CONFIG_DIR",
  "GLAB_CONFIG_DIR",
  "GNUPGHOME",
  "GOOGLE_APPLICATION_CREDENTIALS",
  "HF_TOKEN_PATH",
  "HISTFILE",
  "KRB5_KTNAME",
  "KUBECONFIG",
  "NETRC",
  "NPM_CONFIG_USERCONFIG",
  "npm_config_userconfig",
  "PASSWORD_STORE_DIR",
  "PGPASSFILE",
  "PIP_CONFIG_FILE",
  "RCLONE_CONFIG",
  "REGISTRY_AUTH_FILE",
  "SOPS_AGE_KEY_FILE",
  "TF_CLI_CONFIG_FILE",
];
/** Folders that hold more than credentials, by the variable that names them, with their credential files. */
const NAMED_FOLDERS: Readonly<Record<string, readonly string[]>> = {
  CARGO_HOME: ["credentials", "credentials.toml"],
  COMPOSER_HOME: ["auth.json"],
  GRADLE_USER_HOME: ["gradle.properties"],
  HF_HOME: ["token"],
  PULUMI_HOME: ["credentials.json"],
};
/** Variables that move a folder of the home directory, with the folder that they move. */
const MOVED: Readonly<Record<string, string>> = {
  XDG_CONFIG_HOME: ".config",
  XDG_DATA_HOME: ".local/share",
  XDG_CACHE_HOME: ".cache",
};

/**
 * Returns the credential paths that the user's environment names.
 *
 * Leaves out paths of the system (`AWS_CONFIG_FILE=/dev/null` means "no file"), and a folder that holds the home or
 * the workspace: such a value is a mistake, and hiding it would make work impossible.
 */
export function environmentPaths(
  environment: Readonly<Record<string, string>>,
  workFolders: readonly string[],
): readonly string[] {
  const paths = [
    ...NAMED.flatMap((name) => environment[name]?.split(":") ?? []),
    ...Object.entries(NAMED_FOLDERS).flatMap(([name, files]) => filesIn(environment[name], files)),
    ...Object.entries(MOVED).flatMap(([name, folder]) => {
      return filesIn(
        environment[name],
        IN_HOME.flatMap((path) => relativeWithin(folder, path) || []),
      );
    }),
  ];
  return paths.flatMap((path) => {
    if (!isAbsolute(path)) return [];
    const place = cleanPath(path);
    const holds = workFolders.some((each) => isWithin(place, each));
    return holds || isSystemPath(place) ? [] : [place];
  });
}

function filesIn(folder: string | undefined, names: readonly string[]): readonly string[] {
  return folder === undefined || folder === "" ? [] : names.map((name) => join(folder, name));
}

/** Returns every path that may be worth hiding on this machine, existing or not. */
export function usualCredentialPaths(
  home: string | undefined,
  platform: "linux" | "darwin" | "win32",
): readonly string[] {
  const inHome = [...IN_HOME, ...(platform === "darwin" ? IN_HOME_MAC : [])];
  return [
    ...(home?.startsWith("/") === true ? inHome.map((path) => join(home, path)) : []),
    ...OF_THE_MACHINE,
  ];
}

/**
 * Returns the paths that exist, in the form in which they are mounted over: with every link resolved. For a link, the
 * file that it leads to is hidden, unless commands or a repository could have made the link, and it leads to the
 * system's own (`isHiddenThroughLinks`).
 */
export async function existingHiddenPaths(
  files: Files,
  wanted: readonly string[],
  work: WorkFolders,
): Promise<readonly string[]> {
  const found = await Promise.all(
    wanted.map(async (path) => {
      const target = await resolved(files, path);
      if (target === undefined || isReplacedPath(target, work.platform)) return undefined;
      if (target === cleanPath(path)) return target;
      const isForeign =
        (await foreignLink(files, path, { folders: [work.root, ...work.writable], home: work.home })) !==
        undefined;
      return (isForeign ? isHiddenThroughLinks : isHiddenThroughOwnLinks)(target, work) ? target : undefined;
    }),
  );
  return [...new Set([...found.flatMap((path) => path ?? []), ...(await hostKeys(files))])];
}

async function hostKeys(files: Files): Promise<readonly string[]> {
  if ((await files.stat("/etc/ssh"))?.kind !== "directory") return [];
  const entries = await files.list("/etc/ssh").catch(unlessRefused);
  return entries.flatMap(({ name }) => (HOST_KEYS.test(name) ? [`/etc/ssh/${name}`] : []));
}

/** Returns no entries where access is refused: a command is refused too. */
function unlessRefused(thrown: unknown): [] {
  if (codeOf(thrown) === "EACCES") return [];
  throw thrown;
}

/** Returns undefined for a missing path, and where access is refused: a command is refused too. */
async function resolved(files: Files, path: string): Promise<string | undefined> {
  try {
    return await files.realpath(path);
  } catch {
    return undefined;
  }
}

/**
 * Files and folders of a home directory that a login, a shell or a desktop session runs or reads at its start.
 * Further files that the user's own startup files name are not known.
 */
const AT_START: readonly (readonly [path: string, kind: ProtectedPath["kind"]])[] = [
  [".bashrc", "file"],
  [".bash_profile", "file"],
  [".bash_login", "file"],
  [".bash_logout", "file"],
  [".bash_aliases", "file"],
  [".profile", "file"],
  [".zshrc", "file"],
  [".zshenv", "file"],
  [".zprofile", "file"],
  [".kshrc", "file"],
  [".mkshrc", "file"],
  [".cshrc", "file"],
  [".tcshrc", "file"],
  [".login", "file"],
  [".logout", "file"],
  [".bash_completion", "file"],
  [".bashrc.d", "directory"],
  [".cargo/env", "file"],
  [".direnvrc", "file"],
  [".config/direnv", "directory"],
  [".config/zsh", "directory"],
  [".config/nushell", "directory"],
  [".config/elvish", "directory"],
  [".config/xonsh", "directory"],
  [".config/i3", "directory"],
  [".config/sway", "directory"],
  [".config/hypr", "directory"],
  [".config/openbox", "directory"],
  ["bin", "directory"],
  [".zlogin", "file"],
  [".zlogout", "file"],
  [".xprofile", "file"],
  [".xsessionrc", "file"],
  [".pam_environment", "file"],
  [".gitconfig", "file"],
  [".config/git", "directory"],
  [".config/autostart", "directory"],
  [".config/systemd", "directory"],
  [".config/environment.d", "directory"],
  [".config/fish", "directory"],
  [".config/plasma-workspace", "directory"],
  [".config/user-tmpfiles.d", "directory"],
  [".local/bin", "directory"],
  [".local/share/systemd", "directory"],
];

/**
 * Files that end a login session if they are empty: closed where they exist, otherwise only named after the command.
 */
const AT_START_OF_X = [".xsession", ".xinitrc"];

/**
 * Returns the paths below a home directory that must not change: those in the workspace, or the workspace itself if
 * it lies in one of them. `home` and `root` are resolved.
 */
export function startupPaths(home: string | undefined, root: string): readonly ProtectedPath[] {
  if (home === undefined) return [];
  const always = AT_START.flatMap(([path, kind]): readonly ProtectedPath[] => {
    const place = join(home, path);
    if (isWithin(place, root)) return [{ path: root, kind: "directory" }];
    return isWithin(root, place) ? [{ path: place, kind }] : [];
  });
  const ofX = AT_START_OF_X.map((name) => join(home, name)).filter((path) => isWithin(root, path));
  return [...always, ...ofX.map((path) => ({ path, kind: "file", onlyWhereThere: true }) as const)];
}

/**
 * Returns the files with quick looks where most places of a policy lie: a session's first command waits for a thousand.
 * @param folders further folders, such as the home.
 */
export async function withQuickLooks(
  files: Files,
  ...folders: readonly (string | undefined)[]
): Promise<Files> {
  const below = [...folders.flatMap((folder) => folder ?? []), ...MACHINE_FOLDERS];
  return { ...files, ...(await files.quickBelow?.(below)) };
}

/** Resolves the home directory: with a link to it, or into it, every path in it would look like another. */
export async function resolveHome(files: Files, home: string | undefined): Promise<string | undefined> {
  if (home === undefined || !home.startsWith("/")) return undefined;
  try {
    return await files.realpath(home);
  } catch {
    return home; // missing: nothing is in it, by whatever name
  }
}
