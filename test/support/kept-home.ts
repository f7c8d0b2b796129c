import { cpSync, rmSync } from "node:fs";
import type { CinchHome } from "./cinch.ts";
import { cinchHome } from "./cinch.ts";

/** A home that was prepared once, and is set back to that as often as wanted, at the same path. */
export interface KeptHome extends Disposable {
  readonly home: CinchHome;
  setBack(): void;
}

/** Makes a home, prepares it, and keeps a copy of it. */
export async function openKeptHome(prepare: (home: CinchHome) => Promise<void>): Promise<KeptHome> {
  using opened = new DisposableStack();
  const home = opened.use(cinchHome());
  await prepare(home);
  const kept = `${home.path}-kept`;
  opened.defer(() => rmSync(kept, { recursive: true, force: true }));
  cpSync(home.path, kept, { recursive: true, verbatimSymlinks: true });
  const rest = opened.move();
  return {
    home,
    setBack() {
      rmSync(home.path, { recursive: true, force: true });
      cpSync(kept, home.path, { recursive: true, verbatimSymlinks: true });
    },
    [Symbol.dispose]: () => rest.dispose(),
  };
}
