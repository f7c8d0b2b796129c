import type { CliFlag, SettingName } from "../../../session/commands/cli-command.ts";
import type { CommandContext } from "../../args/parsed-call.ts";
import { NO_LISTEN, ONE_SESSION_SETTINGS, RUN_SETTINGS } from "../../args/settings-flags.ts";
import type { Settings } from "../../settings.ts";
import type { ScreenKind } from "./settings-file.ts";

export const LINE_SETTINGS: readonly SettingName[] = [...RUN_SETTINGS, ...ONE_SESSION_SETTINGS, "quiet-cost"];

export const LINE_FLAGS = [
  {
    name: "plain",
    kind: "switch",
    help: "Use the line client, whatever the terminal can do.",
    excludes: ["full-screen", "inline", "screen-reader"],
  },
  {
    name: "full-screen",
    kind: "switch",
    help: "Use the whole screen, whatever terminal.toml says. This is the default.",
    excludes: ["inline", "screen-reader"],
  },
  {
    name: "inline",
    kind: "switch",
    help: "Append to the scrollback of the terminal, and draw only the last rows again.",
    excludes: ["screen-reader"],
  },
  {
    name: "screen-reader",
    kind: "switch",
    help: "Print labelled lines for a screen reader, and ring the bell at a question and at the end of a turn.",
  },
  NO_LISTEN,
  {
    name: "connect",
    kind: "text",
    placeholder: "URL",
    help: "Work with the engine there: https://HOST:PORT, http://127.0.0.1:PORT or unix:///PATH. Its token: --auth-token-file, CINCH_TOKEN, or typed when asked.",
    excludes: ["no-listen", "record", "insecure-dev-key"],
  },
  {
    name: "auth-token-file",
    kind: "text",
    placeholder: "PATH",
    help: "The token for --connect.",
    needs: ["connect"],
  },
  {
    name: "tls-ca",
    kind: "text",
    placeholder: "PATH",
    help: "Trust these certificates for --connect, as PEM, instead of the system's.",
    needs: ["connect"],
  },
] as const satisfies readonly CliFlag[];

export type LineContext = CommandContext<typeof LINE_FLAGS>;

/** Values of `--connect` and the flags that go with it. */
export interface ConnectWords {
  /** `https://HOST:PORT`, `http://127.0.0.1:PORT` or `unix:///PATH`. */
  readonly url: string;
  readonly tokenFile?: string;
  /** A file of certificates that are trusted, as PEM. */
  readonly ca?: string;
}

/** A command line that begins or continues a conversation. */
export interface Line {
  /** The first line, sent before those that are typed. */
  readonly prompt?: string;
  readonly settings: Settings;
  /** Dump all provider traffic. */
  readonly raw: boolean;
  /** False: the engine is for this client alone. */
  readonly listen: boolean;
  /** True: the line client, whatever the terminal can do. Default: false. */
  readonly plain?: boolean;
  /** Screen that the command line asks for. Default: that of terminal.toml. */
  readonly screen?: ScreenKind;
  /** The engine to work with. Default: this user's own. */
  readonly connect?: ConnectWords;
}
