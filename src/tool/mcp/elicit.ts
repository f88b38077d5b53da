import type { ElicitRequestFormParams, ElicitResult } from "@modelcontextprotocol/client";
import type { Form, FormField, FormOption } from "../ask/form.ts";
import { asksForSecret } from "../ask/secret_question.ts";
import type { Elicited } from "../user.ts";
import { plainLineOf, plainText } from "./text.ts";

const MAX_FIELDS = 30;
const MAX_OPTIONS = 100;
const MAX_TITLE = 120;
const MAX_DESCRIPTION = 500;
/** Characters of the question. */
export const MAX_MESSAGE = 4_000;

/** A server's form as the session knows forms; undefined for one that cannot be drawn. */
export function formOf({ requestedSchema }: ElicitRequestFormParams): Form | undefined {
  const { properties, required = [] } = requestedSchema;
  const entries = Object.entries(properties);
  if (entries.length > MAX_FIELDS) return undefined;
  const fields = entries.map(([name, property]) =>
    fieldOf(name, property as Property, required.includes(name))
  );
  return fields.every((field) => field !== undefined) ? { fields } : undefined;
}

/** Does a form ask for what nobody should type into one? The same rule as for the model's own questions. */
export function wantsSecret(message: string, form: Form): boolean {
  const said = form.fields.flatMap(({ name, title, description }) => [
    name.replace(/[_-]+|(?<=[a-z])(?=[A-Z])/g, " "),
    title ?? "",
    description ?? "",
  ]);
  return [message, ...said].some(asksForSecret);
}

/** What the server is told of the user's answer. Whatever is no answer is a no, or a question put away. */
export function elicitResult(elicited: Elicited): ElicitResult {
  if (elicited.action === "accept") {
    return { action: "accept", content: elicited.content as NonNullable<ElicitResult["content"]> };
  }
  return { action: elicited.action === "decline" ? "decline" : "cancel" };
}

/** One property, as servers write them: checked by the SDK, but of several shapes. */
interface Property {
  readonly type?: string;
  readonly title?: string;
  readonly description?: string;
  readonly enum?: readonly string[];
  readonly enumNames?: readonly string[];
  readonly oneOf?: readonly Titled[];
  readonly items?: { readonly enum?: readonly string[]; readonly anyOf?: readonly Titled[] };
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly format?: string;
  readonly default?: unknown;
}

interface Titled {
  readonly const: string;
  readonly title: string;
}

const FORMATS = ["email", "uri", "date", "date-time"] as const;

function fieldOf(name: string, property: Property, required: boolean): FormField | undefined {
  const head = {
    name,
    required,
    title: property.title === undefined ? undefined : plainLineOf(property.title, MAX_TITLE),
    description: property.description === undefined
      ? undefined
      : plainText(property.description, MAX_DESCRIPTION),
  };
  const { default: initial } = property;
  const one = optionsOf(property.enum, property.enumNames, property.oneOf);
  if (one) {
    return one.length > MAX_OPTIONS
      ? undefined
      : { ...head, type: "choice", options: one, default: textOr(initial) };
  }
  switch (property.type) {
    case "string":
      return {
        ...head,
        type: "text",
        minLength: property.minLength,
        maxLength: property.maxLength,
        format: FORMATS.find((format) => format === property.format),
        default: textOr(initial),
      };
    case "number":
    case "integer": {
      const { type, minimum, maximum } = property;
      return { ...head, type, minimum, maximum, default: typeof initial === "number" ? initial : undefined };
    }
    case "boolean":
      return { ...head, type: "boolean", default: typeof initial === "boolean" ? initial : undefined };
    case "array": {
      const options = optionsOf(property.items?.enum, undefined, property.items?.anyOf);
      if (!options || options.length > MAX_OPTIONS) return undefined;
      const { minItems, maxItems } = property;
      const chosen = Array.isArray(initial)
        ? initial.filter((v): v is string => typeof v === "string")
        : undefined;
      return { ...head, type: "choices", options, minItems, maxItems, default: chosen };
    }
  }
  return undefined;
}

function optionsOf(
  values: readonly string[] | undefined,
  names: readonly string[] | undefined,
  titled: readonly Titled[] | undefined,
): FormOption[] | undefined {
  if (titled) return titled.map((o) => ({ value: o.const, title: plainLineOf(o.title, MAX_TITLE) }));
  return values?.map((value, i) => ({ value, title: plainLineOf(names?.[i] ?? value, MAX_TITLE) }));
}

function textOr(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}
