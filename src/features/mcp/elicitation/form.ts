import { arrayAt, isObject, numberAt, objectAt, stringAt, textOfJson } from "../../../base/json.ts";

/** Fields of one form. Forms with more are rejected. */
export const FIELDS_MAX = 20;
const CHOICES_MAX = 100;
const ANSWER_UNITS_MAX = 10_000;
/** The answer that leaves a field out, where that is allowed. */
export const OMITTED_ANSWER = "-";

export interface FormField {
  readonly name: string;
  readonly title: string;
  readonly description?: string;
  readonly required: boolean;
  readonly kind: FieldKind;
  /** The value used if the person leaves the field out. */
  readonly preset?: FieldValue;
}

export type FieldValue = string | number | boolean | readonly string[];

export type FieldKind =
  | {
      readonly kind: "text";
      readonly unitsMin?: number;
      readonly unitsMax?: number;
      readonly format?: TextFormat;
    }
  | { readonly kind: "number"; readonly whole: boolean; readonly min?: number; readonly max?: number }
  | { readonly kind: "yes-no" }
  | { readonly kind: "one-of"; readonly options: readonly FormOption[] }
  | {
      readonly kind: "some-of";
      readonly options: readonly FormOption[];
      readonly countMin?: number;
      readonly countMax?: number;
    };

export interface FormOption {
  readonly value: string;
  readonly label: string;
}

type TextFormat = "email" | "uri" | "date" | "date-time";

/** A form that a person can fill in, or what is wrong with it. */
export type Form =
  | { readonly kind: "form"; readonly fields: readonly FormField[] }
  | { readonly kind: "unusable"; readonly problem: string };

/**
 * Parses the schema of a form: a flat object of texts, numbers, booleans and choices, as the protocol defines it.
 *
 * One field that is nested, too long or of an unknown kind makes the whole form unusable, so that nobody is asked
 * half of it. A default that the field itself would not accept is ignored.
 */
export function parseForm(schema: unknown): Form {
  const properties = objectAt(schema, "properties");
  if (stringAt(schema, "type") !== "object" || properties === undefined)
    return { kind: "unusable", problem: "it is not an object with properties" };
  const entries = Object.entries(properties);
  if (entries.length > FIELDS_MAX)
    return { kind: "unusable", problem: `it has ${entries.length} fields, more than ${FIELDS_MAX}` };
  const required = new Set(arrayAt(schema, "required"));
  const fields: FormField[] = [];
  for (const [name, property] of entries) {
    const kind = kindOf(property);
    if (kind === undefined)
      return { kind: "unusable", problem: `the field ${JSON.stringify(name)} is of no known kind` };
    const bare = {
      name,
      title: stringAt(property, "title") ?? name,
      required: required.has(name),
      kind,
      ...optional("description", stringAt(property, "description")),
    };
    fields.push({ ...bare, ...optional("preset", presetOf(bare, property)) });
  }
  return { kind: "form", fields };
}

function kindOf(property: unknown): FieldKind | undefined {
  if (!isObject(property)) return undefined;
  switch (property["type"]) {
    case "string":
      return property["enum"] === undefined && property["oneOf"] === undefined
        ? textKind(property)
        : choiceOf("one-of", optionsOf(property));
    case "number":
    case "integer":
      return {
        kind: "number",
        whole: property["type"] === "integer",
        ...optional("min", numberAt(property, "minimum")),
        ...optional("max", numberAt(property, "maximum")),
      };
    case "boolean":
      return { kind: "yes-no" };
    case "array": {
      const some = choiceOf("some-of", optionsOf(objectAt(property, "items")));
      return some === undefined
        ? undefined
        : {
            ...some,
            ...optional("countMin", numberAt(property, "minItems")),
            ...optional("countMax", numberAt(property, "maxItems")),
          };
    }
    default:
      return undefined;
  }
}

function textKind(property: unknown): FieldKind {
  const format = stringAt(property, "format");
  const isKnown = format === "email" || format === "uri" || format === "date" || format === "date-time";
  return {
    kind: "text",
    ...optional("unitsMin", numberAt(property, "minLength")),
    ...optional("unitsMax", numberAt(property, "maxLength")),
    ...(isKnown ? { format } : {}),
  };
}

function choiceOf<Kind extends "one-of" | "some-of">(
  kind: Kind,
  options: readonly FormOption[] | undefined,
): { readonly kind: Kind; readonly options: readonly FormOption[] } | undefined {
  return options === undefined ? undefined : { kind, options };
}

/** Reads the three spellings of a choice in the protocol's revisions. */
function optionsOf(property: unknown): readonly FormOption[] | undefined {
  const titled = [...arrayAt(property, "oneOf"), ...arrayAt(property, "anyOf")];
  const names = arrayAt(property, "enumNames");
  const options: readonly (FormOption | undefined)[] =
    titled.length > 0
      ? titled.map((each) => option(stringAt(each, "const"), stringAt(each, "title")))
      : arrayAt(property, "enum").map((value, at) => option(value, names[at]));
  const known = options.filter((each) => each !== undefined);
  const values = new Set(known.map(({ value }) => value));
  if (known.length === 0 || known.length > CHOICES_MAX || known.length !== options.length) return undefined;
  return values.size === known.length ? known : undefined;
}

function option(value: unknown, label: unknown): FormOption | undefined {
  if (typeof value !== "string") return undefined;
  return { value, label: typeof label === "string" && label !== "" ? label : value };
}

