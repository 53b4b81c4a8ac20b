/* The parts of XML that our pictures use. It is strict: text that it cannot read to the end is not well-formed. */

export interface SvgElement {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: readonly SvgElement[];
  readonly text: string;
}

const NAME = String.raw`[A-Za-z][\w-]*`;
const ATTRIBUTE = String.raw`\s+${NAME}="(?:[^"<&]|&(?:amp|lt|gt|quot);)*"`;
const OPEN = new RegExp(String.raw`<(${NAME})((?:${ATTRIBUTE})*)\s*(/?)>`, 'y');
const CLOSE = new RegExp(String.raw`</(${NAME})>`, 'y');
const TEXT = /(?:[^<&]|&(?:amp|lt|gt|quot);)+/y;

export const readSvg = (source: string): SvgElement => {
  let position = 0;
  const take = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = position;
    const match = pattern.exec(source);
    position = match === null ? position : pattern.lastIndex;
    return match;
  };
  const refuse = (expected: string): never => {
    throw new Error(
      `Expected ${expected} at ${JSON.stringify(source.slice(position, position + 60))}`,
    );
  };
  const element = (): SvgElement => {
    const [, name = '', attributes = '', isEmpty] = take(OPEN) ?? refuse('an element');
    const children: SvgElement[] = [];
    let text = '';
    while (isEmpty === '' && !source.startsWith('</', position)) {
      const words = take(TEXT);
      if (words === null) children.push(element());
      else text += unescaped(words[0]);
    }
    if (isEmpty === '' && (take(CLOSE) ?? refuse(`</${name}>`))[1] !== name) refuse(`</${name}>`);
    return { name, attributes: attributesOf(attributes), children, text };
  };
  const root = element();
  if (source.slice(position).trim() !== '') refuse('the end');
  return root;
};

export const elementsIn = (element: SvgElement): SvgElement[] => [
  element,
  ...element.children.flatMap(elementsIn),
];

export const hasClass = ({ attributes }: SvgElement, name: string): boolean =>
  (attributes['class'] ?? '').split(' ').includes(name);

const attributesOf = (text: string): Record<string, string> => {
  const pairs = [...text.matchAll(new RegExp(`(${NAME})="([^"]*)"`, 'g'))].map(
    ([, name = '', value = '']): [string, string] => [name, unescaped(value)],
  );
  if (new Set(pairs.map(([name]) => name)).size !== pairs.length) {
    throw new Error(`An attribute is there twice: ${text}`);
  }
  return Object.fromEntries(pairs);
};

const unescaped = (text: string): string =>
  text
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&amp;', '&');
