import { isAbsolute, join } from "node:path";
import { deadline, whileAlive } from "../../base/async/deadline.ts";
import { messageOf } from "../../base/errors.ts";
import type { World } from "../../base/world.ts";
import type { Desktop, DesktopContext, DesktopNotice } from "../../session/options.ts";
import { Marshal } from "./dbus-wire.ts";
import type { SessionBus, SessionBusOptions } from "./session-bus.ts";
import { openSessionBus } from "./session-bus.ts";

/** Time limit for showing a notice. */
export const DESKTOP_NOTICE_MS_MAX = 5_000;

/** Opens the desktop of the user whose environment this is; undefined if it names no session bus. */
export function openNoticeDesktop({ world, environment, uid, connect }: DesktopContext): Desktop | undefined {
  if (world.machine.platform === "darwin") return macDesktop(world);
  const { DBUS_SESSION_BUS_ADDRESS: named = "", XDG_RUNTIME_DIR: runtime = "" } = environment;
  const address = named === "" && isAbsolute(runtime) ? `unix:path=${join(runtime, "bus")}` : named;
  return address === "" ? undefined : busDesktop({ connect, address, uid }, world);
}

const SERVICE = {
  destination: "org.freedesktop.Notifications",
  path: "/org/freedesktop/Notifications",
  interface: "org.freedesktop.Notifications",
} as const;

/** Returns the desktop behind a session bus (the Desktop Notifications Specification). */
export function busDesktop(place: SessionBusOptions, { clock, log }: Pick<World, "clock" | "log">): Desktop {
  return {
    async show(notice, until) {
      using limit = deadline(clock, DESKTOP_NOTICE_MS_MAX, until ?? new AbortController().signal);
      let bus: SessionBus | undefined;
      let isShown = false;
      try {
        bus = await openSessionBus(place, limit.signal);
        const { first: id } = await bus.call(notifyCall(notice), limit.signal);
        if (id === undefined || id === 0) throw new Error("the desktop has given the notice no id");
        isShown = true;
        if (until !== undefined) closeOn(until, bus, id);
        return true;
      } catch (thrown) {
        log.for("notify").write("debug", "no notice was shown", { problem: messageOf(thrown) });
        return false;
      } finally {
        if (!isShown || until === undefined) bus?.[Symbol.dispose]();
      }
    },
  };

  function closeOn(until: AbortSignal, bus: SessionBus, id: number): void {
    const takeBack = () => void closed(bus, id).finally(() => bus[Symbol.dispose]());
    if (until.aborted) takeBack();
    else until.addEventListener("abort", takeBack, { once: true });
  }

  async function closed(bus: SessionBus, id: number): Promise<void> {
    using limit = deadline(clock, DESKTOP_NOTICE_MS_MAX, new AbortController().signal);
    const call = { ...SERVICE, member: "CloseNotification", signature: "u", body: new Marshal().uint32(id) };
    await bus.call(call, limit.signal).catch((thrown: unknown) => {
      log.for("notify").write("debug", "a notice was not taken back", { problem: messageOf(thrown) });
    });
  }
}

function notifyCall({ title, text, forMs }: DesktopNotice) {
  const body = new Marshal()
    .string("cinch")
    .uint32(0)
    .string("")
    .string(title)
    .string(escaped(text))
    .array(4, () => undefined)
    .array(8, (hints) => {
      hints.align(8).string("urgency").signature("y").byte(2);
      // A desktop with a history of notices leaves this one out of it.
      hints.align(8).string("transient").signature("b").uint32(1);
    })
    .uint32(forMs);
  return { ...SERVICE, member: "Notify", signature: "susssasa{sv}i", body };
}

/** Escapes markup, since some desktops interpret the text as such. */
function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

/**
 * Returns the desktop of macOS. The script is read from standard input: arguments are public. A notice cannot
 * be withdrawn.
 */
export function macDesktop({ clock, spawn, log }: Pick<World, "clock" | "spawn" | "log">): Desktop {
  return {
    async show({ title, text }, until) {
      using limit = deadline(clock, DESKTOP_NOTICE_MS_MAX, until ?? new AbortController().signal);
      const script = `display notification ${quoted(text)} with title ${quoted(title)}\n`;
      const argv = ["/usr/bin/osascript", "-"] as const;
      await using child = spawn({ argv, cwd: "/", env: {}, stdin: script });
      try {
        const exit = await whileAlive(child.exited, limit.signal);
        if (exit.kind === "code" && exit.code === 0) return true;
        log.for("notify").write("debug", "no notice was shown", { exit: exit.kind });
      } catch (thrown) {
        log.for("notify").write("debug", "no notice was shown", { problem: messageOf(thrown) });
      }
      return false;
    },
  };
}

function quoted(text: string): string {
  return `"${text.replaceAll(/[\\"]/g, "\\$&").replaceAll(/[\0-\x1f]+/g, " ")}"`;
}
