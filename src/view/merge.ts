/**
 * Reads several streams as one, in the order things arrive.
 *
 * Each source is one item ahead at most: a slow reader slows its sources. Ends when all have ended; throws the error of
 * the first that broke. Sources must end when their signal aborts: abort it before leaving the loop.
 */
export async function* merge<Item>(sources: readonly AsyncIterable<Item>[]): AsyncGenerator<Item> {
  const offers: Offer<Item>[] = [];
  let wake: (() => void) | undefined;
  let open = sources.length;
  let hasLeft = false;
  let failure: { readonly thrown: unknown } | undefined;

  function notify(): void {
    wake?.();
    wake = undefined;
  }

  async function pump(source: AsyncIterable<Item>): Promise<void> {
    try {
      for await (const item of source) {
        if (hasLeft) return;
        await new Promise<void>((taken) => {
          offers.push({ item, taken });
          notify();
        });
        if (hasLeft) return;
      }
    } catch (thrown) {
      failure ??= { thrown };
    } finally {
      open -= 1;
      notify();
    }
  }

  const pumps = sources.map(pump);
  try {
    while (true) {
      const offer = offers.shift();
      if (offer !== undefined) {
        yield offer.item;
        offer.taken();
        continue;
      }
      if (failure !== undefined) throw failure.thrown;
      if (open === 0) return;
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  } finally {
    hasLeft = true;
    for (const offer of offers) offer.taken();
    // Pumps never reject; those whose source still waits end with its signal.
    if (open === 0) await Promise.all(pumps);
  }
}

interface Offer<Item> {
  readonly item: Item;
  readonly taken: () => void;
}
