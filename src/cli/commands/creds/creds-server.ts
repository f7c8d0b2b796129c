import { FEATURES } from "../../../app/features.ts";
import { SILENT_LOG } from "../../../base/log.ts";
import { credentialName } from "../../../credentials/mcp/credential-name.ts";
import type { KeyStoreOptions } from "../../../credentials/store/key-store.ts";
import { changeKeyStore, readKeyStore } from "../../../credentials/store/key-store.ts";
import { hostClock } from "../../../platform/clock.ts";
import { hostRandom } from "../../../platform/random.ts";
import { hostFetch } from "../../../platform/sockets/fetch.ts";
import { hostListen } from "../../../platform/sockets/listen.ts";
import { hostResolve } from "../../../platform/sockets/resolve.ts";
import type { ExitCode } from "../../../session/commands/cli-command.ts";
import type {
  ServerCredsCall,
  ServerCredsContext,
  ServerSecrets,
} from "../../../session/commands/server-creds.ts";
import { neutraliseLine } from "../../../view/terminal/terminal-text.ts";
import { misuse } from "../../args/misuse.ts";
import { standardError } from "../../io/output.ts";
import { configIn } from "../../secrets.ts";

const PREFIX = credentialName("");

/** Handles that only the command line has. */
export interface CredsHandles extends KeyStoreOptions, Pick<ServerCredsContext, "readSecret" | "signal"> {
  /** The configuration directory. */
  readonly directory: string;
}

/**
 * Runs `cinch creds login|add|logout|delete mcp:NAME` by the feature that connects to such servers (MCP-01).
 *
 * The feature reads and changes the credentials of that one server, and no other key.
 * @throws HarnessError as the feature; UsageInvalid without such a feature.
 */
export async function runServerCreds(
  { verb, name, words }: Omit<ServerCredsCall, "server"> & { readonly name: string },
  creds: CredsHandles,
): Promise<ExitCode> {
  const feature = FEATURES.find(({ serverCreds }) => serverCreds !== undefined);
  const servers = await feature?.serverCreds?.();
  if (servers === undefined) throw misuse(`cinch cannot connect to "${neutraliseLine(name)}"`);
  return await servers.run(
    { verb, server: name.slice(PREFIX.length), words },
    {
      world: {
        clock: hostClock,
        random: hostRandom,
        fetch: hostFetch(),
        resolve: hostResolve,
        listen: hostListen(SILENT_LOG),
      },
      store: secretsOf(name, creds),
      stderr: standardError(),
      signal: creds.signal,
      readSecret: creds.readSecret,
      readConfig: () => configIn(creds.directory),
    },
  );
}

/** Returns what the store holds under one name, and nothing else of it. */
function secretsOf(provider: string, { path, machineKey }: KeyStoreOptions): ServerSecrets {
  const change = { path, machineKey, random: hostRandom, clock: hostClock };
  return {
    path,
    async read() {
      const providerKeys = (await readKeyStore({ path, machineKey })).filter(
        (each) => each.provider === provider,
      );
      return new Map(providerKeys.map(({ account, secret }) => [account, secret]));
    },
    async keep(account, secret) {
      const addedAt = new Date(hostClock.now()).toISOString();
      await changeKeyStore(change, (keys) => [
        ...keys.filter((key) => key.provider !== provider || key.account !== account),
        { provider, account, secret, addedAt },
      ]);
    },
    async clear() {
      let found = false;
      await changeKeyStore(change, (keys) => {
        const others = keys.filter((key) => key.provider !== provider);
        found = others.length < keys.length;
        return others;
      });
      return found;
    },
  };
}
