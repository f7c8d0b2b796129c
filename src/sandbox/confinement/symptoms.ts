/** What a command ran into, and what the model can do about it. */
export interface Symptom {
  readonly what: string;
  readonly remedy: string;
}

const OUTSIDE =
  "If it needs that, call Bash again with outside_sandbox: true, which asks a person; else work in the workspace or /tmp.";
const TEXT_BYTES_MAX = 65_536;

const WRITES = /Read-only file system|EROFS/;
const NETWORK =
  /Could not resolve host|Temporary failure in name resolution|Name or service not known|getaddrinfo|EAI_AGAIN|ENOTFOUND|Network is unreachable|ENETUNREACH|failed to lookup address|dial tcp|No address associated with hostname|unable to resolve host|Failed to connect to|Could not connect to/i;
const REFUSED_BY_PROXY = /CONNECT tunnel failed, response 403|cinch: .* is not on the list/;
const DENIED =
  /Operation not permitted|EPERM\b|effective uid is not 0|no new privileges|Bad system call|\[exit code 159\]/;
const HIDDEN = /Permission denied|EACCES\b/;

/**
 * Recognises a failure that the sandbox may have caused, by what programs print (SBX-04). A guess for people and the model:
 * nothing is allowed because of it.
 */
export function symptomOf(output: string, network: "off" | readonly string[]): Symptom | undefined {
  const text = output.slice(-TEXT_BYTES_MAX);
  if (WRITES.test(text)) {
    return {
      what: "only the workspace and /tmp can be written, and there not .git/hooks, .git/config and .cinch",
      remedy: OUTSIDE,
    };
  }
  if (REFUSED_BY_PROXY.test(text) || (network !== "off" && NETWORK.test(text))) {
    const hosts = network === "off" ? "" : network.join(", ");
    return { what: `the network reaches only ${hosts}`, remedy: OUTSIDE };
  }
  if (NETWORK.test(text)) return { what: "there is no network", remedy: OUTSIDE };
  if (DENIED.test(text)) {
    return {
      what: "Unix sockets, debugging other processes, mounts, namespaces and devices are closed",
      remedy: OUTSIDE,
    };
  }
  if (HIDDEN.test(text)) return { what: "credentials and sockets of the host are hidden", remedy: OUTSIDE };
  return undefined;
}
