// What changes on disk shows; a conflict is told and nothing is overwritten.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { accessible, check, cursorAfter, holds, text } from '../browser.mjs';

export default async function disk({ open, picture, folder }) {
  const { page, close } = await open('shop');
  const path = join(folder('shop'), 'checkout.mmd');
  const original = readFileSync(path, 'utf8');
  await page.locator('.cm-line', { hasText: 'alt paid' }).waitFor();

  writeFileSync(path, original.replace('alt paid', 'alt paid in full'));
  await page.locator('.cm-line', { hasText: 'alt paid in full' }).waitFor();
  holds(await page.locator('#save').isHidden(), 'a change of others is not a change of mine');

  await cursorAfter(page, 'alt paid in full');
  await page.keyboard.type(' at once');
  await page.locator('#save').waitFor();
  const theirs = original.replace('alt paid', 'alt paid by them');
  writeFileSync(path, theirs);
  await page.locator('#conflicts .notice').waitFor();
  holds((await text(page, '#conflicts')).includes('changed on disk'), 'the conflict is told');
  await page.keyboard.press('Control+s');
  await page.waitForTimeout(300);
  check(readFileSync(path, 'utf8'), theirs, 'nothing was overwritten');
  await page.getByRole('button', { name: 'Show the difference' }).click();
  await page.locator('#conflicts .diff .in').first().waitFor();
  await picture(page, 'conflict');
  await accessible(page, 'conflict');
  await page.getByRole('button', { name: 'Save what is here' }).click();
  await page.locator('#conflicts .notice').waitFor({ state: 'detached' });
  await page.locator('#save').waitFor({ state: 'hidden' });
  holds(readFileSync(path, 'utf8').includes('paid in full at once'), 'then it is written, because somebody chose so');

  // A new file shows by itself.
  writeFileSync(join(folder('shop'), 'second.mmd'), 'sequenceDiagram\n  A->>B: hello\n');
  await page.locator('.screen:not([hidden]) select option', { hasText: 'second.mmd' }).first().waitFor({ state: 'attached' });
  await close();
}
