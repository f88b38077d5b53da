/** Characters to which arguments that a text names again and again may make it grow. */
const MAX_TEXT = 256 * 1024;

/**
 * A command's text with what was typed behind its name: in place of `$ARGUMENTS`, word by word in place of `$1` to
 * `$9` (words in quotes are one), and behind the text where it names neither. Where that would make the text longer
 * than {@linkcode MAX_TEXT}, only the first place is filled. What was typed is taken letter for letter.
 */
export function expand(text: string, args: string): string {
  const words = wordsOf(args);
  let places = 0;
  let room = MAX_TEXT - text.length;
  const filled = text.replace(/\$(ARGUMENTS|[1-9])(?![A-Za-z0-9_])/g, (place, name) => {
    const value = name === "ARGUMENTS" ? args : words[Number(name) - 1] ?? "";
    room -= value.length;
    return places++ > 0 && room < 0 ? place : value;
  });
  return places > 0 || args === "" ? filled : `${filled}\n\n${args}`;
}

function wordsOf(args: string): string[] {
  return [...args.matchAll(/"([^"]*)"|'([^']*)'|\S+/g)].map(([word, double, single]) =>
    double ?? single ?? word
  );
}
