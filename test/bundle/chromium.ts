import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

import type { Browser } from 'playwright-core';
import { chromium } from 'playwright-core';

const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];

/** The machine's own browser; none is ever downloaded. */
const executablePath = names
  .flatMap((name) => (process.env['PATH'] ?? '').split(delimiter).map((path) => join(path, name)))
  .find((path) => existsSync(path));

const isInCi = !['', '0', 'false'].includes(process.env['CI'] ?? '');

/** CI installs a browser and so must have one; elsewhere these tests may be skipped. */
export const isBrowserMissed = executablePath === undefined && !isInCi;

if (isBrowserMissed) {
  process.stdout.write(
    'SKIPPED: the tests in a real browser, because there is no Chromium on the PATH. ' +
      'On Debian: apt-get install chromium. With CI=1 they fail instead.\n',
  );
}

export const launchChromium = async (): Promise<Browser> => {
  if (executablePath === undefined) {
    throw new Error('CI needs Chromium on the PATH; .ci/run installs it on Debian');
  }
  return chromium.launch({
    executablePath,
    // Nothing but the page under test: no background requests, which would fail in a closed network.
    args: ['--disable-gpu', '--disable-quic', '--no-first-run', '--disable-sync'],
    timeout: 300_000,
  });
};
