import { join } from "node:path";
import { Secret } from "../../../base/brand.ts";
import { defined } from "../../../base/defined.ts";
import { nearestWords } from "../../../base/text/near.ts";
import { keyVariableOf } from "../../../credentials/env-keys.ts";
import { findGoogleCredentials } from "../../../credentials/helper/find-google-credentials.ts";
import type { HeldKey } from "../../../credentials/helper/helper-messages.ts";
import type { Keychain, MachineKey } from "../../../credentials/machine-key.ts";
import { openMachineKey } from "../../../credentials/machine-key.ts";
import { isCredentialName } from "../../../credentials/mcp/credential-name.ts";
import { DEFAULT_ACCOUNT, findKeys, usedKeys } from "../../../credentials/store/find-keys.ts";
import type { StoredKey } from "../../../credentials/store/key-store.ts";
import { changeKeyStore, KEY_STORE_FILE, readKeyStore } from "../../../credentials/store/key-store.ts";
import {
  keepProviderKey,
  keylessProblem,
  keyProblem,
  keyProviders,
  looksLikeKey,
} from "../../../credentials/store/provider-key.ts";
import { hostClock } from "../../../platform/clock.ts";
import { makeUndumpable } from "../../../platform/processes/undumpable.ts";
import { hostRandom } from "../../../platform/random.ts";
import type { CopilotSettings } from "../../../providers/vendor-settings.ts";
import type { CustomProvider } from "../../../providers/vendors.ts";
import type { ExitCode } from "../../../session/commands/cli-command.ts";
import { EXIT } from "../../../session/commands/cli-command.ts";
import { neutraliseLine } from "../../../view/terminal/terminal-text.ts";
import { misuse } from "../../args/misuse.ts";
import { cinchPaths } from "../../environment.ts";
import { standardError, standardOutput } from "../../io/output.ts";
import { PROMPT_FIRST_BYTE_MS_MAX, readStandardInput } from "../../io/standard-input.ts";
import { askSecret } from "../../io/terminal/secret-prompt.ts";
import type { Stop } from "../../processes/stop.ts";
import { configured, credentialPlaces, googlePlaces } from "../../secrets.ts";
import type { Settings } from "../../settings.ts";
import type { CredsContext } from "./flags.ts";
import { ON_THE_COMMAND_LINE } from "./flags.ts";

/**
 * Runs `cinch creds`: adds, lists and deletes keys of the encrypted store, without an engine (CRED-01).
 *
 * A key is typed unseen, piped in, or read from a variable; one on the command line is refused. No key is ever printed.
 */
export async function run({ verb, words, flags, settings, stop }: CredsContext): Promise<ExitCode> {
  makeUndumpable();
  const [provider, account, ...more] = words;
  const { "from-env": fromEnv } = flags;
  const store = await openStore(settings);
  using _key = store.machineKey;
  for (const notice of store.machineKey.notices) await standardError().write(`cinch: ${notice}\n`);
  if (verb === "rotate") return await rotateAll(store, fromEnv);
  if (verb === "list") return await list(store);
  if (provider !== undefined && isCredentialName(provider)) {
    const { runServerCreds } = await import("./creds-server.ts");
    const readSecret = async () => checkedKey(await secretFrom(fromEnv, provider, stop));
    const call = { verb, name: provider, words: words.slice(1) };
    return await runServerCreds(call, { ...store, readSecret, signal: stop.signal });
  }
  if (verb === "login") return await login(store, words, stop);
  const known = knownProvider(provider, store.customs);
  if (more.length > 0 || looksLikeKey(account)) throw misuse(ON_THE_COMMAND_LINE);
  const name = accountName(account ?? DEFAULT_ACCOUNT);
  if (verb === "logout") loggedInTo(known);
  return verb === "add" ? await add(store, known, name, { fromEnv, stop }) : await remove(store, known, name);
}

interface OpenStore {
  readonly path: string;
  readonly machineKey: MachineKey;
  readonly customs: readonly CustomProvider[];
  readonly workingDir: string;
  readonly variables: Readonly<Record<string, string>>;
  readonly directory: string;
  readonly exchanged: readonly HeldKey[];
  readonly copilot: CopilotSettings;
}

