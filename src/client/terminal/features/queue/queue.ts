import type { Envelope } from "../../../../protocol/events/envelope.ts";
import type { SessionStep } from "../../../../view/session/session-view.ts";
import { cutEnd } from "../../../../view/terminal/display-width.ts";
import type { DrawnRow } from "../../drawing/span.ts";
import { row, span } from "../../drawing/span.ts";
import type { TerminalFeature } from "../../layout/feature.ts";
import { inBackground } from "../../layout/in-background.ts";
import type { Services } from "../../layout/services.ts";
import { QueueCommands } from "./queue-commands.ts";
import { QueuePanel } from "./queue-panel.ts";
import { drawWaiting, messageRowText, waitingRow } from "./waiting-rows.ts";

/** Rows of waiting messages above the draft, on a screen of so many rows. */
const LISTED = { few: 2, many: 5, rows: 20 } as const;

/** Shows the messages that wait for their turn, and lets a person change them (ENG-26, TUI-08). */
export function queue(services: Services): TerminalFeature {
  const commands = new QueueCommands(services);
  let panel: QueuePanel | undefined;
  const open = () => {
    if (panel !== undefined) return;
    if (services.session.view.waiting.length === 0) {
      services.say("Nothing is waiting.");
      return;
    }
    panel = new QueuePanel(services, commands, () => {
      panel = undefined;
    });
    services.open(panel);
    services.redraw();
  };
  return {
    actions: {
      "input.takeBack": open,
      "queue.now"() {
        const first = services.session.view.waiting.find((input) => input.held);
        if (first !== undefined) inBackground(commands.sendNow(first), services);
      },
    },
    above: (columns) => (panel === undefined ? queueRows(services, columns) : []),
    changed(envelope, { after }) {
      if (panel !== undefined && after.waiting.length === 0) services.close(panel);
      const back = returned(envelope, after, services);
      if (back.length > 0) inBackground(commands.returnAll(back), services);
    },
  };
}

/**
 * Returns the messages of this client that a cancel by it has held. They come back into the draft: nothing that a
 * person stopped starts again by itself.
 */
function returned(
  envelope: Envelope,
  after: SessionStep["after"],
  { session }: Services,
): SessionStep["after"]["waiting"] {
  const { open, self } = session;
  const isOwnCancel =
    envelope.kind === "Cancelled" && envelope.parentCall === undefined && envelope.payload.by === self;
  // An earlier cancel that is read again holds nothing any more.
  if (!isOwnCancel || open === undefined || session.isPast(envelope.id)) return [];
  return after.waiting.filter(({ held, originator }) => held && originator === self);
}

function queueRows({ session, draft, screen, keys }: Services, columns: number): readonly DrawnRow[] {
  const { view, self } = session;
  const { waiting, clients } = view;
  const { sending } = draft;
  const { waiting: earlier = 0 } = view.leftOut;
  if (waiting.length === 0 && sending.length === 0 && earlier === 0) return [];
  const most = screen.size.rows < LISTED.rows ? LISTED.few : LISTED.many;
  const rows = [
    ...waiting.slice(0, most).map((input, at) => waitingRow(input, at + 1, { clients, self })),
    ...sending.slice(0, Math.max(0, most - waiting.length)).map((message, at) => ({
      number: waiting.length + at + 1,
      kind: "sending" as const,
      text: messageRowText(message),
    })),
  ];
  const more = waiting.length + sending.length - most;
  const key = keys.label("input.takeBack", "the palette");
  const start = keys.label("input.send", "the key that sends");
  const isHeld = waiting.some(({ held }) => held) && view.run?.turn === undefined;
  const hint = [
    ...(earlier > 0 ? [`${earlier} earlier, not shown`] : []),
    ...(more > 0 ? [`${more} more`] : []),
    ...(isHeld ? [`${start} starts what is held`] : []),
    `${key} edits the queue`,
  ].join(" · ");
  return [
    ...rows.map((each) => drawWaiting(each, columns)),
    row([span(cutEnd(hint, columns), { role: "dim" })]),
  ];
}