function presetOf(field: Omit<FormField, "preset">, property: unknown): FieldValue | undefined {
  const preset = isObject(property) ? property["default"] : undefined;
  if (preset === undefined || preset === null) return undefined;
  const read = parseFieldAnswer(field, preset);
  return read.kind === "value" ? read.value : undefined;
}

export type FieldAnswer =
  | { readonly kind: "value"; readonly value: FieldValue }
  | { readonly kind: "left-out" }
  | { readonly kind: "problem"; readonly problem: string };

/**
 * Parses an answer against its field: text typed by a person, or a value that already has the right type. What the
 * server would reject is rejected here, with a half sentence for the person.
 */
export function parseFieldAnswer(field: Omit<FormField, "preset">, answer: unknown): FieldAnswer {
  if (answer === OMITTED_ANSWER || answer === "") return { kind: "left-out" };
  const { kind } = field;
  switch (kind.kind) {
    case "text":
      return textAnswer(kind, answer);
    case "number":
      return numberAnswer(kind, answer);
    case "yes-no":
      return yesNoAnswer(answer);
    case "one-of": {
      const found = optionNamed(kind.options, answer);
      return found === undefined ? problem("it is not one of the choices") : value(found.value);
    }
    case "some-of":
      return severalAnswer(kind, answer);
  }
}

function textAnswer(kind: FieldKind & { readonly kind: "text" }, answer: unknown): FieldAnswer {
  if (typeof answer !== "string") return problem("it is not a text");
  const text = answer.trim();
  const { unitsMin = 0, unitsMax = ANSWER_UNITS_MAX, format } = kind;
  if (text.length < unitsMin) return problem(`it has fewer than ${unitsMin} characters`);
  if (text.length > Math.min(unitsMax, ANSWER_UNITS_MAX))
    return problem(`it has more than ${Math.min(unitsMax, ANSWER_UNITS_MAX)} characters`);
  if (format !== undefined && !FORMATS[format].holds(text))
    return problem(`it is not ${FORMATS[format].noun}`);
  return value(text);
}

const FORMATS: Readonly<Record<TextFormat, { readonly noun: string; holds(text: string): boolean }>> = {
  email: { noun: "an e-mail address", holds: (text) => /^[^\s@]{1,64}@[^\s@]{1,255}$/.test(text) },
  uri: { noun: "a URL", holds: (text) => URL.canParse(text) },
  date: {
    noun: "a date such as 2026-01-31",
    holds: (text) => /^\d{4}-\d{2}-\d{2}$/.test(text) && isDate(text),
  },
  "date-time": {
    noun: "a date with a time such as 2026-01-31T12:00:00Z",
    holds: (text) =>
      /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:Z|[+-]\d{2}:\d{2})$/.test(text) && isDate(text),
  },
};

function isDate(text: string): boolean {
  return !Number.isNaN(Date.parse(text));
}

function numberAnswer(kind: FieldKind & { readonly kind: "number" }, answer: unknown): FieldAnswer {
  const typed = typeof answer === "string" && /^[+-]?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(answer.trim());
  const read = typed ? Number(answer) : answer;
  if (typeof read !== "number" || !Number.isFinite(read)) return problem("it is not a number");
  if (kind.whole && !Number.isSafeInteger(read)) return problem("it is not a whole number");
  if (kind.min !== undefined && read < kind.min) return problem(`it is below ${kind.min}`);
  if (kind.max !== undefined && read > kind.max) return problem(`it is above ${kind.max}`);
  return value(read);
}

function yesNoAnswer(answer: unknown): FieldAnswer {
  if (typeof answer === "boolean") return value(answer);
  const typed = typeof answer === "string" ? answer.trim().toLowerCase() : "";
  if (/^(?:y|yes|true)$/.test(typed)) return value(true);
  if (/^(?:n|no|false)$/.test(typed)) return value(false);
  return problem("it is neither yes nor no");
}

function severalAnswer(kind: FieldKind & { readonly kind: "some-of" }, answer: unknown): FieldAnswer {
  const parts: readonly unknown[] = Array.isArray(answer)
    ? answer
    : textOfJson(answer)
        .split(",")
        .map((part) => part.trim())
        .filter((part) => part !== "");
  const values: string[] = [];
  for (const part of parts) {
    const found = optionNamed(kind.options, part);
    if (found === undefined)
      return problem(`${JSON.stringify(textOfJson(part).slice(0, 60))} is not one of the choices`);
    if (!values.includes(found.value)) values.push(found.value);
  }
  const { countMin = 0, countMax = kind.options.length } = kind;
  if (values.length < countMin) return problem(`fewer than ${countMin} were chosen`);
  if (values.length > countMax) return problem(`more than ${countMax} were chosen`);
  return value(values);
}

/** Finds an option by its value, its label, or its number in the list. */
function optionNamed(options: readonly FormOption[], answer: unknown): FormOption | undefined {
  if (typeof answer !== "string") return undefined;
  const typed = answer.trim();
  return (
    options.find((each) => each.value === typed) ??
    options.find((each) => each.label.toLowerCase() === typed.toLowerCase()) ??
    (/^\d{1,3}$/.test(typed) ? options[Number(typed) - 1] : undefined)
  );
}

function value(read: FieldValue): FieldAnswer {
  return { kind: "value", value: read };
}

function problem(text: string): FieldAnswer {
  return { kind: "problem", problem: text };
}

function optional<Key extends string, Value>(
  key: Key,
  preset: Value | undefined,
): { readonly [K in Key]?: Value } {
  return preset === undefined ? {} : ({ [key]: preset } as { readonly [K in Key]?: Value });
}
