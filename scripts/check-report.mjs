// Tests HTML reports in headless Chromium. scripts/check-report calls it in the folder target/check-report, which has
// pages/*.html and the npm packages. It writes screenshots to pictures/*.png.
//
// Each page, a sample or a report that `otus analyze` has written (real-…), has its own script: the actions of a reader and the
// expected results. On every page, errors, requests, and findings of axe that are serious or critical are failures, in the
// light and the dark theme.
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { basename, join } from 'node:path';
import { pathToFileURL } from 'node:url';

const require = createRequire(join(process.cwd(), 'package.json'));
const { chromium } = require('playwright-core');
const axe = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');

const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--disable-background-networking', '--no-first-run'],
});

let checks = 0;
const check = (is, expected, what) => {
  checks += 1;
  assert.deepEqual(is, expected, what);
};
const holds = (is, what) => check(Boolean(is), true, what);

/** Clicks and keys of the page wait until it shows what its address names. */
function patient(page) {
  const locator = Object.getPrototypeOf(page.locator('body'));
  if (locator.isPatient) return;
  locator.isPatient = true;
  for (const name of ['click', 'press']) {
    const act = locator[name];
    locator[name] = async function actAndWait(...options) {
      await act.apply(this, options);
      await this.page().waitForFunction(() => globalThis.routed === location.hash);
    };
  }
}

/** A page that is watched. */
async function open(file, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1400, height: 900 }, colorScheme: 'light', ...options });
  // The address changes at once, but the page learns it by an event that comes later. A click is over when the page has it.
  await context.addInitScript(() => {
    const keep = () => { globalThis.routed = location.hash; };
    for (const name of ['load', 'hashchange']) addEventListener(name, keep);
  });
  const page = await context.newPage();
  patient(page);
  const troubles = [];
  page.on('console', (message) => { if (['error', 'warning'].includes(message.type())) troubles.push(message.text()); });
  page.on('pageerror', (error) => troubles.push(String(error)));
  page.on('dialog', (dialog) => { troubles.push(`dialog: ${dialog.message()}`); dialog.dismiss(); });
  const requests = [];
  page.on('request', (request) => { if (!request.url().startsWith('data:')) requests.push(request.url()); });
  const url = pathToFileURL(file).href;
  await page.goto(url);
  const close = async () => {
    check(troubles, [], `${file}: no errors`);
    check(requests.filter((request) => request.split('#')[0] !== url), [], `${file}: no requests`);
    await context.close();
  };
  return { page, close };
}

/** No serious finding of axe, whatever the rules are about. */
async function accessible(page, what) {
  // The content security policy of the page forbids foreign scripts, but the driver may bypass it.
  await page.evaluate(`${axe}; 0`);
  const { violations } = await page.evaluate(() => globalThis.axe.run(document, { resultTypes: ['violations'] }));
  const said = violations.map(({ id, impact, nodes }) => `${impact} ${id}: ${nodes.slice(0, 3).map((node) => node.html.slice(0, 160)).join(' | ')}`);
  const grave = said.filter((line) => /^(serious|critical)/.test(line));
  if (said.length > grave.length) console.log(`${what}: lesser findings: ${said.filter((line) => !grave.includes(line)).join('; ')}`);
  check(grave, [], `${what}: accessible`);
}

const picture = (page, name, options = {}) => page.screenshot({ path: `pictures/${name}.png`, ...options });
const rows = (page) => page.locator('.groups tbody tr').count();
const heads = (page) => page.locator('.canvas > svg [data-subject^="lifeline-"]').count();
const text = (page, selector) => page.locator(selector).first().innerText();
const focused = (page) => page.evaluate(() => document.activeElement.getAttribute('aria-label') ?? document.activeElement.textContent);

