/** Below those that systems give to connections, so that none of theirs is in the way when it is wanted again. */
const FIRST_PORT = 20_000;
const LAST_PORT = 32_000;

/**
 * A port of this machine that nobody listens at, and that nobody is given by chance between two starts of an engine.
 */
export function portToComeBackTo(): number {
  for (;;) {
    const port = FIRST_PORT + Math.floor(Math.random() * (LAST_PORT - FIRST_PORT));
    try {
      Bun.listen({ hostname: "127.0.0.1", port, socket: { data() {} } }).stop(true);
      return port;
    } catch {
      // it is taken: another one
    }
  }
}
