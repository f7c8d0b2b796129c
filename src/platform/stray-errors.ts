/** Whether an error that nobody caught is its own; then it has been seen to. */
export type StrayOwner = (thrown: unknown) => boolean;

const owners = new Set<StrayOwner>();

/**
 * Has somebody see to errors of this process that nobody caught, where they are theirs. Disposing it ends that.
 *
 * It takes a program that asks (`isOwned`): nothing is listened to here.
 */
export function ownStrayErrors(owner: StrayOwner): Disposable {
  owners.add(owner);
  return { [Symbol.dispose]: () => void owners.delete(owner) };
}

/** Whether anybody may own such errors: one that nobody owns may be theirs all the same, without a trace of them. */
export function hasOwners(): boolean {
  return owners.size > 0;
}

/** Asks the owners for one that the error is of: an exception, or a promise that was rejected and nobody waited for. */
export function isOwned(thrown: unknown): boolean {
  return [...owners].filter((owner) => owner(thrown)).length > 0; // each engine that runs such a plugin is told
}
