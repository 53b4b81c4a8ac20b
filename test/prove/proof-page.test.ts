import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

import { describe, expect, it } from 'vitest';

import { chartPictures } from '../../src/cli/charts.js';
import { markedPicture } from '../../src/cli/page/marked-picture.js';
import { proofPage } from '../../src/cli/page/proof-page.js';
import { wayList } from '../../src/cli/page/ways.js';
import { prove } from '../../src/proof/prove/prove.js';
import { isBrowserMissed, launchChromium } from '../bundle/chromium.js';
import { elementsIn, readSvg } from '../svg-reader.js';
import { small, TEAM } from './configurations.js';

const policy = small();
const proof = prove(policy, TEAM);
const charts = await chartPictures(policy);

const coverageOf = (chart: string) => proof.coverage.find((each) => each.chart === chart)!;

describe('the picture of a chart under a policy', () => {
  it.each([...charts])('marks every unreached state of %s, and no other', (chart, picture) => {
    const { missingStates, states, coveredStates } = coverageOf(chart);
    const svg = markedPicture(picture.svg, coverageOf(chart), picture.transitions);
    const drawn = elementsIn(readSvg(svg)).filter(({ attributes }) => 'data-state' in attributes);
    const names = (isMarked: boolean): Set<string> =>
      new Set(
        drawn
          .filter(({ attributes }) => 'data-unreached' in attributes === isMarked)
          .map(({ attributes }) => attributes['data-state'] ?? '')
          .filter((id) => !id.endsWith('/anywhere')),
      );
    expect([...names(true)].sort()).toEqual([...missingStates].sort());
    expect(names(false).size).toBe(coveredStates);
    expect(names(true).size + names(false).size).toBe(states);
  });

  it('marks an arrow only when no transition takes it', () => {
    const coverage = coverageOf('orchestrator');
    const { svg, transitions } = charts.get('orchestrator')!;
    const marked = markedPicture(svg, coverage, transitions);
    const wires = elementsIn(readSvg(marked)).filter(({ name }) => name === 'g');
    const isMarked = (source: string, target: string): boolean | undefined => {
      const wire = wires
        .find(
          ({ attributes }) =>
            attributes['data-target'] === `orchestrator.active.work.planning.${target}`,
        )
        ?.children.find(
          ({ attributes }) =>
            attributes['data-source'] === `orchestrator.active.work.planning.${source}`,
        );
      return wire && 'data-unreached' in wire.attributes;
    };
    expect(isMarked('askingPlanner', 'planDecision')).toBe(false);
    expect(isMarked('planDecision', 'reviewingPlan')).toBe(true);
    // No replans: what was refused is not planned again.
    expect(isMarked('replanDecision', 'askingPlanner')).toBe(true);
  });
});

describe('a path on the page', () => {
  it('is a list, with the steps of a descendant chart as a list within it', () => {
    const html = wayList(['One (3)', '  Inner', '    Innermost', 'Two <b>']);
    expect(html).toBe(
      '<ol><li>One <span class="cost">3</span><ol><li>Inner<ol><li>Innermost</li></ol></li></ol></li><li>Two &lt;b&gt;</li></ol>',
    );
  });
});

describe.skipIf(isBrowserMissed)('the page in a browser', () => {
  it('fits a phone and a wide screen, fully unfolded, and is readable in dark mode', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'planwright-page-'));
    const file = join(folder, 'proof.html');
    const subject = {
      name: './a/very/long/path/to/the/policy/of/somebody.js',
      policy,
      team: 'worker',
    };
    await writeFile(file, proofPage(subject, proof, charts));
    const browser = await launchChromium();
    try {
      for (const [width, colorScheme] of [
        [360, 'dark'],
        [1440, 'light'],
      ] as const) {
        const page = await browser.newPage({ viewport: { width, height: 800 }, colorScheme });
        await page.goto(pathToFileURL(file).href);
        const seen = await page.evaluate(measured);
        expect(seen.scrollWidth).toBe(width);
        // By the formula of WCAG 2: small text needs 4.5.
        expect(seen.contrast).toBeGreaterThan(4.5);
      }
    } finally {
      await browser.close();
      await rm(folder, { recursive: true });
    }
  });
});

/** Runs in the page: its width, and the contrast of its palest text. */
const measured = (): { readonly scrollWidth: number; readonly contrast: number } => {
  for (const details of document.querySelectorAll('details')) details.open = true;
  const luminance = (colour: string): number => {
    const [red = 0, green = 0, blue = 0] = (colour.match(/[\d.]+/g) ?? []).map((text) => {
      const share = Number(text) / 255;
      return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const paper = luminance(getComputedStyle(document.body).backgroundColor);
  const ratios = [...document.querySelectorAll('p, dt, dd, td, th, li, small, a, summary')].map(
    (element) => {
      const ink = luminance(getComputedStyle(element).color);
      return (Math.max(ink, paper) + 0.05) / (Math.min(ink, paper) + 0.05);
    },
  );
  return {
    scrollWidth: document.documentElement.scrollWidth,
    contrast: Math.min(...ratios),
  };
};
