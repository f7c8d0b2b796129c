import { InOrder } from "../../../base/async/in-order.ts";
import { HarnessError, messageOf } from "../../../base/errors.ts";
import type { Host } from "../host/host.ts";
import { keyConflicts } from "../keys/key-conflicts.ts";
import { KeyTable } from "../keys/key-table.ts";
import { inBackground } from "../layout/in-background.ts";
import type { ClientSettings, ClientSettingValues } from "./client-settings.ts";
import { DEFAULT_SETTINGS } from "./client-settings.ts";
import { editSettings } from "./edit-settings.ts";
import type { SettingsText } from "./settings-text.ts";
import { readSettingsText } from "./settings-text.ts";

const NO_FILE: SettingsText = { values: {}, keys: {}, problems: [] };

export interface KeptSettingsOptions {
  readonly host: Pick<Host, "readSettings" | "writeSettings" | "settingsPath">;
  /** Called after values or keys have changed. */
  readonly changed: () => void;
  /** Shows why a change could not be kept. */
  readonly showFailure: (failure: unknown) => void;
}

/** The settings of this client and its keys: from their file, and changed by the person. */
export class KeptSettings implements ClientSettings {
  readonly #options: KeptSettingsOptions;
  #values: ClientSettingValues = DEFAULT_SETTINGS;
  #keys = new KeyTable();
  #problems: readonly string[] = [];
  /** Changes that the file does not have yet. */
  #unwritten: Partial<ClientSettingValues> = {};
  readonly #order = new InOrder<"file">();

  constructor(options: KeptSettingsOptions) {
    this.#options = options;
  }

  get values(): ClientSettingValues {
    return this.#values;
  }

  get keys(): KeyTable {
    return this.#keys;
  }

  get problems(): readonly string[] {
    return this.#problems;
  }

  change(values: Partial<ClientSettingValues>): void {
    this.#values = { ...this.#values, ...values };
    this.#unwritten = { ...this.#unwritten, ...values };
    this.#options.changed();
    inBackground(
      this.#order.run("file", () => this.#write()),
      this.#options,
    );
  }

  async reload(): Promise<void> {
    await this.#order.run("file", () => this.#read());
  }

  /** Resolves once the file has all changes, as far as it takes them. */
  async settle(): Promise<void> {
    await this.#order.run("file", async () => undefined);
  }

  async #read(): Promise<void> {
    try {
      await this.#take(await this.#options.host.readSettings());
    } catch (thrown) {
      this.#problems = [messageOf(thrown)];
    }
    this.#options.changed();
  }

  /** Takes the values and keys of the file. */
  async #take(text: string | undefined): Promise<void> {
    const { values, keys, problems } = text === undefined ? NO_FILE : await readSettingsText(text);
    this.#values = { ...DEFAULT_SETTINGS, ...values, ...this.#unwritten };
    this.#keys = new KeyTable(keys);
    this.#problems = [...problems, ...keyConflicts(this.#keys)];
  }

  async #write(): Promise<void> {
    const changes = this.#unwritten;
    this.#unwritten = {};
    if (Object.keys(changes).length === 0) return;
    const problem = await this.#save(changes);
    if (problem === undefined) return;
    this.#unwritten = { ...changes, ...this.#unwritten };
    const { host, showFailure } = this.#options;
    showFailure(
      new HarnessError("UsageInvalid", { problem: `${host.settingsPath} does not keep this: ${problem}` }),
    );
  }

  /** Writes changes into the file; returns why it could not. */
  async #save(changes: Partial<ClientSettingValues>): Promise<string | undefined> {
    const { host } = this.#options;
    try {
      // The file is read again: the person, or another client, may have changed it meanwhile.
      const edited = await editSettings((await host.readSettings()) ?? "", changes);
      if (edited.kind === "refused") return edited.problem;
      await host.writeSettings(edited.text);
      await this.#take(edited.text);
      this.#options.changed();
      return undefined;
    } catch (thrown) {
      return messageOf(thrown);
    }
  }
}
