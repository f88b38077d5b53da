/** The pairs of neighbouring letters of a text, white space and case aside. */
export function pairsOf(line: string): Set<string> {
  const text = line.replace(/\s+/g, "").toLowerCase();
  return new Set(Array.from({ length: Math.max(0, text.length - 1) }, (_, i) => text.slice(i, i + 2)));
}

/** How alike two texts are by their letter pairs, 0 to 1: Dice's coefficient. */
export function alike(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  if (b.size === 0) return 0;
  let both = 0;
  for (const pair of a) if (b.has(pair)) both++;
  return 2 * both / (a.size + b.size);
}
