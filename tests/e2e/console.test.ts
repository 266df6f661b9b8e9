import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Browser, type Page } from 'playwright-core';
import { openWindow, picture, startBrowser, type Window } from '../support/browser.js';
import { availableNode, imported } from '../support/fleet.js';
import { ask } from '../support/http-client.js';
import { inProject, newProject, systemReader } from '../support/personas.js';
import { startTenure, type Tenure } from '../support/tenure.js';

// The audit console as auditors use it: Chromium, the decision point of a running Tenure, decisions that were really made.

const project = newProject('console-owner');
const owner = inProject(project, 'member');
const strangersProject = newProject('console-stranger');
const stranger = inProject(strangersProject, 'member');
const HOSTILE = '<script>alert("hello")</script><img src=x onerror=alert(1)>';
const hostile = { ...stranger, user: HOSTILE };
const node = availableNode('console-node', { owner: project });

let tenure: Tenure;
let base: string;
let browser: Browser;

beforeAll(async () => {
  tenure = await startTenure('console');
  base = `http://127.0.0.1:${tenure.env['PDP_ADMIN_PORT'] ?? ''}/console`;
  await imported(tenure, node);
  await ask(tenure, owner, `GET /v1/nodes/${node.uuid}`);
  await ask(tenure, stranger, `GET /v1/nodes/${node.uuid}`);
  await ask(tenure, hostile, 'GET /v1/nodes');
  browser = await startBrowser();
});

afterAll(async () => {
  await browser.close();
  await tenure.stop();
});

async function login(page: Page): Promise<void> {
  await page.goto(`${base}/login`);
  await page.getByLabel('Token').fill(await tenure.token(systemReader));
  await page.getByRole('button', { name: 'Log in' }).click();
  await page.getByRole('heading', { name: 'Decisions' }).waitFor();
}

async function auditor(colorScheme: 'dark' | 'light' = 'light'): Promise<Window> {
  const window = await openWindow(browser, colorScheme);
  await login(window.page);
  return window;
}

