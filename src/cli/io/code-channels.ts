import { isAbsolute, join } from "node:path";
import type { World } from "../../base/world.ts";
import type { Desktop } from "../../features/notify/desktop.ts";
import { busDesktop, macDesktop } from "../../features/notify/desktop.ts";
import { hostSockets } from "../../platform/sockets/sockets.ts";
import type { CodeChannel } from "../../server/auth/code-channel.ts";
import { codeText } from "../../server/auth/code-text.ts";
import { CODE_MS_MAX } from "../../server/auth/minting.ts";
import type { AuthChannel } from "./auth-channels.ts";
import { hasTerminal, tellAtTerminal } from "./terminal/controlling-terminal.ts";

export interface CodeChannelParts {
  readonly world: Pick<World, "clock" | "log" | "machine" | "spawn">;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The only one that is used; absent: each, the best first. */
  readonly only?: AuthChannel;
}

/**
 * The ways to show a code to a person, the best first: an attached client of a person, the controlling terminal, a
 * notification of the desktop (AUTH-03). Only those are given that are there when they are asked for.
 */
export function codeChannels({ world, environment, only }: CodeChannelParts) {
  const desktop = desktopOf(world, environment);
  return (attached: CodeChannel | undefined): readonly CodeChannel[] => {
    const channels = [
      ...(attached === undefined ? [] : [attached]),
      ...(hasTerminal() ? [terminalChannel] : []),
      ...(desktop === undefined ? [] : [desktopChannel(desktop)]),
    ];
    return only === undefined ? channels : channels.filter(({ name }) => name === only);
  };
}

/** The desktop of the person whose environment this is; undefined where no bus of a session is named. */
export function desktopOf(
  world: CodeChannelParts["world"],
  environment: CodeChannelParts["environment"],
): Desktop | undefined {
  if (world.machine.platform === "darwin") return macDesktop(world);
  const { DBUS_SESSION_BUS_ADDRESS: named = "", XDG_RUNTIME_DIR: runtime = "" } = environment;
  const address = named === "" && isAbsolute(runtime) ? `unix:path=${join(runtime, "bus")}` : named;
  if (address === "") return undefined;
  const uid = process.getuid?.() ?? 0;
  return busDesktop({ connect: hostSockets.connectPath, address, uid }, world);
}

const terminalChannel: CodeChannel = {
  name: "tty",
  show: (code, claims) => tellAtTerminal(`\ncinch: ${codeText(code, claims)}\n`),
};

function desktopChannel(desktop: Desktop): CodeChannel {
  return {
    name: "notify",
    show: (code, claims, signal) =>
      desktop.show({ title: "cinch", text: codeText(code, claims), forMs: CODE_MS_MAX }, signal),
  };
}
