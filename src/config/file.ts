import { parse, type ParseError, printParseErrorCode } from "jsonc-parser";
import { z } from "zod";
import { AgentError } from "../errors.ts";
import { LOG_LEVELS } from "../log.ts";
import { PRESETS } from "./config.ts";
import { parseHostPattern } from "./host_pattern.ts";

const provider = z.strictObject({
  kind: z.enum(["deepseek", "openai-compatible"]),
  baseURL: z.url({ protocol: /^https?$/ }).optional(),
  apiKey: z.string().min(1).optional(),
  /** Name of the environment variable that holds the key. */
  apiKeyEnv: z.string().min(1).optional(),
});

const positive = z.int().min(1);

/** For a million tokens. */
const amount = z.number().min(0);

const model = z.strictObject({
  window: positive.optional(),
  vision: z.boolean().optional(),
  price: z.strictObject({
    input: amount,
    output: amount,
    cachedInput: amount.optional(),
    currency: z.string().min(1).max(16),
  }).optional(),
});
/** Each is named by itself: a pattern for many private hosts would open more than anyone meant. */
const privateHost = z.string().refine(
  (text) => parseHostPattern(text)?.below === false,
  "is no host such as `localhost:3000` or `10.0.0.5`",
);
const texts = z.record(z.string().min(1), z.string());
const mcpServer = z.union([
  z.strictObject({
    command: z.string().min(1),
    args: z.array(z.string()).optional(),
    env: texts.optional(),
    trust: z.boolean().optional(),
    timeoutMs: positive.optional(),
  }),
  z.strictObject({
    url: z.url({ protocol: /^https?$/ }),
    type: z.enum(["http", "sse"]).optional(),
    headers: texts.optional(),
    trust: z.boolean().optional(),
    timeoutMs: positive.optional(),
  }),
], {
  error:
    "a server is { command, args?, env?, trust?, timeoutMs? } or { url, type?, headers?, trust?, timeoutMs? }",
});

const schema = z.strictObject({
  $schema: z.string().optional(),
  model: z.string().min(1).optional(),
  systemPrompt: z.string().optional(),
  preset: z.enum(PRESETS as [string, ...string[]]).optional(),
  stateDir: z.string().startsWith("/").optional(),
  log: z.strictObject({
    level: z.enum(LOG_LEVELS as [string, ...string[]]).optional(),
    file: z.string().startsWith("/").optional(),
  }).optional(),
  maxModelCalls: positive.optional(),
  titles: z.boolean().optional(),
  limits: z.strictObject({
    processes: positive.optional(),
    memoryBytes: positive.optional(),
    fileBytes: positive.optional(),
    diskBytes: positive.optional(),
    openFiles: positive.optional(),
  }).optional(),
  rules: z.strictObject({
    allow: z.array(z.string()).optional(),
    ask: z.array(z.string()).optional(),
    deny: z.array(z.string()).optional(),
  }).optional(),
  fetch: z.strictObject({ allowPrivate: z.array(privateHost).optional() }).optional(),
  env: z.strictObject({ pass: z.array(z.string().min(1)) }).optional(),
  models: z.record(z.string().min(1), model).optional(),
  providers: z.record(z.string().regex(/^[\w.-]+$/), provider).optional(),
  mcpServers: z.record(z.string().regex(/^[\w.-]+$/), mcpServer).optional(),
});

/** The config file's content, checked. */
export type FileConfig = z.infer<typeof schema>;

/**
 * Parses and checks a config file (JSON with comments and trailing commas).
 * @throws AgentError("config") naming the file and the place that is wrong.
 */
export function parseConfigFile(text: string, path: string): FileConfig {
  const errors: ParseError[] = [];
  const value: unknown = parse(text, errors, { allowTrailingComma: true });
  const [first] = errors;
  if (first) {
    const line = text.slice(0, first.offset).split("\n").length;
    throw new AgentError("config", `${path}:${line}: ${printParseErrorCode(first.error)}`);
  }
  const checked = schema.safeParse(value ?? {});
  if (checked.success) return checked.data;
  const [issue] = checked.error.issues;
  throw new AgentError("config", `${path}: ${issue?.path.join(".") || "(top)"}: ${issue?.message}`);
}
