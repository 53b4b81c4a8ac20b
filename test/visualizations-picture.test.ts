import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';
import type { AnyStateMachine, AnyStateNode } from 'xstate';
import { setup } from 'xstate';

import { charts, overviews, PHASED } from '../scripts/visualize.js';
import { pictureOf } from '../scripts/visualize/picture.js';
import { statesOf } from '../scripts/visualize/transitions.js';
import type { SvgElement } from './svg-reader.js';
import { elementsIn, hasClass, readSvg } from './svg-reader.js';

interface Rectangle {
  readonly name: string;
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

interface Point {
  readonly x: number;
  readonly y: number;
}

/** Boxes that touch do not overlap. */
const TOLERANCE = 1;

const number = ({ attributes }: SvgElement, name: string): number => Number(attributes[name] ?? 0);

const placeOf = ({ attributes }: SvgElement): Point => {
  const [x = 0, y = 0] = [...(attributes['transform'] ?? '').matchAll(/-?[\d.]+/g)].map(Number);
  return { x, y };
};

const boxOf = (state: SvgElement): Rectangle => {
  const { x, y } = placeOf(state);
  const border = state.children.find((child) => hasClass(child, 'box'))!;
  const name = state.children.find((child) => hasClass(child, 'title'))?.text ?? '';
  return {
    name,
    left: x,
    top: y,
    right: x + number(border, 'width'),
    bottom: y + number(border, 'height'),
  };
};

const frameOf = (frame: SvgElement): Rectangle => ({
  name: 'frame',
  left: number(frame, 'x'),
  top: number(frame, 'y'),
  right: number(frame, 'x') + number(frame, 'width'),
  bottom: number(frame, 'y') + number(frame, 'height'),
});

/** A line of text reaches about ten pixels above its baseline. */
const textsOf = (group: SvgElement): Rectangle[] => {
  const { x, y } = placeOf(group);
  return group.children
    .filter((child) => child.name === 'text')
    .map((text) => ({
      name: text.text,
      left: x + number(text, 'x'),
      top: y + number(text, 'y') - 10,
      right: x + number(text, 'x') + number(text, 'textLength'),
      bottom: y + number(text, 'y'),
    }));
};

/** Rounded corners lie inside the corner, so the points that draw them are enough. */
const pointsOf = (path: SvgElement): Point[] => {
  const numbers = [...(path.attributes['d'] ?? '').matchAll(/-?[\d.]+/g)].map(Number);
  return numbers.flatMap((x, index) =>
    index % 2 === 0 ? [{ x, y: numbers[index + 1] ?? 0 }] : [],
  );
};

const overlap = (one: Rectangle, other: Rectangle): boolean =>
  one.left < other.right - TOLERANCE &&
  other.left < one.right - TOLERANCE &&
  one.top < other.bottom - TOLERANCE &&
  other.top < one.bottom - TOLERANCE;

const spanOf = (from: Point, to: Point): Rectangle => ({
  name: 'wire',
  left: Math.min(from.x, to.x),
  top: Math.min(from.y, to.y),
  right: Math.max(from.x, to.x) + TOLERANCE,
  bottom: Math.max(from.y, to.y) + TOLERANCE,
});

/** The overview of the chart with phases, and the pictures that it links to. */
const PHASES = ['planning', 'executing', 'concluding', 'oversight', 'clock'];

/** `whole` has every state with its description, `names` every state, `part` some of the states. */
const pictures = charts.flatMap(([name, machine]) => [
  { name, machine, shows: 'whole' },
  ...(overviews.has(name)
    ? [{ name: `${name}.overview`, machine, shows: name === PHASED ? 'part' : 'names' }]
    : []),
  ...(name === PHASED ? [{ name: `${name}.states`, machine, shows: 'names' }] : []),
  ...(name === PHASED
    ? PHASES.map((phase) => ({ name: `${name}.${phase}`, machine, shows: 'part' }))
    : []),
]);

const phaseIn = (machine: AnyStateMachine, phase: string): AnyStateNode =>
  statesOf(machine.root).find(({ key }) => key === phase)!;

describe('the overview of the orchestrator', () => {
  const [, machine] = charts.find(([name]) => name === PHASED)!;
  const read = (name: string): SvgElement =>
    readSvg(readFileSync(join(import.meta.dirname, '..', 'visualizations', `${name}.svg`), 'utf8'));
  const textsIn = (picture: SvgElement): string[] =>
    elementsIn(picture)
      .filter((element) => element.name === 'text')
      .map(({ text }) => text);

  it('has a box for every phase, which links to the picture of the phase', () => {
    const overview = read(`${PHASED}.overview`);
    const links = elementsIn(overview).filter((element) => element.name === 'a');
    expect(links.map(({ attributes }) => attributes['href'])).toEqual(
      PHASES.map((phase) => `${PHASED}.${phase}.svg`),
    );
    for (const phase of PHASES) expect(textsIn(overview)).toContain(phase);
  });

  it('is readable on a page of 1,000 pixels', () => {
    expect(Number(read(`${PHASED}.overview`).attributes['width'])).toBeLessThan(1_600);
  });

  it.each(PHASES)('links to %s with every state of it, and its descriptions', (phase) => {
    const texts = textsIn(read(`${PHASED}.${phase}`));
    for (const { key, description = '' } of statesOf(phaseIn(machine, phase))) {
      expect(texts).toContain(key);
      expect(texts.join(' ')).toContain(description);
    }
  });
});

describe.each(pictures)('the picture of $name', ({ name, machine, shows }) => {
  const source = readFileSync(
    join(import.meta.dirname, '..', 'visualizations', `${name}.svg`),
    'utf8',
  );
  const picture = readSvg(source);
  const elements = elementsIn(picture);
  const texts = elements.filter((element) => element.name === 'text').map(({ text }) => text);
  const states = elements.filter((element) => hasClass(element, 'state'));
  const boxes = states.map(boxOf);

  it('has a title and a description for screen readers', () => {
    expect(picture.attributes).toMatchObject({ role: 'img', 'aria-labelledby': 'title desc' });
    const [title, description] = picture.children;
    expect([title?.name, title?.attributes['id']]).toEqual(['title', 'title']);
    const subject = PHASES.find((phase) => name.endsWith(`.${phase}`));
    const node = subject === undefined ? machine.root : phaseIn(machine, subject);
    expect(title?.text).toContain(subject ?? machine.id);
    expect([description?.name, description?.attributes['id']]).toEqual(['desc', 'desc']);
    expect(description?.text).toContain(node.description);
  });

  if (shows !== 'part') {
    it('names every state and has its description', () => {
      const words = texts.join(' ');
      for (const { key, description = '' } of statesOf(machine.root)) {
        expect(texts).toContain(key);
        if (shows === 'whole') expect(words).toContain(description);
      }
    });

    it('has an arrow for every pair of states that a transition joins', () => {
      const wires = elements.filter((element) => hasClass(element, 'line'));
      const pairs = statesOf(machine.root).flatMap((node) =>
        [...node.transitions.values(), node.always ?? []]
          .flat()
          .flatMap(({ target = [] }) => target.map(({ id }) => `${node.id} ${id}`)),
      );
      const begins = statesOf(machine.root).filter(({ type }) => type === 'compound');
      expect(wires).toHaveLength(new Set(pairs).size + begins.length);
    });
  }

  if (shows === 'whole') {
    it('names every event, guard, delay and invoked actor', () => {
      const words = texts.join(' ');
      for (const node of statesOf(machine.root)) {
        for (const event of Object.keys((node.config.on ?? {}) as object)) {
          const [, end, actor] = /^xstate\.(done|error)\.actor\.(.*)$/.exec(event) ?? [];
          expect(words).toContain(end === undefined ? event : `any actor ${end}`);
          expect(actor ?? '*').toBe('*');
        }
        for (const delay of Object.keys((node.config.after ?? {}) as object))
          expect(words).toContain(`after ${delay}`);
        for (const { id } of node.invoke) expect(words).toContain(id);
        for (const { guard, target } of [...node.transitions.values(), node.always ?? []].flat()) {
          const guardName =
            typeof guard === 'string' ? guard : (guard as { type: string } | undefined)?.type;
          if (target !== undefined) expect(words).toContain(guardName ?? '');
        }
      }
    });
  }

  it('is self-contained and has no script', () => {
    expect([...new Set(elements.map((element) => element.name))].sort()).toEqual(
      ['a', 'circle', 'desc', 'g', 'line', 'path', 'rect', 'style', 'svg', 'text', 'title'].filter(
        (kind) => elements.some((element) => element.name === kind),
      ),
    );
    const attributes = new Set(elements.flatMap((element) => Object.keys(element.attributes)));
    expect([...attributes].filter((key) => /^on|src|style/.test(key))).toEqual([]);
    expect(source.replace('xmlns="http://www.w3.org/2000/svg"', '')).not.toMatch(
      /script|foreignObject|https?:|url\(|@import|data:/i,
    );
  });

  it('follows the light or dark scheme of the reader', () => {
    const style = elements.find((element) => element.name === 'style')?.text ?? '';
    const [light = '', dark = ''] = style.split('@media (prefers-color-scheme: dark)');
    const defined = (rules: string): string[] =>
      [...rules.matchAll(/(--[\w-]+): #/g)].map(([, variable = '']) => variable).sort();
    expect(defined(dark)).toEqual(defined(light));
    const used = [...style.matchAll(/var\((--[\w-]+)\)/g)].map(([, variable = '']) => variable);
    expect(defined(light)).toEqual(
      [...new Set(used)].filter((variable) => variable !== '--wire').sort(),
    );
  });

  it('keeps every text inside its box', () => {
    const headers = elements.filter((element) => hasClass(element, 'header'));
    const frames = elements.filter((element) => hasClass(element, 'frame'));
    const outside = [
      ...states.map((state, index) => [state, boxes[index]!] as const),
      ...headers.map((header, index) => [header, frameOf(frames[index]!)] as const),
    ].flatMap(([group, { left, right, top, bottom }]) =>
      group.children
        .filter((child) => child.name === 'text')
        .filter(
          (text) =>
            number(text, 'x') + number(text, 'textLength') > right - left ||
            number(text, 'y') > bottom - top,
        ),
    );
    expect(states.length).toBeGreaterThan(0);
    expect(frames.length).toBe(headers.length);
    expect(outside.map(({ text }) => text)).toEqual([]);
  });

  it('lets no two boxes overlap', () => {
    const pairs = boxes.flatMap((one, index) =>
      boxes.slice(index + 1).map((other) => [one, other]),
    );
    const overlapping = pairs.filter(([one, other]) => overlap(one!, other!));
    expect(overlapping.map((pair) => pair.map((box) => box.name))).toEqual([]);
  });

  it('routes no arrow through a box or a text', () => {
    const wires = elements.filter((element) => hasClass(element, 'line'));
    const headers = elements.filter((element) => hasClass(element, 'header'));
    const obstacles = [...boxes, ...headers.flatMap(textsOf)];
    const hits = wires.map(pointsOf).flatMap((points) =>
      points.slice(1).flatMap((point, index) => {
        const span = spanOf(points[index]!, point);
        return obstacles.filter((box) => overlap(span, box)).map((box) => box.name);
      }),
    );
    expect(wires.length).toBeGreaterThan(0);
    expect(hits).toEqual([]);
  });
});

describe('a picture', () => {
  const machine = setup({ guards: { isLate: () => true, isTired: () => true } }).createMachine({
    id: 'day',
    initial: 'awake',
    on: { 'alarm.rang': '.awake' },
    states: {
      awake: {
        on: { 'coffee.drunk': {}, 'lights.out': [{ guard: 'isTired', target: 'asleep' }, 'over'] },
        always: { guard: 'isLate', target: 'over' },
      },
      asleep: { description: 'Dreams <of> "sheep" & wolves.' },
      over: { type: 'final' },
    },
  });
  const rows = async (): Promise<string[]> =>
    elementsIn(readSvg(await pictureOf(machine)))
      .filter((element) => element.name === 'text')
      .map(({ text }) => text);

  it('lists transitions in the order in which they are tried, each event once', async () => {
    expect((await rows()).join(' ')).toContain(
      'awake handles coffee.drunk lights.out [isTired] → asleep [else] → over always [isLate] → over',
    );
  });

  it('has a box for transitions from every state', async () => {
    expect((await rows()).join(' ')).toContain('anywhere in day alarm.rang → awake');
  });

  it('escapes every character', async () => {
    expect(await rows()).toContain('Dreams <of> "sheep" & wolves.');
  });

  it('is the same every time', async () => {
    expect(await pictureOf(machine)).toBe(await pictureOf(machine));
  });
});

describe('the SVG reader of the tests', () => {
  it.each([
    ['an element that is not closed', '<svg><g></svg>'],
    ['an attribute without quotes', '<svg a=1></svg>'],
    ['a duplicate attribute', '<svg a="1" a="2"></svg>'],
    ['a bare ampersand', '<svg><text>a & b</text></svg>'],
    ['a second root', '<svg></svg><svg></svg>'],
  ])('refuses %s', (_, source) => {
    expect(() => readSvg(source)).toThrow();
  });
});
