import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { runDirectory } from './paths.js';

/** A browser's window, and everything that went wrong in it. */
export interface Window {
  readonly page: Page;
  readonly context: BrowserContext;
  /** Errors of scripts, and what the page's own security policy kept from happening. */
  readonly faults: readonly string[];
}

/** Debian's Chromium, without a window. */
export const startBrowser = (): Promise<Browser> =>
  chromium.launch({
    executablePath: '/usr/bin/chromium',
    // Root, as in a container, cannot use Chromium's own sandbox; the pages are our own.
    args: process.getuid?.() === 0 ? ['--no-sandbox'] : [],
  });

/** A window of its own, with cookies of its own. */
export async function openWindow(
  browser: Browser,
  colorScheme: 'dark' | 'light' = 'light',
): Promise<Window> {
  const context = await browser.newContext({ colorScheme, viewport: { width: 1280, height: 900 } });
  context.setDefaultTimeout(20_000);
  const page = await context.newPage();
  const faults: string[] = [];
  page.on('pageerror', (error) => faults.push(error.message));
  page.on('console', (message) => {
    if (message.type() === 'error') faults.push(message.text());
  });
  page.on('dialog', (dialog) => {
    faults.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  return { page, context, faults };
}

/** A picture of the page, for people to look at; in the run's directory. */
export async function picture(page: Page, name: string): Promise<void> {
  const directory = path.join(runDirectory, 'screenshots');
  mkdirSync(directory, { recursive: true });
  await page.screenshot({ path: path.join(directory, `${name}.png`) });
}