async function openStore(settings: Settings): Promise<OpenStore> {
  const directory = cinchPaths(process.env).config;
  const { variables, workingDir } = await credentialPlaces(process.env, settings);
  const { customs, keychain, settings: vendors } = await configured(directory);
  const google = await googlePlaces(process.env, settings, directory);
  const [machineKey, passphrase] = [variables["CINCH_MACHINE_KEY"], variables["CINCH_PASSPHRASE"]];
  const timed = keychain ? await openKeychain() : undefined;
  const opened = await openMachineKey({
    directory,
    random: hostRandom,
    insecureDevKey: settings.insecureDevKey,
    ...defined({ machineKey, passphrase, keychain: timed }),
  });
  return {
    path: join(directory, KEY_STORE_FILE),
    machineKey: opened,
    customs,
    workingDir,
    variables,
    directory,
    exchanged: google === undefined ? [] : [(await findGoogleCredentials(google)).heldKey],
    copilot: vendors?.copilot ?? {},
  };
}

async function openKeychain(): Promise<Keychain> {
  const { systemKeychain, timedKeychain } = await import("../../../credentials/keychain.ts");
  return timedKeychain(systemKeychain(), hostClock);
}

/** Reads the old machine key from a variable, and finds the current one as usual. */
async function rotateAll(store: OpenStore, fromEnv: string | undefined): Promise<ExitCode> {
  const before = fromEnv === undefined ? undefined : process.env[fromEnv];
  if (before === undefined || before === "")
    throw misuse("name the variable that holds the old machine key: cinch creds rotate --from-env NAME");
  const { rotate } = await import("./creds-rotate.ts");
  const { path: credentials, directory, machineKey: now } = store;
  const { data } = cinchPaths(process.env);
  for (const line of await rotate({ credentials, data, directory, now, before })) {
    await standardOutput().write(`${line}\n`);
  }
  return EXIT.done;
}

async function add(
  store: OpenStore,
  provider: string,
  account: string,
  { fromEnv, stop }: { readonly fromEnv: string | undefined; readonly stop: Stop },
): Promise<ExitCode> {
  await readKeyStore(store); // reports an unreadable file before it asks for a key
  const secret = new Secret("api-key", checkedKey(await secretFrom(fromEnv, provider, stop)));
  await keepKey(store, { provider, account, secret }, fromEnv);
  return EXIT.done;
}

/** Stores a key, and prints where it is and which source has precedence. */
async function keepKey(
  store: OpenStore,
  { provider, account, secret }: Pick<StoredKey, "provider" | "account" | "secret">,
  fromEnv?: string,
): Promise<void> {
  const change = { ...store, random: hostRandom, clock: hostClock };
  const replaced = await keepProviderKey(change, { provider, account, secret }, hostClock.now());
  const did = replaced ? "replaced in" : "added to";
  await standardError().write(
    `cinch: the key of ${provider} (account ${account}) was ${did} ${neutraliseLine(store.path)}, encrypted under the machine key from ${store.machineKey.source}\n`,
  );
  const variable = keyVariableOf(provider, store.customs);
  if (variable !== undefined && store.variables[variable] !== undefined && variable !== fromEnv) {
    await standardError().write(`cinch: ${variable} is set, and goes before the stored key while it is\n`);
  }
}

/** Logs in to a provider that has no key: a person confirms in a browser. */
async function login(store: OpenStore, words: readonly string[], stop: Stop): Promise<ExitCode> {
  const [provider, account, ...more] = words;
  const known = loggedInTo(knownProvider(provider, store.customs));
  if (more.length > 0 || looksLikeKey(account)) throw misuse(ON_THE_COMMAND_LINE);
  const name = accountName(account ?? DEFAULT_ACCOUNT);
  await readKeyStore(store); // reports an unreadable file before it opens a browser
  const { loginToCopilot } = await import("./creds-login.ts");
  const keep = (secret: Secret) => keepKey(store, { provider: known, account: name, secret });
  await loginToCopilot(store.copilot, keep, stop.signal);
  return EXIT.done;
}

function loggedInTo(provider: string): string {
  if (provider === "copilot") return provider;
  throw misuse(`${provider} has keys, and no login: see cinch creds add and delete`);
}

