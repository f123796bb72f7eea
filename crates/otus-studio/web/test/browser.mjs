// What every scenario has: a browser, a server for a folder, pages that are watched, and checks that are counted.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { chromium } from 'playwright-core';

const require = createRequire(import.meta.url);
const axe = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');

let checks = 0;
export const counted = () => checks;
export const check = (is, expected, what) => {
  checks += 1;
  assert.deepEqual(is, expected, what);
};
export const holds = (is, what) => check(Boolean(is), true, what);
export const tell = (text) => console.log(`   ${text}`);

export const launch = () => chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'],
});

const servers = new Set();
/** Starts `otus studio` for a folder; the answer has the address that it prints. */
export async function serve(otus, folder) {
  const server = spawn(otus, ['studio', folder, '--port', '0'], { stdio: ['ignore', 'pipe', 'pipe'] });
  servers.add(server);
  let said = '';
  const url = await new Promise((found, lost) => {
    const timer = setTimeout(() => lost(new Error(`no address within 30 s: ${said}`)), 30_000);
    for (const stream of [server.stdout, server.stderr]) {
      stream.on('data', (part) => {
        said += part;
        const match = /http:\/\/127\.0\.0\.1:\d+\/\S*/.exec(said);
        if (match) {
          clearTimeout(timer);
          found(match[0]);
        }
      });
    }
    server.on('exit', (status) => lost(new Error(`ended with status ${status}: ${said}`)));
  });
  return { url, pid: server.pid, stop: () => stop(server), said: () => said };
}

async function stop(server) {
  servers.delete(server);
  if (server.exitCode !== null) return;
  const ended = new Promise((done) => server.on('exit', done));
  server.kill('SIGTERM');
  const timer = setTimeout(() => server.kill('SIGKILL'), 5000);
  await ended;
  clearTimeout(timer);
}
export const stopAll = () => Promise.all([...servers].map(stop));

/** A page that is watched: errors, and requests to anywhere else, are failures. */
export async function open(browser, url, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, colorScheme: 'light', ...options });
  const page = await context.newPage();
  page.setDefaultTimeout(20_000);
  const troubles = [];
  // Refused requests are part of the interface, and browsers log each of them.
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type()) && !/Failed to load resource|status of 4/.test(message.text())) troubles.push(message.text());
  });
  page.on('pageerror', (error) => troubles.push(String(error.stack)));
  const { origin } = new URL(url);
  // For work on the page: a bundle that is not in the binary yet.
  const bundle = process.env.STUDIO_BUNDLE;
  if (bundle) for (const file of ['studio.js', 'studio.css']) await page.route(`${origin}/${file}`, (route) => route.fulfill({ path: join(bundle, file) }));
  page.on('request', (request) => { if (!request.url().startsWith(origin) && !request.url().startsWith('data:')) troubles.push(`request to ${request.url()}`); });
  await page.goto(url);
  await page.locator('.bar nav').waitFor();
  return { page, context, close: async () => {
    check(troubles, [], 'no errors, no requests to anywhere else');
    await context.close();
  } };
}

/** No finding of axe, whatever the rules are about. */
export async function accessible(page, what) {
  await page.evaluate(`${axe}; 0`);
  const { violations } = await page.evaluate(() => globalThis.axe.run(document, { resultTypes: ['violations'] }));
  check(violations.map(({ id, impact, nodes }) => `${impact} ${id}: ${nodes.slice(0, 3).map((node) => node.html.slice(0, 200)).join(' | ')}`), [], `${what}: accessible`);
}

/** The page does not scroll sideways, and nothing sticks out of its panel or is cut in a button. */
export async function tidy(page, what) {
  const found = await page.evaluate(() => {
    const wrong = [];
    const { scrollWidth, clientWidth } = document.documentElement;
    if (scrollWidth > clientWidth) wrong.push(`the page scrolls ${scrollWidth - clientWidth} px sideways`);
    for (const button of document.querySelectorAll('button, .badge, th')) {
      if (button.offsetParent && button.scrollWidth > button.clientWidth + 2) wrong.push(`cut: ${button.textContent}`);
    }
    for (const header of document.querySelectorAll('.panel > header, .screen > header')) {
      const boxes = [...header.children].filter((child) => child.offsetParent && !child.classList.contains('unseen')).map((child) => ({ box: child.getBoundingClientRect(), text: child.textContent.slice(0, 40) }));
      boxes.forEach((a, at) => boxes.slice(at + 1).forEach((b) => {
        const apart = a.box.right <= b.box.left + 1 || b.box.right <= a.box.left + 1 || a.box.bottom <= b.box.top + 1 || b.box.bottom <= a.box.top + 1;
        if (!apart) wrong.push(`on each other: ${a.text} / ${b.text}`);
      }));
    }
    return wrong;
  });
  check(found, [], `${what}: tidy`);
}

/** The verdicts that are shown are those of the text that is shown. */
export async function settled(page) {
  await page.waitForTimeout(120);
  await page.waitForFunction(() => !document.querySelector('.screen:not([hidden]) .busy'));
}

export const text = (page, selector) => page.locator(selector).first().innerText();
export const verdictOf = (page, id) => page.locator('.screen:not([hidden]) .verdict-row', { hasText: id }).locator('.badge').innerText();
/** Puts the cursor at the end of the first line of the editor that has a text. */
export async function cursorAfter(page, part) {
  await page.locator('.screen:not([hidden]) .cm-line', { hasText: part }).first().click();
  await page.keyboard.press('End');
}
