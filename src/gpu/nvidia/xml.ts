/** An element of nvidia-smi's XML. The text is its own, without its children's. */
export interface XmlElement {
  readonly name: string;
  readonly attributes: string;
  readonly children: readonly XmlElement[];
  readonly text: string;
}

interface Open {
  readonly name: string;
  readonly attributes: string;
  readonly children: XmlElement[];
  text: string;
}

const TOKEN = /<(\/?)([A-Za-z_][\w.-]*)((?:\s[^<>]*?)?)(\/?)>|<[!?][^<>]*>|([^<]+)/g;
const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

/**
 * The elements of a document, as far as it is readable: truncated or wrongly closed elements end where the text
 * does. Only XML's five predefined entities are supported, so that no external content can be included.
 */
export function parseXml(text: string): XmlElement {
  const root: Open = { name: '', attributes: '', children: [], text: '' };
  const open: Open[] = [root];
  for (const [, slash, name, attributes = '', empty, content] of text.matchAll(TOKEN)) {
    const parent = open.at(-1) ?? root;
    if (content !== undefined) parent.text += decode(content.trim());
    else if (name === undefined) continue;
    else if (slash === '/') close(open, name);
    else {
      const element: Open = { name, attributes: attributes.trim(), children: [], text: '' };
      parent.children.push(element);
      if (empty !== '/') open.push(element);
    }
  }
  return root;
}

function close(open: Open[], name: string): void {
  const at = open.findLastIndex(element => element.name === name);
  if (at > 0) open.length = at;
}

function decode(text: string): string {
  return text.replace(/&(amp|lt|gt|quot|apos);/g, (_, entity: string) => ENTITIES[entity] ?? '');
}

/** The element at a path of names below another; null if it does not exist. */
export function at(element: XmlElement, ...path: readonly string[]): XmlElement | null {
  let found: XmlElement | undefined = element;
  for (const name of path) found = found?.children.find(child => child.name === name);
  return found ?? null;
}

/** All children with a name. */
export function all(element: XmlElement | null, name: string): readonly XmlElement[] {
  return element?.children.filter(child => child.name === name) ?? [];
}
