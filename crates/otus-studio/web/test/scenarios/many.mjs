// Typing in a diagram of 500 lines beside 1,000 runs of 50 events: the time from the last key to the answer is printed, not asserted.
import { check, cursorAfter, holds, settled, tell, text } from '../browser.mjs';

export default async function many({ open, picture }) {
  const { page, close } = await open('many');
  await page.locator('.verdict-row').first().waitFor();
  await settled(page);
  holds((await text(page, '.counts')).includes('900 pass'), 'all runs are checked');
  holds(await page.locator('.verdict-row').count() < 60, 'only the rows in view exist');

  // The answer is there when the panel of verdicts is no longer busy.
  await page.evaluate(() => {
    globalThis.waits = [];
    let last = 0;
    document.addEventListener('keydown', () => { last = performance.now(); }, true);
    const status = document.querySelector('.status');
    new MutationObserver(() => {
      if (last > 0 && !status.querySelector('.busy')) {
        globalThis.waits.push(performance.now() - last);
        last = 0;
      }
    }).observe(status, { childList: true });
  });
  await cursorAfter(page, 'm2_0');
  const waits = async (keys) => {
    for (const key of keys) {
      await page.keyboard.type(key);
      await page.waitForTimeout(60);
      await settled(page);
    }
    return page.evaluate(() => globalThis.waits.splice(0));
  };
  const show = (name, times) => {
    const sorted = times.map(Math.round).sort((a, b) => a - b);
    tell(`${name}: ${sorted.length} answers, median ${sorted[sorted.length >> 1]} ms, slowest ${sorted.at(-1)} ms from the key to the answer`);
  };
  show('500 lines, 1,000 runs of 50 events, one key at a time', await waits([...'abcdefghij']));
  await page.keyboard.type('klmnopqrstuvwxyz', { delay: 40 });
  await settled(page);
  show('sixteen keys at 40 ms each, after the last', await page.evaluate(() => globalThis.waits.splice(0).slice(-1)));
  for (let at = 0; at < 26; at += 1) await page.keyboard.press('Backspace');
  await settled(page);
  holds((await text(page, '.counts')).includes('900 pass'), 'the verdicts are those of before');
  await picture(page, 'many');

  await page.getByRole('link', { name: 'Runs' }).click();
  await page.locator('.run-row').first().waitFor();
  check(await page.locator('.run-row').count() < 80, true, 'only the rows in view exist');
  await page.getByRole('listbox', { name: 'Runs' }).focus();
  await page.keyboard.press('End');
  await page.locator('.run-row', { hasText: 'run-999' }).waitFor();
  await page.getByLabel('Search').fill('run-42');
  await page.locator('.run-row', { hasText: 'run-42' }).first().waitFor();
  await page.getByLabel('Search').fill('');
  await page.getByRole('tab', { name: 'Causes' }).click();
  await picture(page, 'many-causes');
  await page.getByRole('tab', { name: 'Coverage' }).click();
  await settled(page);
  await picture(page, 'many-coverage');
  await page.getByRole('tab', { name: 'Compare' }).click();
  // Two runs of the same blocks; in the right one, two events are swapped.
  await page.getByRole('combobox', { name: 'Left', exact: true }).selectOption('run-5');
  await page.getByRole('combobox', { name: 'Right', exact: true }).selectOption('run-3');
  await page.locator('tr.first').first().waitFor();
  await picture(page, 'many-compare');
  await close();
}
