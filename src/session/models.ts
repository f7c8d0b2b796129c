import type { EffortWord } from "../protocol/effort.ts";
import type { Message } from "../protocol/message.ts";
import type { AuthorizedFetch } from "../providers/authorized-fetch.ts";
import type { ChosenModel, ModelPreferences } from "../providers/choosing/choose-model.ts";
import type { ModelInUse } from "../providers/choosing/model-in-use.ts";
import type { Medium, Price } from "../providers/provider.ts";
import type { ProviderFactory } from "../providers/registry.ts";

/** Models and keys of one engine, as features use them. */
export interface EngineModels {
  /** Returns the price of a model as known now: from the user's settings, its catalogue, or the published table. */
  priceOf(provider: string, model: string): Price | undefined;
  /** Returns the tokens of a model's window, if a catalogue or the published table names them. */
  contextTokensOf(provider: string, model: string): number | undefined;
  /** Returns true if a model, or the wire format of its provider, is known not to accept such content. */
  refuses(provider: string, model: string, content: Medium): Promise<boolean>;
  /**
   * Returns words for content of the messages that a model cannot take, for a route: none of its models. Empty if a
   * model takes all of it, or is not known.
   */
  leftOutOf(provider: string, model: string, messages: readonly Message[]): Promise<readonly string[]>;
  /** Looks a price up in the provider's catalogue if nothing else names it. A failure is logged. */
  learnPrice(provider: string, model: string, signal: AbortSignal): Promise<void>;
  /**
   * Chooses the model that a name means, or the preferred one.
   * @throws HarnessError UnknownProvider, UnknownModel, ProviderKeyMissing, NoModel.
   */
  choose(
    asked: string | undefined,
    instead: Pick<ModelPreferences, "preferred" | "suggested">,
    signal: AbortSignal,
  ): Promise<ChosenModel>;
  /** Adds a provider of a plugin. It needs no key of ours. */
  extend(name: string, open: ProviderFactory): void;
  /** Names of the providers that are registered now. */
  providerNames(): readonly string[];
  /** Sends a request with the key of its provider put in. */
  readonly authorizedFetch: AuthorizedFetch;
  /** Returns a new copy of the key that logs are sealed with: 32 bytes. */
  logKey(): Promise<Uint8Array>;
}

/** Model of one session. */
export interface SessionModel {
  /** `provider:name`. */
  readonly name: string;
  /** Effort that a client chose for the session; undefined if the settings decide. */
  readonly chosenEffort: EffortWord | undefined;
  /** Opens another model for a part of the session's work, with the session's effort. */
  openBeside(chosen: ChosenModel): Promise<ModelInUse>;
}