async function remove(store: OpenStore, provider: string, account: string): Promise<ExitCode> {
  let found = false;
  await changeKeyStore({ ...store, random: hostRandom, clock: hostClock }, (keys) => {
    const others = keys.filter((key) => key.provider !== provider || key.account !== account);
    found = others.length < keys.length;
    return others;
  });
  if (!found)
    throw misuse(`there is no stored key of ${provider} for the account ${account}; see cinch creds list`);
  await standardError().write(`cinch: the key of ${provider} (account ${account}) was deleted\n`);
  return EXIT.done;
}

/** Prints one key a line: provider, account, date, and if it is used or which source has precedence. */
async function list(store: OpenStore): Promise<ExitCode> {
  const stored = await readKeyStore(store);
  const used = usedKeys(stored);
  const { heldKeys: foundKeys, notices } = await findKeys(store);
  const sources = new Map(foundKeys.map(({ provider, source }) => [provider, source]));
  const rows = [...stored].sort(byName).map(({ provider, account, addedAt }) => {
    const source = sources.get(provider) ?? KEY_STORE_FILE;
    const chosen = used.get(provider)?.account ?? account;
    const before = source === KEY_STORE_FILE ? `the account ${chosen}` : source;
    const isUsed = isCredentialName(provider) || (source === KEY_STORE_FILE && chosen === account);
    return [provider, account, addedAt, isUsed ? "used" : `not used: ${before} goes before`];
  });
  const elsewhere = foundKeys
    .filter(({ source }) => source !== KEY_STORE_FILE)
    .map(({ provider, source, problem }) => [
      provider,
      "-",
      "-",
      problem === undefined ? `used, from ${source}` : `not usable: ${problem}`,
    ]);
  for (const notice of notices) await standardError().write(`cinch: ${neutraliseLine(notice)}\n`);
  const lines = [...rows, ...elsewhere].map((row) => row.map((cell) => neutraliseLine(cell)).join("\t"));
  if (lines.length === 0)
    await standardError().write("cinch: there is no key; add one with cinch creds add PROVIDER\n");
  await standardOutput().write(lines.map((line) => `${line}\n`).join(""));
  return EXIT.done;
}

function byName(one: StoredKey, other: StoredKey): number {
  return `${one.provider} ${one.account}` < `${other.provider} ${other.account}` ? -1 : 1;
}

function knownProvider(name: string | undefined, customs: readonly CustomProvider[]): string {
  const known = keyProviders(customs);
  if (name === undefined) throw misuse(`name a provider: ${known.join(", ")}`);
  if (!known.includes(name)) {
    if (looksLikeKey(name)) throw misuse(ON_THE_COMMAND_LINE);
    const [meant] = nearestWords(name, known);
    const hint = meant === undefined ? "" : `; did you mean ${meant}?`;
    const end = hint === "" ? "." : "";
    throw misuse(`there is no provider "${neutraliseLine(name)}"${hint}${end} Known: ${known.join(", ")}`);
  }
  const problem = keylessProblem(name, customs);
  if (problem !== undefined) throw misuse(problem);
  return name;
}

function accountName(name: string): string {
  if (/^[A-Za-z0-9][A-Za-z0-9_.@-]{0,63}$/.test(name)) return name;
  throw misuse("an account is named by letters, digits and . _ @ -, at most 64 of them");
}

async function secretFrom(fromEnv: string | undefined, provider: string, stop: Stop): Promise<string> {
  if (fromEnv !== undefined) {
    const value = process.env[fromEnv];
    if (value === undefined || value.trim() === "")
      throw misuse(`--from-env: ${fromEnv} is not set, or empty`);
    return value;
  }
  if (process.stdin.isTTY === true) return await askSecret(`Key of ${provider} (not shown): `, stop.signal);
  const input = await readStandardInput({
    clock: hostClock,
    firstByteMsMax: PROMPT_FIRST_BYTE_MS_MAX,
    signal: stop.signal,
  });
  if (input.kind === "text") return input.text;
  throw misuse("there is no key: type it at a terminal, pipe it in, or name a variable with --from-env");
}

function checkedKey(text: string): string {
  const problem = keyProblem(text);
  if (problem !== undefined) throw misuse(`${problem}; nothing was stored`);
  return text.trim();
}