/** No two texts of a picture lie on each other, and each stays inside the picture and its box. */
async function tidy(page, what) {
  const boxes = await page.locator('.canvas > svg text').evaluateAll((texts) => texts.map((text) => {
    const { left, right, top, bottom } = text.getBoundingClientRect();
    return { left, right, top: top + 2, bottom: bottom - 2, text: text.textContent };
  }));
  boxes.sort((a, b) => a.top - b.top);
  const clashes = [];
  boxes.forEach((a, at) => {
    for (let other = at + 1; other < boxes.length && boxes[other].top < a.bottom; other += 1) {
      const b = boxes[other];
      if (a.left < b.right && b.left < a.right) clashes.push(`${a.text} / ${b.text}`);
    }
  });
  check(clashes, [], `${what}: texts apart`);
  // By group of the picture: a text that is wider than its box, or outside of the picture.
  const cut = await page.locator('.canvas > svg').evaluateAll((pictures) => pictures.flatMap((picture) => {
    const inside = (a, b) => a.left >= b.left - 1 && a.right <= b.right + 1 && a.top >= b.top - 1 && a.bottom <= b.bottom + 1;
    return [...picture.querySelectorAll('text')].filter((text) => {
      const box = text.parentElement.querySelector(':scope > rect');
      const around = text.parentElement === picture ? picture : box ?? picture;
      return !inside(text.getBoundingClientRect(), around.getBoundingClientRect());
    }).map((text) => text.textContent);
  }));
  check(cut, [], `${what}: no text is cut`);
  const wide = await page.evaluate(() => document.documentElement.scrollWidth > document.documentElement.clientWidth);
  check(wide, false, `${what}: the page itself does not scroll sideways`);
}

