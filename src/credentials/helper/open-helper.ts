import { defined } from "../../base/defined.ts";
import { HarnessError } from "../../base/errors.ts";
import type { Clock, Fetch, Listen, Random } from "../../base/world.ts";
import type { AuthorizedFetch } from "../../providers/authorized-fetch.ts";
import type { VendorSettings } from "../../providers/vendor-settings.ts";
import type { CustomProvider } from "../../providers/vendors.ts";
import { keyNeeds } from "../../providers/vendors.ts";
import { authorizedFetch } from "../authorized-fetch.ts";
import { fingerprintKeys, PRINT_SALT_BYTES } from "../fingerprint-keys.ts";
import type { Keychain, MachineKey } from "../machine-key.ts";
import { MACHINE_KEY_VARIABLE, openMachineKey, PASSPHRASE_VARIABLE } from "../machine-key.ts";
import { isCredentialName } from "../mcp/credential-name.ts";
import { findKeys } from "../store/find-keys.ts";
import { tokenSources } from "../token/token-sources.ts";
import { isAllowedAddress } from "./base-url.ts";
import type { FoundGoogle } from "./find-google-credentials.ts";
import { findGoogleCredentials } from "./find-google-credentials.ts";
import type { HelperReady, HelperReport, HelperStart, HelperStored, ProviderKey } from "./helper-messages.ts";
import { stringValues } from "./helper-messages.ts";
import { serveKeys } from "./serve.ts";

const TOKEN_BYTES = 32;

export interface HelperDependencies {
  readonly fetch: Fetch;
  readonly listen: Listen;
  readonly random: Random;
  readonly clock: Clock;
  /** Reads the key settings of the user's configuration. */
  readonly readSettings: (directory: string | undefined) => Promise<KeySettings>;
}

export interface KeySettings {
  readonly customs: readonly CustomProvider[];
  readonly keychain: boolean;
  /** Absent: none are configured. */
  readonly settings?: VendorSettings;
}

/** Opens the keys named by the key broker's start message, listens for the engine, and reports the result. */
export async function openHelper(start: HelperStart, parts: HelperDependencies): Promise<HelperReport> {
  const { socket } = start;
  try {
    const read = await parts.readSettings(start.directory);
    const { customs, settings = {} } = read;
    using machineKey = await machineKeyOf({ ...start, keychain: read.keychain }, parts);
    const google = start.google === undefined ? undefined : await findGoogleCredentials(start.google);
    const open = keysOpener({ start, read, google, salt: parts.random.bytes(PRINT_SALT_BYTES) }, parts);
    let current = await open(machineKey);
    const token = Buffer.from(parts.random.bytes(TOKEN_BYTES)).toString("hex");
    const servers = await mcpServers(start.directory, machineKey, parts);
    let storing: Promise<unknown> = Promise.resolve();
    const handle = serveKeys({
      token,
      send: (request) => (isCredentialName(request.provider) ? servers(request) : current.send(request)),
      clock: parts.clock,
      // The store contains the address that an MCP server's token may be sent to.
      isAllowed: (provider, url) =>
        isCredentialName(provider) || isAllowedAddress(url, provider, customs, settings),
      store(entered) {
        // One after another: an older reading must not replace a newer one.
        const stored = storing.then(() => store(entered));
        storing = stored.catch(() => undefined); // its caller gets the failure
        return stored;
      },
    });
    async function store(entered: ProviderKey): Promise<HelperStored> {
      const { storeProviderKey } = await import("../store/provider-key.ts");
      // Found again, so that this process does not keep it.
      using key = await machineKeyOf({ ...start, keychain: read.keychain }, parts);
      const place = { directory: start.directory, machineKey: key, customs };
      const replaced = await storeProviderKey(entered, place, parts);
      current = await open(key);
      return { kind: "stored", replaced, held: current.held, prints: current.prints };
    }
    await parts.listen({ target: { kind: "unix", path: socket }, handle });
    return {
      kind: "ready",
      socket,
      token,
      held: current.held,
      prints: current.prints,
      notices: [...(machineKey?.notices ?? []), ...current.notices],
      ...(machineKey === undefined
        ? {}
        : {
            machineKey: {
              source: machineKey.source,
              logKey: Buffer.from(machineKey.derive("cinch log v1")).toString("base64"),
            },
          }),
    };
  } catch (thrown) {
    if (!(thrown instanceof HarnessError)) throw thrown;
    return { kind: "refused", reason: thrown.reason, fields: stringValues(thrown.fields) };
  }
}

/** The keys as they were read, and requests with them. */
interface OpenedKeys extends Pick<HelperReady, "held" | "prints" | "notices"> {
  readonly send: AuthorizedFetch;
}

interface KeysOpenerOptions {
  readonly start: HelperStart;
  readonly read: KeySettings;
  readonly google: FoundGoogle | undefined;
  /** Salt of the fingerprints: one for all readings, so that the same key keeps its own. */
  readonly salt: Uint8Array;
}

/** Returns a function that reads every key again. */
function keysOpener(
  { start, read, google, salt }: KeysOpenerOptions,
  { fetch, clock }: Pick<HelperDependencies, "fetch" | "clock">,
): (machineKey: MachineKey | undefined) => Promise<OpenedKeys> {
  const { customs, settings = {} } = read;
  return async (machineKey) => {
    const { keys, heldKeys, notices } = await findKeys({
      ...start,
      customs,
      ...(google === undefined ? {} : { exchanged: [google.heldKey] }),
      ...defined({ machineKey }),
    });
    const send = authorizedFetch({
      fetch,
      keys,
      needsOf: (provider) => keyNeeds(provider, customs),
      tokens: tokenSources({
        ...{ keys, fetch, clock, settings, customs },
        ...(google === undefined ? {} : { google: google.origin }),
      }),
    });
    return { send, held: heldKeys, prints: await fingerprintKeys(keys, salt), notices };
  };
}

/**
 * Returns the fetch for MCP servers. Loaded with the first one; from then on it keeps the key that opens the store.
 */
async function mcpServers(
  directory: string | undefined,
  machineKey: MachineKey | undefined,
  { fetch, clock, random }: HelperDependencies,
): Promise<AuthorizedFetch> {
  if (directory === undefined || machineKey === undefined) {
    return ({ provider }) => {
      const variable = `a login: cinch creds login ${provider}`;
      throw new HarnessError("ProviderKeyMissing", { provider, variable, kept: "" });
    };
  }
  const { storedGrants } = await import("../mcp/stored-grants.ts");
  const store = storedGrants(directory, machineKey, { random, clock });
  let opened: AuthorizedFetch | undefined;
  return async (request) => {
    const { grantFetch } = await import("../mcp/grant-fetch.ts");
    opened ??= grantFetch({ store, fetch, clock });
    return await opened(request);
  };
}

async function machineKeyOf(
  start: HelperStart & Pick<KeySettings, "keychain">,
  { random, clock }: Pick<HelperDependencies, "random" | "clock">,
): Promise<MachineKey | undefined> {
  const { directory, variables, insecureDevKey } = start;
  if (directory === undefined) return undefined;
  const [machineKey, passphrase] = [variables[MACHINE_KEY_VARIABLE], variables[PASSPHRASE_VARIABLE]];
  const keychain = start.keychain ? await openKeychain(clock) : undefined;
  return await openMachineKey({
    directory,
    random,
    insecureDevKey,
    ...defined({ machineKey, passphrase, keychain }),
  });
}

async function openKeychain(clock: Clock): Promise<Keychain> {
  const { systemKeychain, timedKeychain } = await import("../keychain.ts");
  return timedKeychain(systemKeychain(), clock);
}
