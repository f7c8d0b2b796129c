import { join } from "node:path";
import { Secret } from "../../base/brand.ts";
import type { KeyPurpose, MachineKey } from "../machine-key.ts";
import { DEFAULT_ACCOUNT } from "../store/find-keys.ts";
import type { KeyStoreChange } from "../store/key-store.ts";
import { changeKeyStore, KEY_STORE_FILE, readKeyStore } from "../store/key-store.ts";
import { parseGrant, renderGrant } from "./grant.ts";
import type { GrantStore } from "./grant-fetch.ts";

type Changing = Pick<KeyStoreChange, "random" | "clock">;

/**
 * Returns the grants of the encrypted store. It is read again each time, so that a login of another process takes
 * effect at once. Of the machine key only the parts that open the store are kept.
 */
export function storedGrants(directory: string, key: MachineKey, world: Changing): GrantStore {
  const store = { path: join(directory, KEY_STORE_FILE), machineKey: storeKeyOf(key) };
  return {
    async read(name) {
      const keys = await readKeyStore(store);
      const found = keys.find((each) => each.provider === name && each.account === DEFAULT_ACCOUNT);
      return found === undefined ? undefined : parseGrant(found.secret.reveal());
    },
    async replace(name, before, after) {
      const old = renderGrant(before);
      await changeKeyStore({ ...store, ...world }, (keys) =>
        keys.map((each) =>
          each.provider === name && each.account === DEFAULT_ACCOUNT && each.secret.reveal() === old
            ? { ...each, secret: new Secret("api-key", renderGrant(after)) }
            : each,
        ),
      );
    },
  };
}

function storeKeyOf({ source, derive }: MachineKey): MachineKey {
  const purposes: readonly KeyPurpose[] = ["cinch creds v1", "cinch creds v1 id"];
  const keys = new Map(purposes.map((purpose) => [purpose, derive(purpose)]));
  return {
    source,
    notices: [],
    derive(purpose) {
      const bytes = keys.get(purpose);
      if (bytes === undefined) throw new Error(`this key is not for "${purpose}"`);
      return bytes.slice();
    },
    [Symbol.dispose]() {
      for (const bytes of keys.values()) bytes.fill(0);
    },
  };
}
