import type { SessionId } from "../../../../base/ids.ts";
import type { Envelope } from "../../../../protocol/events/envelope.ts";
import type { EngineNotice } from "../../../../view/notes/engine-text.ts";
import { agentSessionOf, agentText, OBSERVED_TEXT } from "../../../../view/notes/event-text.ts";
import type { TerminalFeature } from "../../layout/feature.ts";
import { inBackground } from "../../layout/in-background.ts";
import type { Services } from "../../layout/services.ts";
import { BannerBoard } from "./banner-board.ts";
import { ExpiryBanner } from "./expiry-banner.ts";

/** Beginnings of the keys of banners. */
const [SESSION, ENGINE, AGENT] = ["session:", "engine:", "agent:"] as const;
const TONES = { away: "failure", failed: "failure", upgrading: "warning", resumed: "warning" } as const;

/** Notices above the draft: of the start of a session, of the engine, and of sessions that agents began. */
export function banners(services: Services): TerminalFeature {
  const { session, keys, say } = services;
  const board = new BannerBoard();
  const expiry = new ExpiryBanner(services, board);
  /** Sessions of agents that this client knows of, and the newest one of them. */
  const ofAgents = new Set<SessionId>();
  let toObserve: SessionId | undefined;

  function observed(): void {
    board.put({ key: `${SESSION}observed`, text: OBSERVED_TEXT, tone: "info" });
  }

  /** Shows the session of an agent. Once its run has ended it is another run that is shown, with another id. */
  async function observe(agents: SessionId): Promise<void> {
    const before = session.open?.session;
    await session.goTo({ kind: "stored", info: { session: agents } });
    if (session.open?.session !== before) board.remove(`${AGENT}${agents}`);
  }

  return {
    actions: {
      "banner.hide"() {
        if (board.hideNewest() === undefined) say("There is no notice to hide.");
      },
      "agent.observe"() {
        if (toObserve === undefined) return say("No agent has begun a session since this client started.");
        inBackground(observe(toObserve), services);
      },
    },
    above: (columns) => board.draw(columns, keys.label("banner.hide")),
    opened() {
      board.remove(SESSION);
      const { open } = session;
      if (open === undefined) return;
      for (const [at, text] of open.notices.entries())
        if (text !== open.expiring) board.put({ key: `${SESSION}${at}`, text, tone: "warning" });
      expiry.opened(open);
      board.remove(`${AGENT}${open.session}`);
      if (ofAgents.has(open.session)) observed();
    },
    reached() {
      board.remove(`${ENGINE}upgrading`);
      expiry.read();
    },
    engineNotice({ kind, text }: EngineNotice) {
      if (kind === "back") {
        board.remove(`${ENGINE}away`);
        say(text);
        return;
      }
      if (kind === "failed") board.remove(ENGINE);
      board.put({ key: `${ENGINE}${kind}`, text, tone: TONES[kind] });
    },
    changed(envelope) {
      if (isFirstTurnOfAgent(envelope)) observed();
      // What the restart has ended is behind the person once something new is done.
      if (envelope.kind === "TurnStarted" && !session.isPast(envelope.id)) board.remove(`${ENGINE}resumed`);
      if (envelope.kind !== "CustomEvent" || envelope.aside !== true) return;
      const [text, of] = [agentText(envelope.payload), agentSessionOf(envelope.payload)];
      if (text === undefined || of === undefined || of === session.open?.session) return;
      ofAgents.add(of);
      toObserve = of;
      const hint = `${keys.label("agent.observe")} observes`;
      board.put({ key: `${AGENT}${of}`, text, tone: "warning", hint });
    },
  };
}

/** Returns true for the start of a session's first turn, if an agent began it. */
function isFirstTurnOfAgent({ kind, parentCall, payload }: Envelope): boolean {
  if (kind !== "TurnStarted" || parentCall !== undefined) return false;
  return payload.turn === 1 && payload.who?.identityClass === "agent";
}
