import { unreachable } from "../../../../base/assert.ts";
import { HarnessError, hasReason } from "../../../../base/errors.ts";
import { count } from "../../../../base/text/text.ts";
import type { ModelSource } from "../../../../view/models/model-sources.ts";
import { storedKeyText } from "../../../../view/models/stored-key-text.ts";
import { refusalText } from "../../../../view/texts/refusal-text.ts";
import type { DrawnRow } from "../../drawing/span.ts";
import type { TerminalFeature } from "../../layout/feature.ts";
import { inBackground } from "../../layout/in-background.ts";
import type { Services } from "../../layout/services.ts";
import type { PanelEntry } from "../../panels/list-entry.ts";
import { ListPanel } from "../../panels/list-panel.ts";
import { SecretPanel } from "../../panels/secret-panel.ts";
import { applyModel } from "../../session/apply-model.ts";
import { drawWelcome } from "./draw-welcome.ts";
import { ModelChoice } from "./model-choice.ts";

type Way = ModelSource | { readonly kind: "demo" } | { readonly kind: "again" };

const OTHERS: readonly Way[] = [{ kind: "demo" }, { kind: "again" }];

/** Helps a person who has no model yet to one: a server on this machine, a key, or the demo (PROV-05, CTL-19). */
export function welcome(services: Services): TerminalFeature {
  return new Welcome(services);
}

class Welcome implements TerminalFeature {
  readonly #services: Services;
  readonly #choice: ModelChoice;
  /** Settles with the newest look for models. */
  #looked: Promise<void> = Promise.resolve();
  /** True while the rows above the draft are shown. */
  #isShown = false;
  #entries: { readonly sources: object; readonly all: readonly PanelEntry<Way>[] } | undefined;

  readonly actions = { "model.setUp": () => this.#open() };

  constructor(services: Services) {
    this.#services = services;
    this.#choice = new ModelChoice(services);
  }

  above(columns: number): readonly DrawnRow[] {
    if (!this.#isShown) return [];
    const { keys, screen } = this.#services;
    const { sources, silent, defaultModel, isLooking } = this.#choice;
    const key = keys.label("model.setUp", "the palette");
    return drawWelcome({ sources, silent, defaultModel, isLooking, key, height: screen.size.rows }, columns);
  }

  reached(): void {
    const { session } = this.#services;
    // The command line may name a model of its own: then the engine says if it cannot be used.
    if (session.open === undefined && !session.isModelNamed) inBackground(this.#look(), this.#services);
  }

  opened(): void {
    this.#isShown = false;
  }

  refused(failure: HarnessError): void {
    if (hasReason(failure, "NoModel") || hasReason(failure, "ProviderKeyMissing"))
      inBackground(this.#look(), this.#services);
  }

  async #look(): Promise<void> {
    const { session, redraw } = this.#services;
    const looked = this.#choice.look();
    redraw();
    await looked;
    const { isConfigured, defaultModel, problem } = this.#choice;
    const isNeeded = problem === undefined && (defaultModel === undefined || !isConfigured);
    this.#isShown = session.open === undefined && isNeeded;
    redraw();
  }

  #open(): void {
    const services = this.#services;
    services.open(
      new ListPanel<Way>({
        title: "Get a model",
        services,
        content: () => ({ entries: this.#list(), ...this.#note() }),
        choose: (way) => this.#take(way),
      }),
    );
    if (!this.#choice.isLooking) this.#looked = this.#choice.look();
    inBackground(this.#looked.then(services.redraw), services);
  }

  /** Says what a second look has found: the list may be the same as before. */
  async #lookAgain(): Promise<void> {
    await this.#looked;
    const { sources, problem } = this.#choice;
    const servers = sources.filter(({ kind }) => kind === "server").length;
    if (problem === undefined)
      this.#services.say(
        `Looked again: ${servers === 0 ? "no model server answers" : `${count(servers, "model")} on this machine`}.`,
      );
  }

  #note(): { readonly note?: string } {
    const { problem, isLooking } = this.#choice;
    if (isLooking) return { note: "looking for model servers on this machine …" };
    return problem === undefined ? {} : { note: problem };
  }

  #list(): readonly PanelEntry<Way>[] {
    const { sources } = this.#choice;
    if (this.#entries?.sources !== sources)
      this.#entries = { sources, all: [...sources, ...OTHERS].map(entryOf) };
    return this.#entries.all;
  }

  #take(way: Way): void {
    switch (way.kind) {
      case "configured":
      case "server":
        inBackground(this.#useModel(way.model), this.#services);
        return;
      case "key":
        this.#askKey(way);
        return;
      case "demo":
        inBackground(this.#playDemo(), this.#services);
        return;
      case "again":
        this.#open();
        inBackground(this.#lookAgain(), this.#services);
        return;
      default:
        unreachable(way);
    }
  }

  /** Begins a session with a model, or gives it to the session that is open. Nothing is written to the settings. */
  async #useModel(model: string): Promise<void> {
    const done = `${model} answers here. To keep it: default_model in config.toml.`;
    await applyModel(this.#services, { model, done });
  }

  #askKey({ provider, variable }: ModelSource & { readonly kind: "key" }): void {
    const services = this.#services;
    services.open(
      new SecretPanel({
        services,
        question: `Key of ${provider} (not shown)`,
        effect: "stores it, encrypted, on the engine's machine",
        instead: `or set ${variable} where the engine is started`,
        store: (key) => this.#storeKey(provider, key),
      }),
    );
  }

  /** Returns the engine's refusal, if any. */
  async #storeKey(provider: string, key: string): Promise<string | undefined> {
    const answer = await this.#services.session.send({ kind: "StoreProviderKey", provider, key });
    if (answer instanceof HarnessError) return refusalText(answer);
    this.#services.say(storedKeyText(provider, answer.result));
    inBackground(this.#look(), this.#services);
    return undefined;
  }

  async #playDemo(): Promise<void> {
    const { screen, host } = this.#services;
    await screen.lend(async () => await host.runOwn(["demo"]));
  }
}

function entryOf(way: Way): PanelEntry<Way> {
  switch (way.kind) {
    case "configured":
      return { value: way, label: way.model, detail: "set up in the configuration" };
    case "server":
      return { value: way, label: way.model, detail: `on this machine, no key · ${way.address}` };
    case "key":
      return {
        value: way,
        label: `key of ${way.provider}`,
        detail: `typed unseen, stored encrypted · or set ${way.variable}`,
      };
    case "demo":
      return {
        value: way,
        label: "watch the demo",
        detail: "a recorded model fixes a bug: no key, no network",
      };
    case "again":
      return { value: way, label: "look again", detail: "for model servers on this machine" };
    default:
      return unreachable(way);
  }
}
