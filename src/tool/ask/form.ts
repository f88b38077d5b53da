/** A form for the user, free of protocol shapes: what clients can draw and MCP servers can ask for. */
export interface Form {
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  readonly fields: readonly FormField[];
}

/** One field; `name` is its key in the answer. */
export type FormField = FieldHead & (TextField | NumberField | BooleanField | ChoiceField | ChoicesField);

interface FieldHead {
  readonly name: string;
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  readonly required: boolean;
}

interface TextField {
  readonly type: "text";
  /** Characters (code units). */
  readonly minLength?: number | undefined;
  readonly maxLength?: number | undefined;
  /** A hint for the client's control; answers are not checked against it. */
  readonly format?: "email" | "uri" | "date" | "date-time" | undefined;
  readonly default?: string | undefined;
}

interface NumberField {
  readonly type: "number" | "integer";
  readonly minimum?: number | undefined;
  readonly maximum?: number | undefined;
  readonly default?: number | undefined;
}

interface BooleanField {
  readonly type: "boolean";
  readonly default?: boolean | undefined;
}

interface ChoiceField {
  readonly type: "choice";
  readonly options: readonly FormOption[];
  readonly default?: string | undefined;
}

interface ChoicesField {
  readonly type: "choices";
  readonly options: readonly FormOption[];
  readonly minItems?: number | undefined;
  readonly maxItems?: number | undefined;
  readonly default?: readonly string[] | undefined;
}

/** One thing to choose; `value` is what the answer holds. */
export interface FormOption {
  readonly value: string;
  readonly title: string;
  readonly description?: string | undefined;
}

/** One answer. */
export type FieldValue = string | number | boolean | readonly string[];

/** The answers by field name; fields without an answer are not in it. */
export type FormContent = Readonly<Record<string, FieldValue>>;

/**
 * Reads what a client sent for a form: never trusted. Undefined when a required answer is missing or one is of
 * another type or out of its bounds; what was not asked for is dropped. An empty text in a field that is not
 * required counts as no answer. Does not throw.
 */
export function readForm(form: Form, sent: unknown): FormContent | undefined {
  if (sent !== undefined && sent !== null && (typeof sent !== "object" || Array.isArray(sent))) {
    return undefined;
  }
  const content = (sent ?? {}) as Record<string, unknown>;
  const answers: [string, FieldValue][] = [];
  for (const field of form.fields) {
    const value = Object.hasOwn(content, field.name) ? content[field.name] : undefined;
    if (value === undefined || value === null || value === "" && !field.required) {
      if (field.required) return undefined;
      continue;
    }
    const answer = readField(field, value);
    if (answer === undefined) return undefined;
    answers.push([field.name, answer]);
  }
  return Object.fromEntries(answers);
}

function readField(field: FormField, value: unknown): FieldValue | undefined {
  switch (field.type) {
    case "text":
      return typeof value === "string" && isWithin(value.length, field.minLength, field.maxLength)
        ? value
        : undefined;
    case "number":
    case "integer":
      return isNumber(value, field.type) && isWithin(value, field.minimum, field.maximum) ? value : undefined;
    case "boolean":
      return typeof value === "boolean" ? value : undefined;
    case "choice":
      return isOption(field, value) ? value : undefined;
    case "choices": {
      if (!Array.isArray(value) || !value.every((one) => isOption(field, one))) return undefined;
      const chosen: string[] = [...new Set<string>(value)];
      return isWithin(chosen.length, field.minItems, field.maxItems) ? chosen : undefined;
    }
  }
}

function isWithin(value: number, min = -Infinity, max = Infinity): boolean {
  return value >= min && value <= max;
}

function isNumber(value: unknown, type: "number" | "integer"): value is number {
  return type === "integer" ? Number.isInteger(value) : Number.isFinite(value);
}

function isOption(field: ChoiceField | ChoicesField, value: unknown): value is string {
  return field.options.some((option) => option.value === value);
}
