import type {
  CreateElicitationRequest,
  ElicitationPropertySchema,
  EnumOption,
} from "@agentclientprotocol/sdk";
import { clip, jsonBytes, PATH_BYTES } from "../presentation/bounds.ts";
import { type FormField, type FormOption, readForm } from "../tool/ask/form.ts";
import type { Elicitation, Elicited } from "../tool/user.ts";

/** Bytes of the message: the question itself. */
const MESSAGE_BYTES = 16 * 1024;
/** Bytes of a title or a description. */
const LABEL_BYTES = 600;
/** Bytes of the whole, with room for the frame around it. */
const REQUEST_BYTES = 60 * 1024;

/** Which ways of asking a client has declared. */
export interface Elicits {
  readonly form: boolean;
  readonly url: boolean;
}

/**
 * The request for an elicitation; undefined for one that cannot be sent: of a mode that the client has not
 * declared, with an address that is no web page's, or too long. Values are never cut, only what is said of them.
 */
export function elicitationRequest(
  sessionId: string,
  elicitation: Elicitation & { readonly callId?: string },
  { form, url }: Elicits,
): CreateElicitationRequest | undefined {
  const { callId } = elicitation;
  const common = {
    sessionId,
    ...(callId === undefined ? {} : { toolCallId: callId }),
    message: clip(elicitation.message, MESSAGE_BYTES),
  };
  if (elicitation.mode === "url") {
    if (!url || !isWebPage(elicitation.url)) return undefined;
    return { ...common, mode: "url", elicitationId: elicitation.id, url: elicitation.url };
  }
  if (!form) return undefined;
  const { fields, ...head } = elicitation.form;
  const request: CreateElicitationRequest = {
    ...common,
    mode: "form",
    requestedSchema: {
      type: "object",
      ...said(head),
      properties: Object.fromEntries(fields.map((field) => [field.name, propertyOf(field)])),
      required: fields.filter((field) => field.required).map((field) => field.name),
    },
  };
  return jsonBytes(request) <= REQUEST_BYTES ? request : undefined;
}

/** What a client answered. Its response is not validated by the SDK: what does not fit counts as none. */
export function readElicited(elicitation: Elicitation, response: unknown): Elicited {
  const { action, content } = (response ?? {}) as { action?: unknown; content?: unknown };
  if (action === "decline" || action === "cancel") return { action };
  if (action !== "accept") return { action: "failed" };
  if (elicitation.mode === "url") return { action, content: {} };
  const answers = readForm(elicitation.form, content);
  return answers ? { action, content: answers } : { action: "failed" };
}

function isWebPage(url: string): boolean {
  const protocol = URL.parse(url)?.protocol;
  return (protocol === "https:" || protocol === "http:") && jsonBytes(url) <= PATH_BYTES;
}

function propertyOf(field: FormField): ElicitationPropertySchema {
  const head = said(field);
  const initial = field.default === undefined ? {} : { default: field.default };
  switch (field.type) {
    case "text": {
      const { minLength, maxLength, format } = field;
      return { type: "string", ...head, ...given({ minLength, maxLength, format }), ...initial };
    }
    case "number":
    case "integer": {
      const { type, minimum, maximum } = field;
      return { type, ...head, ...given({ minimum, maximum }), ...initial };
    }
    case "boolean":
      return { type: "boolean", ...head, ...initial };
    case "choice":
      return { type: "string", ...head, oneOf: field.options.map(optionOf), ...initial };
    case "choices": {
      const { minItems, maxItems } = field;
      const items = { anyOf: field.options.map(optionOf) };
      return { type: "array", ...head, items, ...given({ minItems, maxItems }), ...initial };
    }
  }
}

function optionOf({ value, title, description }: FormOption): EnumOption {
  return { const: value, ...said({ title, description }), title: clip(title, LABEL_BYTES) };
}

/** Title and description, shortened. */
function said(
  { title, description }: { readonly title?: string | undefined; readonly description?: string | undefined },
): { title?: string; description?: string } {
  return {
    ...(title === undefined ? {} : { title: clip(title, LABEL_BYTES) }),
    ...(description === undefined ? {} : { description: clip(description, LABEL_BYTES) }),
  };
}

/** The members that have a value. */
function given<Members extends Record<string, unknown>>(members: Members): Partial<Members> {
  return Object.fromEntries(
    Object.entries(members).filter(([, value]) => value !== undefined),
  ) as Partial<Members>;
}
