import { defined } from "../../../base/defined.ts";
import type { JsonObject } from "../../../base/json.ts";
import type { CustomReason } from "../../../base/reasons.ts";
import { shortened } from "../../../base/text/text.ts";
import type { Event } from "../../../protocol/events/events.ts";

const MESSAGE_UNITS_MAX = 4_096;
const CODE = /^[A-Za-z][A-Za-z0-9_.-]{0,63}$/;

/** An error of a plugin. Its reason is `Custom:<plugin>:<code>`, and its message is shown unchanged (BUS-03). */
export class PluginError extends Error {
  override readonly name = "PluginError";
  readonly reason: CustomReason;
  readonly details: JsonObject | undefined;

  /** @throws TypeError if the code is not a word of letters, digits, ".", "_" and "-". */
  constructor(plugin: string, code: string, { message, details }: PluginErrorFields) {
    if (typeof code !== "string" || !CODE.test(code)) {
      const why = "1 to 64 letters, digits, '.', '_' and '-', a letter first";
      throw new TypeError(`the code ${JSON.stringify(code)} of an error is not ${why}`);
    }
    super(shortened(String(message).toWellFormed(), MESSAGE_UNITS_MAX));
    this.reason = `Custom:${plugin}:${code}`;
    this.details = details;
  }

  /** The Error event for subscribers of a session. */
  get event(): Event {
    const { reason, message, details } = this;
    return { kind: "Error", payload: { reason, message, ...defined({ details }) } };
  }
}

export interface PluginErrorFields {
  readonly message: string;
  readonly details?: JsonObject | undefined;
}
