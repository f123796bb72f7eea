// Every screen at two widths in both themes: accessible, tidy, and usable by keyboard alone; also in a folder that has nothing.
import { accessible, check, holds, settled, tidy } from '../browser.mjs';

const SCREENS = ['specification', 'failure', 'mapping', 'orders', 'runs'];
const LOOKS = [
  ['wide-light', { viewport: { width: 1280, height: 800 }, colorScheme: 'light' }],
  ['wide-dark', { viewport: { width: 1280, height: 800 }, colorScheme: 'dark' }],
  ['narrow-light', { viewport: { width: 390, height: 844 }, colorScheme: 'light', hasTouch: true }],
  ['narrow-dark', { viewport: { width: 390, height: 844 }, colorScheme: 'dark', hasTouch: true }],
];

export default async function everywhere({ open, picture }) {
  for (const [look, options] of LOOKS) {
    const { page, close } = await open('shop', '', options);
    await page.locator('.verdict-row').first().waitFor();
    for (const name of SCREENS) {
      await page.evaluate((screen) => { location.hash = screen; }, name);
      await page.locator(`.screen:not([hidden])[data-screen="${name}"]`).waitFor();
      await page.waitForTimeout(200);
      await settled(page);
      if (name === 'runs') await page.locator('.run-row').first().click();
      if (name === 'mapping') await page.locator('.log-line').first().click();
      await settled(page);
      await tidy(page, `${name}, ${look}`);
      await accessible(page, `${name}, ${look}`);
      await picture(page, `${look}-${name}`, { fullPage: look.startsWith('narrow') });
    }
    await close();
    // Nothing in the folder: every screen says so, and what to do.
    if (look.startsWith('wide')) continue;
    const nothing = await open('empty', '', options);
    for (const name of SCREENS) {
      await nothing.page.evaluate((screen) => { location.hash = screen; }, name);
      await settled(nothing.page);
      await nothing.page.locator('.screen:not([hidden]) .empty:visible').first().waitFor();
      await tidy(nothing.page, `${name}, nothing, ${look}`);
      await accessible(nothing.page, `${name}, nothing, ${look}`);
      await picture(nothing.page, `empty-${look}-${name}`, { fullPage: true });
    }
    await nothing.close();
  }
  await keyboard({ open, picture });
}

/** Without a mouse: through all controls of every screen, from a run to why, help and back. */
async function keyboard({ open, picture }) {
  const { page, close } = await open('shop');
  await page.locator('.verdict-row').first().waitFor();
  const focused = () => page.evaluate(() => {
    const element = document.activeElement;
    const { outlineStyle, boxShadow } = getComputedStyle(element);
    const inside = [element, ...element.querySelectorAll('rect, circle, .row.active')];
    const isSeen = outlineStyle !== 'none' || boxShadow !== 'none' || element.closest('.editor') !== null
      || inside.some((part) => getComputedStyle(part).strokeWidth === '4px' || getComputedStyle(part).strokeWidth === '5px');
    const { width, height } = element.getBoundingClientRect();
    return { name: element === document.body ? 'body' : `${element.tagName} ${element.getAttribute('aria-label') ?? element.textContent.slice(0, 30)}`, isSeen, isThere: width > 0 && height > 0 };
  });
  for (const [key, name] of [['S', 'Specification'], ['F', 'Failure'], ['M', 'Mapping'], ['O', 'Orders'], ['R', 'Runs']]) {
    await page.keyboard.press(`Alt+Shift+${key}`);
    await page.locator(`.screen:not([hidden])[data-screen="${name.toLowerCase()}"]`).waitFor();
    await settled(page);
    await page.evaluate(() => { document.querySelector('.skip').focus(); });
    const seen = new Set();
    for (let at = 0; at < 80; at += 1) {
      await page.keyboard.press('Tab');
      const { name: where, isSeen, isThere } = await focused();
      if (where === 'body') break;
      check({ where, isSeen, isThere }, { where, isSeen: true, isThere: true }, `${name}: the focus is seen`);
      seen.add(where);
    }
    holds(seen.size >= 12, `${name}: all controls are reached (${seen.size})`);
  }

  // From the list of verdicts to why.
  await page.keyboard.press('Alt+Shift+S');
  await page.getByRole('listbox', { name: 'Verdicts of the runs' }).first().focus();
  await page.keyboard.press('Home');
  await page.keyboard.press('Enter');
  await page.locator('.title .headline').waitFor();
  check(await page.evaluate(() => document.activeElement?.id), 'main', 'the keyboard continues at the new screen');
  await page.getByRole('listbox', { name: /^Steps/ }).focus();
  await page.keyboard.press('End');
  await page.keyboard.press('Enter');
  await page.getByRole('tab', { name: 'Why not this?', selected: true }).waitFor();
  await page.keyboard.press('Alt+Shift+ArrowDown');
  await settled(page);

  // Help, and Escape.
  await page.keyboard.press('F1');
  await page.locator('dialog[open]').waitFor();
  await accessible(page, 'help');
  await picture(page, 'help');
  await page.keyboard.press('Escape');
  await page.locator('dialog').waitFor({ state: 'detached' });
  await page.locator('#help').focus();
  await page.keyboard.press('Enter');
  await page.locator('dialog[open]').waitFor();
  await page.keyboard.press('Escape');
  check(await page.evaluate(() => document.activeElement?.id), 'help', 'the focus is back where it was');

  // The theme, by its button.
  await page.locator('#theme').focus();
  await page.keyboard.press('Enter');
  await page.keyboard.press('Enter');
  check(await page.evaluate(() => getComputedStyle(document.body).backgroundColor), 'rgb(15, 20, 27)', 'dark was chosen');
  await page.keyboard.press('Enter');
  await close();
}
