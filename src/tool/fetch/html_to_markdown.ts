import domino from "@mixmark-io/domino";
// @ts-types="./turndown_gfm.d.ts"
import { gfm } from "@joplin/turndown-plugin-gfm";
// @ts-types="npm:@types/turndown@^5.0.6"
import TurndownService from "turndown";

/** What is no text of the page, or leads through the site and not the page. */
const NOISE =
  "script, style, noscript, template, nav, iframe, object, embed, svg, canvas, button, input, select, " +
  "textarea, dialog, [hidden], [aria-hidden=true]";

/** Columns that one cell of a table may span: for each one more the table gets an empty cell. */
const MAX_SPAN = 20;
/** Characters that one element may come to: nested quotes and lists repeat their marks on every line. */
const MAX_CONTENT = 8 * 1024 * 1024;

/** Characters of a link: a long `base` would else stand in each of many thousands. */
const MAX_LINK = 2048;

/**
 * Turns HTML into Markdown: links whole, images with their description, no scripts, styles or menus. Nothing of
 * the page is run or loaded. Throws for a page that is nested too deep or comes to far more than it is, and as soon
 * as `isStopped` says so.
 */
export function htmlToMarkdown(
  html: string,
  base: string,
  isStopped: () => boolean = () => false,
): { title: string | undefined; text: string } {
  const document = domino.createDocument(html);
  const address = URL.parse(document.querySelector("base")?.getAttribute("href") ?? "", base)?.href ?? base;
  for (const node of document.querySelectorAll(NOISE)) node.remove();
  for (const cell of document.querySelectorAll("[colspan]")) {
    cell.setAttribute("colspan", String(Math.min(Number(attribute(cell, "colspan")) || 1, MAX_SPAN)));
  }
  const service = new TurndownService({
    headingStyle: "atx",
    codeBlockStyle: "fenced",
    bulletListMarker: "-",
    hr: "---",
  });
  service.use(gfm);
  service.addRule("link", {
    filter: "a",
    replacement: (content, node) => link(content, attribute(node, "href"), address),
  });
  service.addRule("image", {
    filter: "img",
    replacement: (_, node) => image(attribute(node, "alt"), attribute(node, "src"), address),
  });
  watch(service, isStopped);
  const title = document.title.replace(/\s+/g, " ").trim();
  return { title: title === "" ? undefined : title, text: service.turndown(document.body).trim() };
}

/** Looks, for each element, whether to go on. */
function watch(service: TurndownService, isStopped: () => boolean): void {
  const { rules } = service;
  const forNode = rules.forNode.bind(rules);
  rules.forNode = (node) => {
    if (isStopped()) throw new Error("nobody waits for this page any more");
    const rule = forNode(node);
    return {
      ...rule,
      replacement: (content, ...more) => {
        if (content.length > MAX_CONTENT) throw new Error("the page comes to too much");
        return rule.replacement?.(content, ...more) ?? "";
      },
    };
  };
}

function attribute(node: unknown, name: string): string {
  return (node as { getAttribute(name: string): string | null }).getAttribute(name) ?? "";
}

/** Links within the page, and those that would run something, are their text. */
function link(content: string, href: string, base: string): string {
  const text = content.trim();
  const target = href === "" || href.startsWith("#") ? undefined : webAddress(href, base);
  if (text === "" || target === undefined) return content;
  // A link around whole blocks cannot be written as one.
  return text.includes("\n") ? `\n\n${text}\n\n<${target}>\n\n` : `[${text}](${target})`;
}

/** What has no description says nothing to a reader of text. */
function image(alt: string, src: string, base: string): string {
  const target = webAddress(src, base);
  const text = alt.replace(/\s+/g, " ").trim();
  return text === "" ? "" : target === undefined ? `[image: ${text}]` : `![${text}](${target})`;
}

function webAddress(reference: string, base: string): string | undefined {
  const url = URL.parse(reference, base);
  if (!url || !/^https?:$/.test(url.protocol) || url.href.length > MAX_LINK) return undefined;
  return url.href.replaceAll("(", "%28").replaceAll(")", "%29");
}
