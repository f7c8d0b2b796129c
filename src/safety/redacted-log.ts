import type { Secret } from "../base/brand.ts";
import type { Log } from "../base/log.ts";
import type { Redactor } from "./redact.ts";
import { redactor } from "./redact.ts";

/**
 * Returns a log that redacts secrets in every line (SES-05, S54). Its redactor is created at the first line.
 * @param values the secrets of the environment.
 */
export function redactedLog(log: Log, values: () => readonly Secret[] = () => []): Log {
  let made: Redactor | undefined;
  const wrapped = (inner: Log): Log => ({
    for: (component) => wrapped(inner.for(component)),
    wants: (level) => inner.wants?.(level) ?? true,
    write(level, message, fields) {
      if (inner.wants?.(level) === false) return;
      made ??= redactor([], values());
      if (fields === undefined) return inner.write(level, made.text(message));
      const clean = made.json(fields);
      inner.write(level, made.text(message), clean as Readonly<Record<string, unknown>>); // only texts inside change
    },
  });
  return wrapped(log);
}
