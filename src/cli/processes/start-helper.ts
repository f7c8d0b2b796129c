import { childEnvironment } from "../../base/child-environment.ts";
import type { HelperStart } from "../../credentials/helper/helper-messages.ts";
import { parseBrokerMessage } from "../../credentials/helper/helper-messages.ts";
import type { HelperEvents, SupervisedHelper } from "../../credentials/helper/supervise.ts";
import type { Channel } from "../../platform/processes/channel.ts";
import { openChannel } from "../../platform/processes/channel.ts";
import type { HelperProcess } from "../../platform/processes/helper-process.ts";
import { startHelperProcess } from "../../platform/processes/helper-process.ts";
import { HELPER_WORD, ownCommand } from "./internal.ts";

/** Starts a helper in a process of its own, which is added to `helpers`. */
export function startHelper(
  start: HelperStart,
  events: HelperEvents,
  helpers: HelperProcess[],
): SupervisedHelper {
  const helper = startHelperProcess({
    argv: ownCommand([HELPER_WORD]),
    env: bareEnvironment(),
    stdio: "ignore",
  });
  helpers.push(helper);
  void helper.exited.then(events.ended);
  const link = linkTo(helper, {
    message(text) {
      const note = parseBrokerMessage(text);
      if (note?.kind === "ready" || note?.kind === "refused") events.report(note);
    },
    alive: events.alive,
    ended: events.ended,
  });
  link.send(start);
  return { kill: () => helper.kill("SIGKILL"), close: link.close };
}

interface Link {
  send(message: object): void;
  beat(): void;
  close(): void;
}

/** Returns the pipe to one of our processes, usable at once: messages before it is open wait. */
export function linkTo({ descriptor }: HelperProcess, handler: Parameters<typeof openChannel>[1]): Link {
  let waiting: string[] | undefined = [];
  let channel: Channel | undefined;
  let closed = false;
  const opening = openChannel(descriptor, handler).then((opened) => {
    channel = opened;
    for (const message of waiting ?? []) opened.send(message);
    waiting = undefined;
    if (closed) opened.close();
  });
  opening.catch(handler.ended); // it is gone already: its exit reports the rest
  return {
    send(message) {
      const text = JSON.stringify(message);
      if (channel === undefined) waiting?.push(text);
      else channel.send(text);
    },
    beat: () => channel?.beat(),
    close() {
      closed = true;
      channel?.close();
    },
  };
}

/** Returns the environment of the helper: variables for certificates, proxies and name look-ups. */
function bareEnvironment(): Readonly<Record<string, string>> {
  return childEnvironment(process.env, (name) => HELPER_VARIABLES.test(name));
}

const HELPER_VARIABLES =
  /^(?:PATH|HOME|LANG|TMPDIR|TZ|XDG_RUNTIME_DIR|DBUS_SESSION_BUS_ADDRESS|SSL_CERT_(?:FILE|DIR)|NODE_EXTRA_CA_CERTS|RES_OPTIONS|LOCALDOMAIN|(?:HTTPS?|NO|ALL)_PROXY|(?:https?|no|all)_proxy)$/;
