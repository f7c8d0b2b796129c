import { join } from "node:path";
import { Secret } from "../../base/brand.ts";
import { HarnessError } from "../../base/errors.ts";
import type { World } from "../../base/world.ts";
import { PROVIDER_KEY_CHARACTERS_MAX } from "../../protocol/commands/run-limits.ts";
import { unknownProviderError } from "../../providers/unknown-provider.ts";
import type { CustomProvider } from "../../providers/vendors.ts";
import { PROVIDER_NAME, VENDORS } from "../../providers/vendors.ts";
import { keyVariableOf } from "../env-keys.ts";
import type { ProviderKey } from "../helper/helper-messages.ts";
import type { MachineKey } from "../machine-key.ts";
import { isCredentialName } from "../mcp/credential-name.ts";
import { DEFAULT_ACCOUNT } from "./find-keys.ts";
import type { KeyStoreChange, StoredKey } from "./key-store.ts";
import { changeKeyStore, KEY_STORE_FILE } from "./key-store.ts";

/** Returns the known providers, those of the user first. */
export function keyProviders(customs: readonly CustomProvider[]): readonly string[] {
  return [...new Set([...customs, ...VENDORS].map(({ name }) => name))];
}

/** Returns why a known provider takes no key; undefined if it takes one. */
export function keylessProblem(name: string, customs: readonly CustomProvider[]): string | undefined {
  if (name === "vertex" && !customs.some((custom) => custom.name === name))
    return "vertex takes no key of yours, but Google's Application Default Credentials: gcloud auth application-default login, or a file that GOOGLE_APPLICATION_CREDENTIALS names";
  if (keyVariableOf(name, customs) === undefined)
    return `the provider ${name} needs no key; give it an api_key_env in config.toml where it does`;
  return undefined;
}

/** Returns true if a word may be a key: too long, or with the prefix of one. It is neither printed nor stored. */
export function looksLikeKey(word: string | undefined): boolean {
  return word !== undefined && (word.length > 40 || /^(?:sk|pk|rk|key|api)[-_]/i.test(word));
}

/** Returns why a text is no key, without a part of it; undefined if it may be one. White space around it is ignored. */
export function keyProblem(text: string): string | undefined {
  const key = text.trim();
  if (key === "") return "the key is empty";
  if (key.length > PROVIDER_KEY_CHARACTERS_MAX)
    return `the key has more than ${PROVIDER_KEY_CHARACTERS_MAX} characters`;
  if (!/^[\x21-\x7e]+$/.test(key)) return "the key holds white space or characters that no key has";
  return undefined;
}

/**
 * Returns a provider's key without white space around it, if it can be stored (CRED-01).
 * @throws HarnessError UnknownProvider, ProviderKeyInvalid. Neither contains a part of the key.
 */
export function checkProviderKey(
  { provider, key }: ProviderKey,
  customs: readonly CustomProvider[],
): ProviderKey {
  const needsNone = nameProblem(provider, customs);
  if (needsNone !== undefined) throw new HarnessError("ProviderKeyInvalid", { provider, problem: needsNone });
  const wrong = keyProblem(key);
  if (wrong === undefined) return { provider, key: key.trim() };
  const problem = `${wrong}; copy the whole key again from the provider's page, on one line`;
  throw new HarnessError("ProviderKeyInvalid", { provider, problem });
}

/** @throws HarnessError UnknownProvider, and ProviderKeyInvalid for an MCP server. */
function nameProblem(name: string, customs: readonly CustomProvider[]): string | undefined {
  if (isCredentialName(name)) {
    const problem = "it is an MCP server. On the engine's machine: cinch creds add mcp:SERVER URL";
    throw new HarnessError("ProviderKeyInvalid", { provider: "mcp:SERVER", problem });
  }
  const known = keyProviders(customs);
  if (known.includes(name)) return keylessProblem(name, customs);
  // The key may have been entered in its place.
  const isShown = PROVIDER_NAME.test(name) && name.length <= SHOWN_NAME_CHARACTERS_MAX && !looksLikeKey(name);
  throw unknownProviderError(isShown ? name : "(not shown)", known);
}

/** A longer word that is no provider is not repeated. */
const SHOWN_NAME_CHARACTERS_MAX = 24;

/** The store of this installation. */
export interface KeyStoreLocation {
  /** The configuration directory, and the key that encrypts its files; absent without a home directory. */
  readonly directory: string | undefined;
  readonly machineKey: MachineKey | undefined;
  readonly customs: readonly CustomProvider[];
}

/**
 * Checks the key of a provider and stores it; returns true if it replaced one.
 * @throws HarnessError MachineKeyUnusable without a home directory; as `checkProviderKey` and `keepProviderKey`.
 */
export async function storeProviderKey(
  entered: ProviderKey,
  { directory, machineKey, customs }: KeyStoreLocation,
  { random, clock }: Pick<World, "random" | "clock">,
): Promise<boolean> {
  const { provider, key } = checkProviderKey(entered, customs);
  if (directory === undefined || machineKey === undefined)
    throw new HarnessError("MachineKeyUnusable", {
      source: "machine.key",
      problem: "there is no home directory to keep it in",
    });
  const store = { path: join(directory, KEY_STORE_FILE), machineKey, random, clock };
  return await keepProviderKey(store, { provider, secret: new Secret("api-key", key) }, clock.now());
}

/**
 * Stores a key in the encrypted store; returns true if it replaced one.
 * @throws HarnessError as `changeKeyStore`.
 */
export async function keepProviderKey(
  store: KeyStoreChange,
  { provider, account = DEFAULT_ACCOUNT, secret }: KeptKey,
  nowMs: number,
): Promise<boolean> {
  const addedAt = new Date(nowMs).toISOString();
  let isReplaced = false;
  await changeKeyStore(store, (keys) => {
    const others = keys.filter((key) => key.provider !== provider || key.account !== account);
    isReplaced = others.length < keys.length;
    return [...others, { provider, account, secret, addedAt }];
  });
  return isReplaced;
}

/** A key to store. Default account: `default`. */
export type KeptKey = Pick<StoredKey, "provider" | "secret"> & Partial<Pick<StoredKey, "account">>;
