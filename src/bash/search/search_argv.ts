import type { SearchRequest, TextSearch } from "./search.ts";

/**
 * The same for each search: nothing of the user's configuration; hidden files too; ignore files also where there
 * is no git; one order on every machine, so that pages fit together.
 */
const ALWAYS = [
  "--no-config",
  "--no-messages",
  "--no-ignore-messages",
  "--no-require-git",
  "--hidden",
  "--color=never",
  "--sort=path",
];

/**
 * ripgrep's arguments for a search of `target`, a path below its working directory that begins with `.`. Each text
 * stands in one argument with its flag, so that none is taken for a flag. No glob lets in: to ripgrep such a one
 * is stronger than all ignore files.
 */
export function searchArgv({ text }: SearchRequest, target: string): string[] {
  const what = text === undefined ? ["--files", "--null"] : textFlags(text);
  return [...ALWAYS, ...what, "--glob=!.git", "--", target];
}

function textFlags(text: TextSearch): string[] {
  return [
    ...formOf(text),
    text.ignoreCase ? "--ignore-case" : "--case-sensitive",
    ...(text.fixed ? ["--fixed-strings"] : []),
    ...(text.multiline ? ["--multiline", "--multiline-dotall"] : []),
    ...(text.type === undefined ? [] : [`--type=${text.type}`]),
    // Types are joined by "or": beside a type the names are left to the caller's own look at paths.
    ...(text.names === undefined || text.type !== undefined
      ? []
      : [`--type-add=asked:${text.names}`, "--type=asked"]),
    ...(text.without === undefined ? [] : [`--glob=!${text.without}`]),
    `--regexp=${text.pattern}`,
  ];
}

function formOf({ give, before, after }: TextSearch): string[] {
  switch (give) {
    case "lines":
      return ["--json", `--before-context=${before}`, `--after-context=${after}`];
    case "files":
      return ["--files-with-matches", "--null"];
    case "counts":
      return ["--count", "--with-filename", "--null"];
  }
}
