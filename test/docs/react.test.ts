// @vitest-environment happy-dom
import type { ReactElement } from 'react';
import { act, createElement, StrictMode } from 'react';
import type { Root } from 'react-dom/client';
import { createRoot } from 'react-dom/client';
import { renderToString } from 'react-dom/server';
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';

import { GoalActor } from '../../examples/react/goal-actor.js';
import { publishing } from '../../examples/publishing.js';
import { RunActor } from '../../examples/react/run-actor.js';
import { RunView } from '../../examples/react/run-view.js';
import { loadAllParts } from '../../src/orchestrator/load-all-parts.js';

/* The components of docs/embedding.md, on a page: they follow a run and send it commands. */

let root: Root;
let page: HTMLElement;

// Otherwise the first run would begin outside of act().
beforeAll(loadAllParts);

beforeEach(() => {
  vi.stubGlobal('IS_REACT_ACT_ENVIRONMENT', true);
  page = document.createElement('div');
  root = createRoot(page);
});

afterEach(async () => {
  await act(async () => root.unmount());
  vi.unstubAllGlobals();
});

const show = (element: ReactElement): Promise<void> => act(async () => root.render(element));

/** Lets the run and React continue, outside of `act`, until the page shows the text. */
const untilPageSays = async (text: string): Promise<void> => {
  vi.stubGlobal('IS_REACT_ACT_ENVIRONMENT', false);
  await vi.waitFor(() => expect(page.textContent).toContain(text));
  vi.stubGlobal('IS_REACT_ACT_ENVIRONMENT', true);
};

const press = (label: string): Promise<void> =>
  act(async () => {
    const buttons = [...page.querySelectorAll('button')];
    buttons.find(({ textContent }) => textContent === label)!.click();
  });

describe('a run on a page', () => {
  it('is followed to its question, answered by a button, and followed to its end', async () => {
    const run = publishing.start({ goal: 'statecharts' });
    await show(createElement(StrictMode, null, createElement(RunView, { run })));
    await untilPageSays('publish: awaitingApproval');
    expect(page.textContent).toContain('write: completed');

    await press('Approve');
    await untilPageSays('completed: all-steps-completed');
    expect(page.textContent).toContain('publish: completed');
    expect(page.querySelectorAll('button')).toHaveLength(1);
    expect((await run.done).steps.at(-1)?.output).toEqual({ published: 'All about statecharts' });
  });

  it('is stopped by a button', async () => {
    const run = publishing.start({ goal: 'statecharts' });
    await show(createElement(RunView, { run }));
    await press('Stop');
    await untilPageSays('aborted: ');
    expect((await run.done).status).toBe('aborted');
  });

  it('is rendered on a server in its current state, and another run replaces it', async () => {
    const first = publishing.start({ goal: 'statecharts' });
    const second = publishing.start({ goal: 'actors' });
    await first.abort('Not needed');
    await first.done;
    expect(renderToString(createElement(RunView, { run: first }))).toContain('aborted: Not needed');

    await show(createElement(RunView, { run: first }));
    await show(createElement(RunView, { run: second }));
    await untilPageSays('actors');
    await untilPageSays('publish: awaitingApproval');
    await act(async () => {
      await second.abort();
    });
  });
});

describe('a run as an actor on a page', () => {
  it.each([[false], [true]])('asks, is answered, and ends (StrictMode: %s)', async (isStrict) => {
    const element = createElement(RunActor, { goal: 'statecharts' });
    await show(isStrict ? createElement(StrictMode, null, element) : element);
    await untilPageSays('write: completed, publish: awaitingApproval');
    expect(page.textContent).toContain('The policy asks for approval before publisher starts');

    await press('Approve');
    await untilPageSays('write: completed, publish: completed');
    expect(page.querySelector('[role=status]')!.textContent).toBe('completed');
  });
});

describe('the chart on a page', () => {
  it('counts its steps, asks, is answered, and ends', async () => {
    await show(createElement(GoalActor, { goal: 'statecharts' }));
    await untilPageSays('Approve publish');
    expect(page.textContent).toContain('1 done, 1 running, 0 to do');
    expect(page.textContent).toContain('The policy asks for approval before publisher starts');

    await press('Approve publish');
    await untilPageSays('2 done, 0 running, 0 to do');
    expect(page.querySelector('[role=status]')!.textContent).toBe('completed');
    expect(page.querySelectorAll('button')).toHaveLength(0);
  });

  it('works under StrictMode', async () => {
    await show(createElement(StrictMode, null, createElement(GoalActor, { goal: 'statecharts' })));
    await untilPageSays('Approve publish');
    await press('Approve publish');
    await untilPageSays('completed');
  });
});
