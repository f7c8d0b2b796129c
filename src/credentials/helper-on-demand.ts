import type { CustomProvider } from "../providers/vendors.ts";
import type { LivePrints } from "../safety/secrets/known-prints.ts";
import type { Credentials, StoredKeyReport } from "./credentials.ts";
import type { HelperClient, HelperClientDependencies } from "./helper/client.ts";
import type { ProviderKey } from "./helper/helper-messages.ts";

/** A credential helper that was started for one engine. Disposing it ends the helper. */
export interface StartedHelper extends Disposable {
  readonly client: HelperClient;
}

export interface HelperOnDemandOptions extends HelperClientDependencies {
  readonly customs: readonly CustomProvider[];
  /** Starts the helper: a process of its own. */
  readonly start: () => Promise<StartedHelper>;
}

/**
 * Returns the credentials of an engine that was started without any key, and so without a helper. The first key that is
 * stored starts one, which holds the keys from then on (CRED-03).
 *
 * A helper that could not store the first key is ended, and the next key starts another.
 * @param own the credentials until then. The key of the log stays theirs.
 */
export function helperOnDemand(own: Credentials, options: HelperOnDemandOptions): Credentials {
  let helped: Credentials | undefined;
  let storing: Promise<unknown> = Promise.resolve();
  const now = () => helped ?? own;
  const prints = switchedPrints();

  async function store(entered: ProviderKey): Promise<StoredKeyReport> {
    if (helped !== undefined) return await helped.store(entered);
    const { checkProviderKey } = await import("./store/provider-key.ts");
    const checked = checkProviderKey(entered, options.customs); // before a process is started for it
    using undo = new DisposableStack();
    const helper = undo.use(await options.start());
    const credentials = helper.client.credentials(options);
    const report = await credentials.store(checked);
    prints.switchTo(await credentials.prints());
    helped = credentials;
    undo.move(); // it ends with this process
    return report;
  }

  return {
    send: (request) => now().send(request),
    keys: {
      keyFor: (provider) => now().keys.keyFor(provider),
      providers: () => now().keys.providers(),
    },
    async prints() {
      if (helped === undefined) prints.switchTo(await own.prints());
      return prints;
    },
    store(entered) {
      const stored = storing.then(() => store(entered));
      storing = stored.catch(() => undefined); // its caller gets the failure
      return stored;
    },
    logKey: () => own.logKey(),
    notices: () => own.notices(),
    list: () => now().list(),
    state() {
      const { machineKey } = own.state();
      return { ...now().state(), ...(machineKey === undefined ? {} : { machineKey }) };
    },
  };
}

/** Returns fingerprints that others take the place of. */
function switchedPrints(): LivePrints & { switchTo(other: LivePrints): void } {
  let current: LivePrints = { all: [] };
  return {
    get all() {
      return current.all;
    },
    switchTo(other) {
      current = other;
    },
  };
}
