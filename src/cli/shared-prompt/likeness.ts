import { readFileSync, readlinkSync, statSync } from "node:fs";
import { join } from "node:path";
import type { HarnessPaths } from "../../base/files/harness-paths.ts";
import type { Random } from "../../base/world.ts";
import type { Likeness } from "../../server/prompt/frames.ts";
import { isCompiled } from "../processes/internal.ts";
import { PASSPHRASE } from "../secrets.ts";
import { VERSION } from "../version.ts";
import { processRights } from "./process-rights.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Variables that an engine reads for all its sessions, not from each session's own environment: for the network, for
 * logging in, for traces, and for folders.
 */
export const OF_THE_ENGINE =
  /^(?:(?:HTTPS?|NO|ALL)_PROXY|(?:https?|no|all)_proxy|SSL_CERT_(?:FILE|DIR)|NODE_EXTRA_CA_CERTS|NODE_TLS_REJECT_UNAUTHORIZED|RES_OPTIONS|LOCALDOMAIN|OTEL_.*|TRACEPARENT|GOOGLE_.*|GCLOUD_PROJECT|CLOUDSDK_.*|GCE_.*|CLOUD_ML_.*|.*VERTEX.*|DBUS_SESSION_BUS_ADDRESS|XDG_RUNTIME_DIR|HOME|TMPDIR|TZ|LANG|LC_.*)$/s;

/** Settings that are looked for in the text, before any parser is loaded. */
const PASSED = "pass_env";
const TOKEN = "token_env";

const NAMESPACES = ["mnt", "net", "pid", "user"];

const SALT_BYTES = 16;

/** The hash of the keys of a process that keeps them, and its salt. */
export interface KeysHash {
  readonly salt: string;
  readonly print: string;
}

/** Returns a new key of hashes. */
export function newSalt(random: Pick<Random, "bytes">): string {
  return Buffer.from(random.bytes(SALT_BYTES)).toString("base64url");
}

/**
 * Returns the facts of this process by which it finds out if it can share an engine (PERF-07). Each is a hash under
 * `salt`, which only the owner's processes can read: it tells equal from different and nothing else.
 * @param keys the hash of the keys, from `keysPrint`.
 */
export function likenessOf(
  env: Environment,
  { config, data, state }: HarnessPaths,
  { salt, keys }: { readonly salt: string; readonly keys: string },
): Likeness {
  const text = configText(config);
  return {
    build: build(),
    place: Object.fromEntries(
      [
        ["the configuration folder", config],
        ["the data folder", data],
        ["the state folder", state],
        ["the umask", `${process.umask()}`],
        ["the group", `${process.getgid?.()}`],
        ...NAMESPACES.map((name) => [`the ${name} namespace`, namespace(name)] as const),
        ...processRights(),
        ...named(env, (name) => OF_THE_ENGINE.test(name)),
      ].map(([name, value]) => [name, print(salt, [name, value])]),
    ),
    config: print(salt, [text]),
    keys,
    passed: print(salt, pairs(env, passes(text))),
  };
}

/**
 * Returns the hash of the keys and the machine key in these variables, and of the state of the key store. Of a
 * passphrase it holds only if one is set: its hash could be guessed much faster than the key made from it.
 */
export function keysPrint(salt: string, variables: Environment, directory: string | undefined): string {
  const store = directory === undefined ? "" : stateOf(join(directory, "creds.enc"));
  const hasPassphrase = `${variables[PASSPHRASE] !== undefined}`;
  const isHashed = (name: string) => name !== "CINCH_TOKEN" && name !== PASSPHRASE;
  return print(salt, [store, hasPassphrase, ...pairs(variables, isHashed)]);
}

/** Returns the variables that this process has, with `name=value`, sorted by name. */
function pairs(env: Environment, isMeant: (name: string) => boolean): readonly string[] {
  return named(env, isMeant).map(([name, value]) => `${name}=${value}`);
}

/** Returns names and values of the variables that this process has, sorted by name. */
function named(env: Environment, isMeant: (name: string) => boolean): (readonly [string, string])[] {
  return Object.keys(env)
    .sort()
    .flatMap((name) => {
      const value = env[name];
      return value !== undefined && isMeant(name) ? [[name, value] as const] : [];
    });
}

/** A quoted name behind `token_env`. */
const PLAIN_NAME = /^["']?\s*=\s*(?:"(\w+)"|'(\w+)')/;

/** A list of quoted names behind `pass_env`, with nothing else in it. */
const PLAIN_LIST = /^["']?\s*=\s*\[((?:\s|,|"\w*"|'\w*')*)\]/;

/**
 * Returns a test for the variables that `pass_env` and `token_env` name in a config.toml, without parsing it. Every
 * variable counts if one of the values is not plain, or if the file has escapes, which could spell the key in another
 * way.
 */
function passes(text: string): (name: string) => boolean {
  if (text.includes("\\")) return () => true;
  const names = new Set<string>();
  for (const behind of text.split(PASSED).slice(1)) {
    const list = PLAIN_LIST.exec(behind)?.[1];
    if (list === undefined) return () => true;
    for (const [name] of list.matchAll(/\w+/g)) names.add(name);
  }
  for (const behind of text.split(TOKEN).slice(1)) {
    const [found, double, single] = PLAIN_NAME.exec(behind) ?? [];
    if (found === undefined) return () => true;
    names.add(double ?? single ?? "");
  }
  return (name) => names.has(name);
}

/** Hashes texts so that no two lists of them have the same hash. */
function print(salt: string, texts: readonly string[]): string {
  return new Bun.CryptoHasher("sha256", salt).update(JSON.stringify(texts)).digest("base64url");
}

/** Returns the version and the identity of the executable: two builds of one version may differ. */
function build(): string {
  return `${VERSION} ${isCompiled() ? stateOf(process.execPath) : Bun.main}`;
}

function stateOf(path: string): string {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats === undefined ? "" : `${stats.dev}:${stats.ino}:${stats.size}:${stats.mtimeMs}`;
}

function namespace(name: string): string {
  try {
    return readlinkSync(`/proc/self/ns/${name}`);
  } catch {
    return ""; // a system without them has one of each
  }
}

/** Returns the text of the `config.toml` in a folder; empty without one. */
export function configText(folder: string): string {
  try {
    return readFileSync(join(folder, "config.toml"), "utf8");
  } catch {
    return ""; // missing, or reported by the engine
  }
}
