import { FEATURES } from "../../app/features.ts";
import type { World } from "../../base/world.ts";
import { hostSockets } from "../../platform/sockets/sockets.ts";
import type { CodeChannel } from "../../server/auth/code-channel.ts";
import { codeText } from "../../server/auth/code-text.ts";
import { CODE_MS_MAX } from "../../server/auth/token-minting.ts";
import type { Desktop } from "../../session/options.ts";
import type { AuthChannel } from "./auth-channels.ts";
import { hasTerminal, showAtTerminal } from "./terminal/controlling-terminal.ts";

export interface CodeChannelDependencies {
  readonly world: Pick<World, "clock" | "log" | "machine" | "spawn">;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The only way to use; absent: each, the best first. */
  readonly only?: AuthChannel;
}

/**
 * Opens the ways to show a code to a person. The returned function lists those that are available at its call, the best
 * first: an attached client of a person, the controlling terminal, a notification of the desktop (AUTH-03).
 */
export async function codeChannels({ world, environment, only }: CodeChannelDependencies) {
  const desktop = await openUserDesktop(world, environment);
  return (attached: CodeChannel | undefined): readonly CodeChannel[] => {
    const channels = [
      ...(attached === undefined ? [] : [attached]),
      ...(hasTerminal() ? [terminalChannel] : []),
      ...(desktop === undefined ? [] : [desktopChannel(desktop)]),
    ];
    return only === undefined ? channels : channels.filter(({ name }) => name === only);
  };
}

/** Opens the desktop of the user of this environment; undefined if there is none. */
export async function openUserDesktop(
  world: CodeChannelDependencies["world"],
  environment: CodeChannelDependencies["environment"],
): Promise<Desktop | undefined> {
  const place = { world, environment, uid: process.getuid?.() ?? 0, connect: hostSockets.connectPath };
  for (const feature of FEATURES) {
    const desktop = await feature.openDesktop?.(place);
    if (desktop !== undefined) return desktop;
  }
  return undefined;
}

const terminalChannel: CodeChannel = {
  name: "tty",
  show: (code, claims) => showAtTerminal(`\ncinch: ${codeText(code, claims)}\n`),
};

function desktopChannel(desktop: Desktop): CodeChannel {
  return {
    name: "notify",
    show: (code, claims, signal) =>
      desktop.show({ title: "cinch", text: codeText(code, claims), forMs: CODE_MS_MAX }, signal),
  };
}
