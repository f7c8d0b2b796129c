import type { AnyCommand } from "../../args/parsed-call.ts";
import { RUN_SETTINGS } from "../../args/settings-flags.ts";
import { SERVE_FLAGS } from "./flags.ts";

export const serveCommand: AnyCommand = {
  name: "serve",
  brief: "run an engine for clients",
  summary: "Runs an engine that other programs attach to: over a Unix socket, with --listen over a port.",
  about:
    "Begins a session in this folder and serves until a signal ends it. A client needs a token: cinch token.",
  flags: SERVE_FLAGS,
  settings: RUN_SETTINGS,
  needs: "engine",
  examples: [
    { line: "cinch serve", does: "serves over the Unix socket of this user", needs: "its own test" },
    { line: "cinch serve --listen 127.0.0.1:8080", does: "also listens at a port", needs: "its own test" },
  ],
  page: "clients.md",
  load: () => import("./run.ts"),
};