const scripts = {
  async small(file) {
    const { page, close } = await open(file);
    check(await rows(page), 4, 'all groups are listed');
    await accessible(page, 'small');
    await picture(page, 'small-light', { fullPage: true });

    // Filter by verdict, then by text, then by a text that no group has.
    await page.getByLabel(/^Pass/).uncheck();
    check(await rows(page), 3, 'passes are hidden');
    await page.getByLabel('Search').fill('SUB1 counterpart');
    check(await rows(page), 1, 'one has both words');
    await page.getByLabel('Search').fill('no such group');
    check(await text(page, '.groups tbody'), 'No group is like this.', 'says that none is left');
    await page.getByLabel('Search').fill('');

    // Open by keyboard: the link has the focus and Enter follows it.
    await page.getByRole('link', { name: 'client=sub1 mid=1' }).focus();
    await page.keyboard.press('Enter');
    await page.waitForSelector('.case');
    holds(page.url().includes('#case='), 'the address names the group');
    holds((await focused(page)).includes('client=sub1'), 'the panel has the focus');
    check(await page.locator('.event').count(), 12, 'all events are drawn');
    check(await page.locator('.event.explained').count(), 8, 'eight are explained');
    check(await page.locator('.event.expected').count(), 2, 'two are expected');
    check(await page.locator('.event.offending').count(), 2, 'two are offending');
    check(await page.locator('.canvas [data-subject^="message-"]').count(), 6, 'all messages are drawn');
    holds((await text(page, '[aria-label="Event"]')).includes('broker?PUBCOMP'), 'the fault is shown first');
    holds((await text(page, '[aria-label="Event"]')).includes('logs/broker.log:36'), 'its log line is shown');
    holds((await text(page, '[aria-label="Event"]')).includes('docs/mqtt.md:23'), 'its place in the specification is shown');
    check(await text(page, '[aria-label="Event"] mark'), 'S->>B: PUBCOMP', 'its part of the line is marked');
    await tidy(page, 'small');
    await accessible(page, 'small, open');
    await picture(page, 'small-case-light', { fullPage: true });

    // The slider by its keys and its buttons.
    const slider = page.getByRole('slider');
    check(await slider.inputValue(), '8', 'the run is shown to its end');
    await slider.focus();
    await page.keyboard.press('ArrowLeft');
    check(await slider.getAttribute('aria-valuetext'), 'Step 7 of 8: sub1!PUBREC, logs/sub1.log:9', 'one step back');
    check(await page.locator('.event.done').count(), 7, 'seven have happened');
    holds((await text(page, '[aria-label="Event"]')).includes('Sending PUBREC'), 'the step shows its log line');
    await page.keyboard.press('Home');
    check(await page.locator('.event.done').count(), 0, 'nothing has happened');
    check(await text(page, '.stepper output'), 'Before step 1 of 8', 'before the first step');
    await page.getByRole('button', { name: 'One step on' }).click();
    check(await page.locator('.event.current').getAttribute('data-subject'), 'event-0', 'the first step');
    await picture(page, 'small-step');
    await page.keyboard.press('Tab');

    // Events by keyboard.
    await page.locator('.event[tabindex="0"]').focus();
    await page.keyboard.press('ArrowRight');
    holds((await focused(page)).startsWith('broker?PUBLISH on broker'), 'the neighbour on the right');
    await page.keyboard.press('End');
    await page.keyboard.press('ArrowUp');
    holds((await focused(page)).startsWith('broker!PUBREL on broker · expected here'), 'the one before the last');
    await picture(page, 'small-focus');
    await page.keyboard.press('Enter');
    holds((await text(page, '[aria-label="Event"]')).includes('expected here, not observed'), 'Enter shows it');
    holds((await text(page, '#said')).includes('no log has it'), 'and says it');
    check(await page.locator('.event[aria-pressed="true"]').count(), 1, 'one event is chosen');
    await page.locator('.event.explained').nth(4).click();
    holds((await text(page, '[aria-label="Event"]')).includes('logs/broker.log:33'), 'a click shows another');
    check(await page.locator('.event[aria-pressed="true"]').count(), 1, 'still one event is chosen');

    // Only the core, and back.
    await page.getByLabel(/^Only what suffices/).check();
    check(await heads(page), 1, 'one lifeline is left');
    await tidy(page, 'small, core');
    await page.getByLabel(/^Only what suffices/).uncheck();
    check(await heads(page), 3, 'all lifelines are back');

    // Copying.
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']).catch(() => {});
    await page.getByRole('button', { name: 'Copy' }).click();
    await page.getByRole('button', { name: 'Copied' }).waitFor();
    const copied = await page.evaluate(() => navigator.clipboard.readText()).catch(() => null);
    if (copied !== null) holds(copied.startsWith('sequenceDiagram\n    participant P0 as publisher'), 'the diagram is copied');

    // The theme, by its button.
    const ground = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    check(await ground(), 'rgb(255, 255, 255)', 'light');
    await page.locator('#theme').click();
    await page.locator('#theme').click();
    check(await text(page, '#theme'), 'Theme: dark', 'dark was chosen');
    check(await ground(), 'rgb(15, 20, 27)', 'dark');
    await accessible(page, 'small, open, dark');
    await picture(page, 'small-case-dark', { fullPage: true });
    await page.locator('#theme').click();
    check(await ground(), 'rgb(255, 255, 255)', 'light again');

    // The next failure, the way back, and the focus after it.
    await page.getByRole('button', { name: 'Next', exact: true }).click();
    await page.getByRole('heading', { name: 'client=sub4 mid=2' }).waitFor();
    holds((await text(page, '.panel')).includes('There is nothing to draw.'), 'a group without events says so');
    await accessible(page, 'small, without events');
    await page.getByRole('button', { name: 'Next', exact: true }).click();
    await page.getByRole('heading', { name: 'client=sub3 mid=7' }).waitFor();
    check(await page.locator('.event.assumed').count(), 4, 'what is assumed is drawn');
    await picture(page, 'small-assumed');
    await page.goBack();
    await page.goBack();
    await page.getByRole('heading', { name: 'client=sub1 mid=1' }).waitFor();
    await page.getByRole('button', { name: '← All groups' }).click();
    await page.waitForSelector('.case', { state: 'detached' });
    check(await focused(page), 'client=sub1 mid=1', 'the focus is back in the table');
    check(await rows(page), 3, 'the filter is still there');

    // Print the table, then a panel.
    await page.pdf({ path: 'pictures/small.pdf' });
    await page.locator('tr.open').first().click();
    await page.pdf({ path: 'pictures/small-case.pdf' });
    await page.emulateMedia({ media: 'print' });
    await picture(page, 'small-case-print', { fullPage: true });
    await close();

    const dark = await open(file, { colorScheme: 'dark' });
    check(await dark.page.evaluate(() => getComputedStyle(document.body).backgroundColor), 'rgb(15, 20, 27)', 'dark by preference');
    await accessible(dark.page, 'small, dark');
    await picture(dark.page, 'small-dark', { fullPage: true });
    // A dark page is printed dark on white.
    await dark.page.emulateMedia({ media: 'print', colorScheme: 'dark' });
    check(await dark.page.evaluate(() => getComputedStyle(document.body).backgroundColor), 'rgb(255, 255, 255)', 'paper is white');
    await dark.close();

    const phone = await open(file, { viewport: { width: 390, height: 800 } });
    await tidy(phone.page, 'small, narrow');
    await picture(phone.page, 'small-narrow');
    await phone.page.getByRole('link', { name: 'client=sub1 mid=1' }).click();
    await tidy(phone.page, 'small, narrow, open');
    await picture(phone.page, 'small-case-narrow');
    await phone.close();

    const plain = await open(file, { javaScriptEnabled: false });
    holds((await text(plain.page, 'main')).includes('broker received PUBCOMP but never sent PUBREL'), 'failures are listed without scripts');
    await picture(plain.page, 'small-plain');
    await plain.close();

    await served(file);
  },

  async 'real-scripts'(file) {
    const { page, close } = await open(file);
    check(await rows(page), 2, 'both groups are listed');
    await page.getByLabel('Search').fill('一&');
    check(await rows(page), 1, 'found by its script');
    await page.locator('tr.open a').click();
    await page.getByRole('heading', { name: '一&<i>二</i>' }).waitFor();
    check(await heads(page), 4, 'all lifelines are drawn');
    const event = await text(page, '[aria-label="Event"]');
    holds(event.includes('</script><script>alert(1)</script>'), 'markup is text');
    holds(event.includes('⟨U+001B⟩[1m'), 'control characters are seen');
    holds(event.includes('⟨U+202E⟩'), 'what turns text around is seen');
    holds(event.includes('журнал/брокер.log:2'), 'the line of the log');
    check(await text(page, '[aria-label="Event"] mark'), 'брокер->>café: ça-va-👍🏽', 'the line of the specification');
    await tidy(page, 'scripts');
    await accessible(page, 'scripts');
    await picture(page, 'real-scripts', { fullPage: true });
    await page.reload();
    await page.getByRole('heading', { name: '一&<i>二</i>' }).waitFor();
    await close();
  },

  async 'real-long'(file) {
    const { page, close } = await open(file);
    await page.waitForSelector('.case');
    check(await page.locator('.event').count(), 300, 'a window is drawn');
    holds((await text(page, '.picture .warning')).includes('300 of its 5,001 events are drawn'), 'and says so');
    holds(await page.locator('.event.culprit').isVisible(), 'the fault is in it');
    const inside = await page.locator('.event.culprit rect').evaluate((sign) => {
      const [a, b] = [sign.getBoundingClientRect(), document.querySelector('.canvas').getBoundingClientRect()];
      return a.top > b.top && a.bottom < b.bottom && a.left > b.left && a.right < b.right;
    });
    holds(inside, 'the fault is in view');
    holds((await text(page, '.stepper output')).startsWith('Step 4,365 of 4,365'), 'steps keep their numbers');
    await tidy(page, 'long');
    await accessible(page, 'long');
    await picture(page, 'real-long', { fullPage: true });
    const slider = page.getByRole('slider');
    await slider.focus();
    for (let at = 0; at < 40; at += 1) await page.keyboard.press('ArrowLeft');
    holds(/^Step \d,\d{3} of 4,365/.test(await text(page, '.stepper output')), 'forty steps back');
    await picture(page, 'real-long-step');
    await page.getByLabel(/^Only what suffices/).check();
    await tidy(page, 'long, core');
    await picture(page, 'real-long-core');
    await page.pdf({ path: 'pictures/real-long.pdf' });
    check(await page.locator('.event').count() > 0, true, 'after printing all is back');
    await close();
  },

  async 'real-wide'(file) {
    const { page, close } = await open(file);
    await page.waitForSelector('.case');
    check(await heads(page), 60, 'sixty lifelines');
    holds((await text(page, '.ladder')).includes('59 other logs to the end'), 'what is all right is counted');
    await tidy(page, 'wide');
    await accessible(page, 'wide');
    holds(await page.evaluate(() => document.querySelector('.canvas').scrollLeft > 1000), 'the fault is scrolled to');
    await picture(page, 'real-wide', { fullPage: true });
    await page.getByLabel(/^Only what suffices/).check();
    check(await heads(page), 1, 'one suffices');
    await picture(page, 'real-wide-core');
    await page.getByLabel(/^Only what suffices/).uncheck();
    await page.pdf({ path: 'pictures/real-wide.pdf' });
    check(await heads(page), 60, 'after printing all are back');
    await close();
  },

  async 'real-many'(file) {
    const { page, close } = await open(file);
    holds((await text(page, '.pager')).includes('1 to 100 of 2,000.'), 'all are listed');
    const notes = await page.locator('#overview > .warning').allInnerTexts();
    holds(notes.some((note) => note.includes('180 more are not (--explain full explains all)')), 'says what is not explained');
    holds(notes.some((note) => note.includes('Of the groups that pass, 200 are drawn')), 'says what is not drawn');
    check(await page.locator('.groups tbody tr.open').count(), 20, 'those that are explained can be opened');
    await accessible(page, 'real-many');
    await picture(page, 'real-many');
    await page.locator('tr.open a').first().click();
    await page.waitForSelector('.case');
    holds((await text(page, '.case')).includes('orders.jsonl:8'), 'the line of the case file');
    await close();
  },

  async 'real-logs'(file) {
    const { page, close } = await open(file);
    check(await rows(page), 5, 'all groups are listed');
    holds(await page.locator('.coverage tbody tr').count() > 0, 'the parts of the specification are listed');
    await accessible(page, 'real-logs');
    await page.getByRole('link', { name: 'broken thermo' }).click();
    await page.waitForSelector('.case');
    holds((await text(page, '[aria-label="Event"]')).includes('Received PUBCOMP from thermo-sub'), 'the fault has its line of the log');
    check(await page.locator('.event.done').count(), await page.locator('.event.explained').count(), 'the run has all that is explained');
    // A click on an event shows its line in the log and its place in the specification.
    await page.locator('.event.explained[aria-label*="!PUBREC on broker"]').first().click();
    const event = await text(page, '[aria-label="Event"]');
    holds(/logs\/broken\/broker\.log:\d+/.test(event) && event.includes('Sending PUBREC to thermo-pub'), 'the line of the log');
    holds(/protocol\.md:\d+/.test(event), 'the place in the specification');
    holds((await text(page, '[aria-label="Event"] mark')).includes('PUBREC'), 'its part of the line is marked');
    holds((await text(page, '.picture + .card pre')).startsWith('sequenceDiagram'), 'the failing part as Mermaid');
    await tidy(page, 'real-logs');
    await accessible(page, 'real-logs, open');
    await picture(page, 'real-logs', { fullPage: true });
    await close();
  },

  async many(file) {
    const { page, close } = await open(file);
    check(await rows(page), 100, 'a page of the table');
    holds((await text(page, '.pager')).includes('1 to 100 of 2,000. 102,000 were checked.'), 'says how many there are');
    check(await text(page, '.groups tbody .badge'), '✗ Fail', 'failures first');
    await accessible(page, 'many');
    await picture(page, 'many');
    await page.getByRole('button', { name: 'Next page' }).click();
    holds((await text(page, '.pager')).includes('101 to 200 of 2,000'), 'the second page');
    await page.getByRole('button', { name: 'Events' }).click();
    check(await page.locator('th[aria-sort="ascending"]').innerText(), 'Events ▲', 'sorted');
    check(await text(page, '.groups tbody td.number'), '4', 'the smallest first');
    await page.getByRole('button', { name: 'Events' }).press('Enter');
    check(await text(page, '.groups tbody td.number'), '40', 'the largest first');
    await page.getByRole('button', { name: 'Verdict' }).click();
    await page.getByLabel('Cause').selectOption('too early');
    holds((await text(page, '.pager')).includes('50 of 2,000'), 'by cause');
    await page.locator('tr.open a').last().click();
    holds((await text(page, '.case nav')).includes('50 of 50 with details'), 'the last of those');
    check(await page.getByRole('button', { name: 'Next', exact: true }).isDisabled(), true, 'there is no next');
    await page.getByRole('button', { name: 'Previous', exact: true }).click();
    holds((await text(page, '.case nav')).includes('49 of 50 with details'), 'the one before');
    await page.getByRole('button', { name: '← All groups' }).click();
    const typed = 'payment order 16';
    const started = Date.now();
    for (const letter of typed) await page.getByLabel('Search').press(letter === ' ' ? 'Space' : letter);
    console.log(`many: ${typed.length} letters typed and filtered in ${Date.now() - started} ms`);
    check(await rows(page), 6, 'by cause and text');
    await page.getByLabel('Search').fill('');
    await page.getByLabel('Cause').selectOption('');
    await page.pdf({ path: 'pictures/many.pdf' });
    check(await rows(page), 100, 'after printing there is a page again');
    await close();
  },

  async odd(file) {
    const { page, close } = await open(file);
    const links = page.getByRole('link', { name: 'the same name' });
    check(await links.count(), 2, 'two groups of one name');
    await links.nth(1).click();
    await page.waitForSelector('.case');
    holds((await text(page, '.case')).includes('two.mmd'), 'the second is the second');
    await page.goBack();
    await links.nth(0).click();
    holds((await text(page, '.case')).includes('one.mmd'), 'the first is the first');
    check(await page.locator('.event').count(), 15, 'all events are drawn');
    check(await page.locator('.canvas .o-message-bad').count() > 0, true, 'a contradiction is seen');
    await tidy(page, 'odd');
    await accessible(page, 'odd');
    await picture(page, 'odd', { fullPage: true });
    await page.evaluate(() => { location.hash = '#case=%E0%A4%A'; });
    await page.waitForSelector('.case', { state: 'detached' });
    check(await rows(page), 2, 'an address that is none shows the table');
    await close();
  },

  async empty(file) {
    const { page, close } = await open(file);
    check(await text(page, '.groups tbody'), 'There are no groups.', 'says that there is nothing');
    await accessible(page, 'empty');
    await picture(page, 'empty');
    await close();
  },
};

