/** Returns true if an uncaught error belongs to it; the error is then handled. */
export type StrayOwner = (thrown: unknown) => boolean;

const owners = new Set<StrayOwner>();

/**
 * Registers an owner of uncaught errors of this process. Disposing unregisters it.
 *
 * The program must call `isOwned`: this file listens to nothing.
 */
export function claimStrayErrors(owner: StrayOwner): Disposable {
  owners.add(owner);
  return { [Symbol.dispose]: () => void owners.delete(owner) };
}

/** Returns true if there is any owner: an unclaimed error may still be an owner's, without a trace. */
export function hasOwners(): boolean {
  return owners.size > 0;
}

/** Offers an uncaught error to its owners: an exception, or an unhandled rejection. */
export function isClaimed(thrown: unknown): boolean {
  return [...owners].filter((owner) => owner(thrown)).length > 0; // each engine with such a plugin is notified
}
