import type { Listen } from "../base/world.ts";

/** Opens HTTP listeners of this machine. A new Unix socket is 0600 from its first instant. */
export const hostListen: Listen = async ({ target, handle }) => {
  const serve = { fetch: handle, development: false } as const;
  // How long a silence may last is the handler's to say: the runtime would cut a quiet stream after 10 s. Its types do
  // not know that a Unix socket has that limit too.
  const quiet = { idleTimeout: 0 } as const;
  const before = process.umask();
  if (target.kind === "unix") process.umask(0o177);
  try {
    const server =
      target.kind === "unix"
        ? Bun.serve({ ...serve, ...(quiet as object), unix: target.path })
        : Bun.serve({ ...serve, ...quiet, hostname: target.hostname, port: target.port });
    return {
      address: target.kind === "unix" ? target.path : `http://${server.hostname}:${server.port}`,
      [Symbol.asyncDispose]: () => server.stop(true),
    };
  } finally {
    process.umask(before);
  }
};
