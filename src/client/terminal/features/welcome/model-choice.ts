import { HarnessError } from "../../../../base/errors.ts";
import type { ProviderInfo } from "../../../../protocol/resources.ts";
import type { ModelSource, ServedModels } from "../../../../view/models/model-sources.ts";
import { configuredNames, modelSources, serverNames } from "../../../../view/models/model-sources.ts";
import { refusalText } from "../../../../view/texts/refusal-text.ts";
import type { Services } from "../../layout/services.ts";

/** Models that this machine and its keys offer, as far as the engine has answered. */
export class ModelChoice {
  readonly #services: Pick<Services, "session" | "redraw">;
  #providers: readonly ProviderInfo[] = [];
  #served: ServedModels = new Map();
  #defaultModel: string | undefined;
  #waiting = 0;
  #problem: string | undefined;

  constructor(services: Pick<Services, "session" | "redraw">) {
    this.#services = services;
  }

  /** Ways to get a model. The same list until an answer changes it. */
  sources: readonly ModelSource[] = [];

  /** True if a provider has a key, or the configuration names one. */
  get isConfigured(): boolean {
    return this.#providers.some(({ configured }) => configured);
  }

  /** Model of a new session as `provider:name`; undefined if there is none, or nobody has asked yet. */
  get defaultModel(): string | undefined {
    return this.#defaultModel;
  }

  /** True while an answer is on its way. */
  get isLooking(): boolean {
    return this.#waiting > 0;
  }

  /** Reason for which the engine did not answer; undefined if it did. */
  get problem(): string | undefined {
    return this.#problem;
  }

  /** Names of providers that are set up and have named no model. */
  get silent(): readonly string[] {
    if (this.#defaultModel !== undefined) return [];
    return configuredNames(this.#providers).filter((name) => !this.#served.has(name));
  }

  /**
   * Asks the engine for its providers. If none is set up, or none of those names a default, asks these and each model
   * server on its machine for their models.
   */
  async look(): Promise<void> {
    const { session, redraw } = this.#services;
    const answer = await this.#waitFor(session.query({ kind: "ListProviders", models: false, choice: true }));
    this.#problem = answer instanceof HarnessError ? refusalText(answer) : undefined;
    if (answer instanceof HarnessError) return;
    this.#providers = answer.providers;
    this.#defaultModel = answer.default_model;
    this.#served = new Map();
    this.#list();
    if (this.isConfigured && this.#defaultModel !== undefined) return redraw();
    const asked = [...configuredNames(this.#providers), ...serverNames(this.#providers)];
    await Promise.all(asked.map((name) => this.#ask(name)));
    redraw();
  }

  async #ask(provider: string): Promise<void> {
    const { session, redraw } = this.#services;
    const answer = await this.#waitFor(session.query({ kind: "ListModels", provider }));
    // A refusal means that no such server runs, or that the provider lists no models.
    if (answer instanceof HarnessError || answer.models.length === 0) return;
    this.#served = new Map(this.#served).set(
      provider,
      answer.models.map(({ id }) => id),
    );
    this.#list();
    redraw();
  }

  async #waitFor<Answer>(answer: Promise<Answer>): Promise<Answer> {
    this.#waiting += 1;
    try {
      return await answer;
    } finally {
      this.#waiting -= 1;
    }
  }

  #list(): void {
    this.sources = modelSources(this.#providers, this.#served);
  }
}
