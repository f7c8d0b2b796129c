import type { NetworkPolicy } from "../../../session/guard/sandbox.ts";

/**
 * Variables that name a service of the host which is unreachable inside: a program that tried it would only wait
 * or complain.
 */
const CLOSED =
  /^(?:SSH_AUTH_SOCK|SSH_AGENT_PID|SSH_CONNECTION|SSH_CLIENT|SSH_TTY|GPG_AGENT_INFO|DBUS_.*|XDG_RUNTIME_DIR|DISPLAY|WAYLAND_DISPLAY|XAUTHORITY|DOCKER_HOST|CONTAINER_HOST|TMUX|TMUX_PANE|STY|VSCODE_.*|GIT_ASKPASS|SSH_ASKPASS|KRB5CCNAME|NOTIFY_SOCKET|LISTEN_FDS|LISTEN_PID|LISTEN_FDNAMES|TMP|TEMP|TEMPDIR|TMPDIR)$/;

/** Caches without which a build does not start, and which cannot be written in the user's home. */
const CACHES: Readonly<Record<string, string>> = {
  GOCACHE: "/tmp/.cache/go-build",
  UV_CACHE_DIR: "/tmp/.cache/uv",
  npm_config_logs_dir: "/tmp/.cache/npm-logs",
};

/**
 * Download caches, used if there is a network: a download that cannot be stored fails. Without a network the user's
 * own caches are more useful, since they can be read.
 */
const DOWNLOADS: Readonly<Record<string, string>> = {
  npm_config_cache: "/tmp/.cache/npm",
  YARN_CACHE_FOLDER: "/tmp/.cache/yarn",
  PIP_CACHE_DIR: "/tmp/.cache/pip",
  GOMODCACHE: "/tmp/.cache/go-mod",
};

/** Returns the environment of a confined command: the host's, without variables that are useless inside. */
export function confinedEnvironment(
  env: Readonly<Record<string, string>>,
  network: NetworkPolicy,
): Readonly<Record<string, string>> {
  const passed = Object.entries(env).filter(
    ([name]) => !CLOSED.test(name) && !PROXIES.includes(name.toLowerCase()),
  );
  return {
    ...CACHES,
    ...(network.kind === "off" ? {} : DOWNLOADS),
    ...Object.fromEntries(passed),
    ...(network.kind === "off" ? {} : proxyVariables(network)),
    TMPDIR: "/tmp",
  };
}

const PROXIES: readonly string[] = ["http_proxy", "https_proxy", "all_proxy", "ftp_proxy", "no_proxy"];

/** Returns the proxy variables in both spellings, since programs know one or the other. */
function proxyVariables({
  proxy,
  direct,
}: Extract<NetworkPolicy, { readonly kind: "proxy" }>): Readonly<Record<string, string>> {
  const lower = {
    http_proxy: proxy,
    https_proxy: proxy,
    all_proxy: proxy,
    no_proxy: direct.join(","),
  };
  const upper = Object.entries(lower).map(([name, value]) => [name.toUpperCase(), value] as const);
  return { ...lower, ...Object.fromEntries(upper), NODE_USE_ENV_PROXY: "1" };
}
