import type { Listen } from "../base/world.ts";

/** Opens HTTP listeners of this machine. A new Unix socket is 0600 from its first instant. */
export const hostListen: Listen = async ({ target, handle }) => {
  const serve = { fetch: handle, development: false } as const;
  const before = process.umask();
  if (target.kind === "unix") process.umask(0o177);
  try {
    const server =
      target.kind === "unix"
        ? Bun.serve({ ...serve, unix: target.path })
        : Bun.serve({ ...serve, hostname: target.hostname, port: target.port });
    return {
      address: target.kind === "unix" ? target.path : `http://${server.hostname}:${server.port}`,
      [Symbol.asyncDispose]: () => server.stop(true),
    };
  } finally {
    process.umask(before);
  }
};
