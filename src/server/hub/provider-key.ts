import { HarnessError } from "../../base/errors.ts";
import type { CommandOf } from "../../protocol/commands/commands.ts";
import type { AcceptedOf, ResultOfCommand } from "../../protocol/commands/results.ts";
import type { AttachedClient } from "../../session/access/client.ts";
import { assertNearby } from "../../session/access/rights.ts";
import { assertHuman } from "../../session/questions/questions.ts";

/** Stores the key of a provider. @throws HarnessError if it cannot be stored; the error holds no part of the key. */
export type ProviderKeyHandler = (
  command: CommandOf<"StoreProviderKey">,
) => Promise<ResultOfCommand<"StoreProviderKey">>;

/**
 * Passes the key of a provider on, if it comes from a person on this machine. The key is checked later, by `store`,
 * which is absent in an engine that stores none.
 * @throws HarnessError InvalidCommand, NotOnThisMachine; as `store`.
 */
export async function passProviderKey(
  command: CommandOf<"StoreProviderKey">,
  client: AttachedClient,
  store: ProviderKeyHandler | undefined,
): Promise<AcceptedOf<"StoreProviderKey">> {
  const { kind } = command;
  assertHuman(client, kind);
  assertNearby(kind, client);
  if (store === undefined) throw new HarnessError("InvalidCommand", { kind, why: "it is not served here" });
  return { result: await store(command) };
}
