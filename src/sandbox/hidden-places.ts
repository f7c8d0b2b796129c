import type { Files } from "../base/world.ts";
import type { ProtectedPlace } from "./sandbox.ts";

/** Below the home directory: what holds keys, tokens, passwords, or what was typed. */
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
  ".rediscli_history",
  ".lesshst",
  ".viminfo",
  ".wget-hsts",
];

/** On macOS, beside those above. */
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

/** Of the machine. An ordinary user could read few of them; root could read all. */
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

/** Keys that lie among files which may be read. */
const HOST_KEYS = /^ssh_host_.*_key$/;

/** Every place that may be worth hiding on this machine, whether it is there or not. */
export function candidates(
  home: string | undefined,
  platform: "linux" | "darwin" | "win32",
): readonly string[] {
  const inHome = [...IN_HOME, ...(platform === "darwin" ? IN_HOME_MAC : [])];
  return [
    ...(home?.startsWith("/") === true ? inHome.map((path) => `${home}/${path}`) : []),
    ...OF_THE_MACHINE,
  ];
}

/**
 * The places that are there, as they are mounted over: every link resolved, and where the link itself lies the file it
 * leads to is what is hidden.
 */
export async function hiddenPlaces(files: Files, wanted: readonly string[]): Promise<readonly string[]> {
  const found = await Promise.all(wanted.map((path) => resolved(files, path)));
  return [...new Set([...found.flatMap((path) => path ?? []), ...(await hostKeys(files))])];
}

async function hostKeys(files: Files): Promise<readonly string[]> {
  if ((await files.stat("/etc/ssh"))?.kind !== "directory") return [];
  const entries = await files.list("/etc/ssh");
  return entries.flatMap(({ name }) => (HOST_KEYS.test(name) ? [`/etc/ssh/${name}`] : []));
}

/** Undefined where nothing is, and where we may not look, as the command may not either. */
async function resolved(files: Files, path: string): Promise<string | undefined> {
  try {
    return await files.realpath(path);
  } catch {
    return undefined;
  }
}

/** Of a home directory: what runs at the next login, or decides what does. */
const AT_START: readonly (readonly [path: string, kind: ProtectedPlace["kind"]])[] = [
  [".bashrc", "file"],
  [".bash_profile", "file"],
  [".bash_login", "file"],
  [".bash_logout", "file"],
  [".profile", "file"],
  [".zshrc", "file"],
  [".zshenv", "file"],
  [".zprofile", "file"],
  [".zlogin", "file"],
  [".gitconfig", "file"],
  [".config/git", "directory"],
  [".config/autostart", "directory"],
  [".config/systemd", "directory"],
  [".config/environment.d", "directory"],
  [".config/fish", "directory"],
  [".local/bin", "directory"],
];

/** What must not change where the workspace is a home directory, or holds one. */
export function startupPlaces(home: string | undefined, root: string): readonly ProtectedPlace[] {
  if (home === undefined || !(home === root || home.startsWith(`${root}/`))) return [];
  return AT_START.map(([path, kind]) => ({ path: `${home}/${path}`, kind }));
}

/** The home as the system knows it: a link to it, or into it, would make every place in it look like another. */
export async function resolvedHome(files: Files, home: string | undefined): Promise<string | undefined> {
  if (home === undefined || !home.startsWith("/")) return undefined;
  try {
    return await files.realpath(home);
  } catch {
    return home; // not there: nothing is in it, by whatever name
  }
}
