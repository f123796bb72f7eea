// From the broken run to "why" in two clicks; editing the diagram turns it green; it is saved on request.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { accessible, check, cursorAfter, holds, settled, tell, text, verdictOf } from '../browser.mjs';

const BROKEN = '7de87362b4ed353e771926e5dbe488a6';

export default async function shop({ open, picture, folder }) {
  const { page, close } = await open('shop');
  await page.locator('.verdict-row', { hasText: BROKEN }).waitFor();
  holds((await verdictOf(page, BROKEN)).includes('Fail'), 'the broken run fails');
  await picture(page, 'specification');

  // Click 1: the run. Click 2: the event that cannot be matched.
  await page.locator('.verdict-row', { hasText: BROKEN }).click();
  await page.locator('.title .headline').waitFor();
  holds((await text(page, '.title')).includes('checkout sent POST /charge where checkout should send POST /ship'), 'the headline says what is wrong');
  holds((await text(page, '.pair')).includes('checkout.mmd:13'), 'expected, with its place in the diagram');
  holds((await text(page, '.pair')).includes('logs/broken/checkout.otlp.jsonl:2'), 'observed, with its line of the log');
  await page.locator('.step.blamed').click();
  await page.locator('.screen:not([hidden]) .notice').waitFor();
  await settled(page);
  const answer = await page.getByRole('tabpanel', { name: 'Why not this?' }).innerText();
  holds(answer.length > 20 && /POST \/ship|first/.test(answer), `why not this: ${answer}`);
  tell(`why, after two clicks: ${answer.replace(/\s+/g, ' ').slice(0, 240)}`);
  await picture(page, 'failure');
  await accessible(page, 'why not');

  // An event of the picture, and a message of the diagram, can be asked about too.
  const part = page.locator('.canvas:visible [role="button"]').last();
  await part.click();
  await page.locator('[role="tabpanel"]:visible .notice').waitFor();
  await page.getByRole('tab', { name: 'Diagram' }).click();
  const message = page.locator('.canvas:visible [role="button"][aria-label*="POST /ship"]').first();
  await message.click();
  await settled(page);
  holds((await text(page, '[role="tabpanel"]:visible .notice')).length > 10, 'a message of the diagram is answered');
  await picture(page, 'failure-diagram');
  await page.getByRole('tab', { name: 'What happened' }).click();

  // The slider.
  const slider = page.getByRole('slider');
  const before = Number(await slider.inputValue());
  await slider.focus();
  await page.keyboard.press('ArrowLeft');
  check(Number(await slider.inputValue()), before - 1, 'one step back');
  check(await page.locator('.step.current').count(), 1, 'one row is the current step');
  await page.keyboard.press('Alt+Shift+ArrowRight');
  check(Number(await slider.inputValue()), before, 'and on again');

  // Repairs.
  await page.getByRole('tab', { name: 'Repair' }).click();
  await page.getByRole('button', { name: 'Repair the diagram' }).click();
  await settled(page);
  await picture(page, 'repair');
  tell(`repair of the diagram: ${(await text(page, '[role="tabpanel"]:visible .result')).replace(/\s+/g, ' ').slice(0, 200)}`);

  // Accepted, it is a change of this page; discarded, everything is as before.
  await page.getByRole('button', { name: 'Accept' }).click();
  await page.locator('.title .v-Pass').waitFor();
  await page.locator('#discard').click();
  await page.locator('dialog .diff .in').first().waitFor();
  await accessible(page, 'discard');
  await page.locator('dialog').getByRole('button', { name: 'Discard', exact: true }).click();
  await page.locator('.title .v-Fail').waitFor();
  await page.getByRole('button', { name: 'Repair the log' }).click();
  await settled(page);
  tell(`repair of the log: ${(await text(page, '[role="tabpanel"]:visible .result')).replace(/\s+/g, ' ').slice(0, 200)}`);

  // Editing the diagram turns it green.
  await page.getByRole('link', { name: 'Specification' }).click();
  await cursorAfter(page, 'payment-->>checkout: POST /charge 200');
  await page.keyboard.type('\nopt charged again\ncheckout->>payment: POST /charge\npayment-->>checkout: POST /charge 200\nend');
  await page.locator('.verdict-row', { hasText: BROKEN }).locator('.v-Pass').waitFor();
  holds((await verdictOf(page, BROKEN)).includes('Pass'), 'the run is green');
  holds(!readFileSync(join(folder('shop'), 'checkout.mmd'), 'utf8').includes('charged again'), 'nothing is written yet');
  // The verdicts are asked for first, so the picture may come after them.
  await page.waitForFunction(() => [...document.querySelectorAll('.screen:not([hidden]) .canvas > svg')].some((svg) => svg.innerHTML.includes('charged again')));
  await picture(page, 'green');

  // A mistake is told in the text, and the verdicts stay.
  await page.keyboard.type('\nend');
  await page.locator('.problems li').first().waitFor();
  await settled(page);
  await picture(page, 'mistake');
  await accessible(page, 'with a mistake');
  for (let at = 0; at < 4; at += 1) await page.keyboard.press('Backspace');
  await page.locator('.verdict-row', { hasText: BROKEN }).locator('.v-Pass').waitFor();

  await page.keyboard.press('Control+s');
  await page.locator('#save').waitFor({ state: 'hidden' });
  holds(readFileSync(join(folder('shop'), 'checkout.mmd'), 'utf8').includes('charged again'), 'it is written on request');
  await close();
}