interface Request {
  readonly method?: string;
  readonly body?: URLSearchParams;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A page as a program asks for it. */
const fetched = async (
  path: string,
  token: string | undefined,
  { headers = {}, ...init }: Request = {},
): Promise<Response> =>
  fetch(`${base}${path}`, {
    redirect: 'manual',
    ...init,
    headers: { ...(token !== undefined && { 'X-Auth-Token': token }), ...headers },
  });

describe('who may look', () => {
  it('is nobody without a token: 401, and a form to log in', async () => {
    for (const path of ['', '/decisions', '/live/events', '/matrix', '/what-if', '/policy']) {
      const answer = await fetched(path, undefined);
      expect([path, answer.status]).toEqual([path, 401]);
      expect(await answer.text()).toContain('Log in');
    }
  });

  it('is decided by the policy: 403 for who is no reader of the system', async () => {
    const answer = await fetched('/decisions', await tenure.token(owner));
    expect(answer.status).toBe(403);
    const allowed = await fetched('/decisions', await tenure.token(systemReader));
    expect(allowed.status).toBe(200);
  });

  it('keeps the session in a cookie that scripts and other sites do not get, and ends it', async () => {
    const { page, context, faults } = await auditor();
    const [cookie] = await context.cookies(base);
    expect(cookie).toMatchObject({ httpOnly: true, sameSite: 'Strict', path: '/console' });
    expect(page.url()).toBe(`${base}/decisions`);
    await page.getByRole('button', { name: 'Log out' }).click();
    await page.getByRole('button', { name: 'Log in' }).waitFor();
    const old = await fetched('/decisions', undefined, {
      headers: { Cookie: `tenure_console=${cookie?.value ?? ''}` },
    });
    expect(old.status).toBe(401);
    expect(faults).toEqual([]);
    await context.close();
  });

  it('refuses a form that another site sends', async () => {
    const answer = await fetched('/login', undefined, {
      method: 'POST',
      body: new URLSearchParams({ token: await tenure.token(systemReader) }),
      headers: { Origin: 'https://elsewhere.test' },
    });
    expect(answer.status).toBe(403);
    expect(answer.headers.get('set-cookie')).toBeNull();
  });
});

describe('decisions', () => {
  it('are found, and a denial says what was missing', async () => {
    const { page, context, faults } = await auditor();
    await page.getByLabel('User id').fill(stranger.user);
    await page.getByLabel('Outcome').selectOption('denied');
    await page.getByRole('button', { name: 'Search' }).click();
    const rows = page.locator('table.decisions tbody tr');
    expect(await rows.count()).toBe(1);
    expect(await rows.first().textContent()).toContain('baremetal:node:get');
    await picture(page, 'decisions-light');
    await rows.first().getByRole('link').click();
    await page.getByRole('heading', { name: 'Why' }).waitFor();
    const text = await page.locator('main').innerText();
    expect(text).toContain('owner_reader');
    expect(text).toContain(`project is ${strangersProject}, and would have to be ${project}`);
    await page.getByText('The row and the rules').click();
    expect(await page.locator('main').innerText()).toContain(
      'policies-rego/tenure/grants/grants.rego:',
    );
    await picture(page, 'why-light');
    expect(faults).toEqual([]);
    await context.close();
  });

  it('show a hostile id as text and nothing else', async () => {
    const { page, context, faults } = await auditor();
    await page.goto(`${base}/decisions?${new URLSearchParams({ user: HOSTILE }).toString()}`);
    const rows = page.locator('table.decisions tbody tr');
    expect(await rows.count()).toBe(1);
    expect(await rows.first().locator('td').nth(3).textContent()).toBe(HOSTILE);
    expect(await page.getByLabel('User id').inputValue()).toBe(HOSTILE);
    expect(await page.locator('main script, main img').count()).toBe(0);
    await rows.first().getByRole('link').click();
    await page.getByRole('heading', { name: 'Why' }).waitFor();
    expect(await page.locator('main').innerText()).toContain(HOSTILE);
    expect(await page.locator('main script, main img').count()).toBe(0);
    expect(faults).toEqual([]);
    await context.close();
  });

  it('appear in the live view as they are made', async () => {
    const { page, context, faults } = await auditor();
    await page.goto(`${base}/live?outcome=denied`);
    await page.getByText('Watching.').waitFor();
    const rows = page.locator('table.decisions tbody tr');
    const before = await rows.count();
    await ask(tenure, hostile, `GET /v1/nodes/${node.uuid}`);
    await rows.nth(before).waitFor();
    expect(await rows.first().locator('td').nth(3).textContent()).toBe(HOSTILE);
    await picture(page, 'live-light');
    expect(faults).toEqual([]);
    await context.close();
  });

  it('are refused with 400 when the question is odd', async () => {
    const token = await tenure.token(systemReader);
    for (const query of [
      '?since=whenever',
      '?skip=-1',
      '?user=a&user=b',
      '?color=red',
      '?outcome=x',
    ])
      expect([query, (await fetched(`/decisions${query}`, token)).status]).toEqual([query, 400]);
    expect((await fetched('/decisions/no-such-id', token)).status).toBe(404);
    expect((await fetched('/decisions/..%2f..%2fkeys', token)).status).toBe(404);
  });
});

describe('the matrix', () => {
  it('is narrowed down, and a cell says by which rule in which file', async () => {
    const { page, context, faults } = await auditor('dark');
    await page.getByRole('link', { name: 'Matrix' }).click();
    await page.locator('table.matrix').first().waitFor();
    await picture(page, 'matrix-dark');
    await page.getByLabel('Topic').selectOption('all');
    await page.getByLabel('Action has').fill('node:set_power_state');
    await page.getByRole('combobox', { name: 'Caller' }).selectOption('or');
    await page.getByRole('button', { name: 'Show' }).click();
    await page.getByText('1 action, 1 caller').waitFor();
    expect(await page.locator('table.matrix tbody td').allInnerTexts()).toEqual(['-']);
    await page.locator('table.matrix tbody td a').click();
    await page.getByRole('heading', { name: 'baremetal:node:set_power_state' }).waitFor();
    const text = await page.locator('main').innerText();
    expect(text).toContain('role is reader, and would have to be member');
    expect(text).toContain('policies-rego/tenure/actions/data.yaml');
    await picture(page, 'cell-dark');
    expect(faults).toEqual([]);
    await context.close();
  });
});

describe('what if', () => {
  it('answers for a node of the log, to somebody of the project that owns it', async () => {
    const { page, context, faults } = await auditor();
    await page.getByRole('link', { name: 'What if' }).click();
    await page.getByRole('combobox', { name: 'Caller' }).selectOption('om');
    await page.getByLabel('Action').selectOption('baremetal:node:set_power_state');
    await page.getByLabel('Node of the decision log').fill(node.uuid);
    await page.getByRole('button', { name: 'Ask' }).click();
    await page.locator('.verdict').waitFor();
    expect(await page.locator('.verdict').innerText()).toBe('allowed: by owner_member');
    await picture(page, 'what-if-light');
    await page.getByRole('combobox', { name: 'Caller' }).selectOption('3A');
    await page.getByRole('button', { name: 'Ask' }).click();
    await page.getByText('not visible (404)').waitFor();
    expect(faults).toEqual([]);
    await context.close();
  });
});

describe('with the keyboard alone', () => {
  it('one logs in, goes to the matrix, walks through it and opens a cell', async () => {
    const { page, context, faults } = await openWindow(browser, 'dark');
    await page.goto(`${base}/login`);
    await page.keyboard.insertText(await tenure.token(systemReader));
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Decisions' }).waitFor();
    await picture(page, 'decisions-dark');
    // Past the link that skips, "Decisions" and "Live".
    for (let presses = 0; presses < 4; presses += 1) await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Who may do what' }).waitFor();
    const inTable = page.locator('table.matrix a:focus');
    for (let presses = 0; presses < 30 && (await inTable.count()) === 0; presses += 1)
      await page.keyboard.press('Tab');
    expect(await inTable.count()).toBe(1);
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('ArrowDown');
    const chosen = await inTable.getAttribute('aria-label');
    expect(chosen).toContain('sys_manager, ');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Where it is written' }).waitFor();
    expect(faults).toEqual([]);
    await context.close();
  });
});

describe('the policy in service', () => {
  it('is displayed with its revision, switches and overlays, in dark and light', async () => {
    const { page, context, faults } = await auditor('dark');
    await page.getByRole('link', { name: 'Policy' }).click();
    await page.getByRole('heading', { name: 'Switches' }).waitFor();
    expect(await page.locator('main').innerText()).toMatch(/sha256:[0-9a-f]{64}/u);
    const colors = (): Promise<string> =>
      page.evaluate('getComputedStyle(document.body).backgroundColor');
    expect(await colors()).toBe('rgb(20, 23, 27)');
    await picture(page, 'policy-dark');
    await page.emulateMedia({ colorScheme: 'light' });
    expect(await colors()).toBe('rgb(255, 255, 255)');
    expect(faults).toEqual([]);
    await context.close();
  });

  it('brings nothing from elsewhere, and lets no page be put into another', async () => {
    const answer = await fetched('/policy', await tenure.token(systemReader));
    const policy = answer.headers.get('content-security-policy') ?? '';
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toContain('unsafe');
    expect(await answer.text()).not.toMatch(/<style|<script>|\son\w+=|https?:\/\//u);
    expect(answer.headers.get('cache-control')).toBe('no-store');
  });
});

// The last of all: nobody of this address is let in for a minute after it.
describe('failed logins', () => {
  it('are 401, and 429 after the tenth within a minute', async () => {
    const forged = `${(await tenure.token(systemReader)).slice(0, -8)}AAAAAAAA`;
    const statuses: number[] = [];
    for (let tries = 0; tries < 11; tries += 1)
      statuses.push((await fetched('/decisions', forged)).status);
    expect(statuses).toEqual([401, 401, 401, 401, 401, 401, 401, 401, 401, 401, 429]);
  });
});