/** From a server, the page is all that is asked for. */
async function served(file) {
  const asked = [];
  const server = createServer((request, response) => {
    asked.push(request.url);
    response.setHeader('content-type', 'text/html');
    response.end(readFileSync(file));
  });
  await new Promise((done) => server.listen(0, '127.0.0.1', done));
  const page = await browser.newPage();
  await page.goto(`http://127.0.0.1:${server.address().port}/report`);
  await page.waitForSelector('.groups tbody tr');
  await page.waitForTimeout(300);
  await page.close();
  server.close();
  check(asked, ['/report'], 'one request');
}

/** Any other report: it opens, every one of its first panels too, and nothing is wrong. */
async function unknown(file) {
  const { page, close } = await open(file);
  const name = basename(file, '.html');
  await accessible(page, name);
  await picture(page, name, { fullPage: true });
  // A report on one group opens it at once.
  const back = page.getByRole('button', { name: '← All groups' });
  if (await back.isVisible()) await back.click();
  for (let at = 0; at < Math.min(5, await page.locator('tr.open a').count()); at += 1) {
    await page.locator('tr.open a').nth(at).click();
    await page.waitForSelector('.case');
    await tidy(page, `${name}, panel ${at}`);
    await accessible(page, `${name}, panel ${at}`);
    await picture(page, `${name}-${at}`, { fullPage: true });
    await page.getByRole('button', { name: '← All groups' }).click();
  }
  await close();
}

const given = process.argv.slice(2);
const files = given.length > 0 ? given : Object.keys(scripts).map((name) => join(process.cwd(), 'pages', `${name}.html`));
let failures = 0;
for (const file of files) {
  const name = basename(file, '.html');
  try {
    const before = checks;
    assert(existsSync(file), 'there is no such file');
    await (given.length > 0 ? unknown : scripts[name])(file);
    console.log(`ok ${name}: ${checks - before} checks, ${(readFileSync(file).length / 1000).toFixed(0)} kB`);
  } catch (error) {
    failures += 1;
    console.log(`FAIL ${name}: ${error.stack ?? error}`);
  }
}
await browser.close();
console.log(`reports: ${files.length - failures} passed, ${failures} failed`);
process.exitCode = failures > 0 ? 1 : 0;
